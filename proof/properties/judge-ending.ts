import type { CallRecord } from '../../src/core/domain/call.ts'
import { type Message, textOf } from '../../src/core/domain/message.ts'
import type { RunRecord } from '../../src/core/domain/run-record.ts'
import type { PlayedRun } from './played-run.ts'
import type { SequenceSetup } from './sequence-setup.ts'
import { heardAs } from './spoken.ts'
import { type Asked, thrown } from './watched-loop.ts'

/** A run, what its hooks and its ending plugin were asked, and by whom. */
export interface EndingFacts {
  readonly record: RunRecord
  readonly own: readonly Message[]
  readonly calls: readonly CallRecord[]
  /** Ids of calls whose tool has run. */
  readonly performed: ReadonlySet<string>
  readonly played: PlayedRun
  readonly setup: SequenceSetup
  /** The calls to the living process about this run, in order. */
  readonly asked: readonly Asked[]
  /** The same, of all processes. */
  readonly askedEver: readonly Asked[]
}

/** The faults of a run after its hooks' and plugins' answers. */
export function endingFaults(facts: EndingFacts): readonly string[] {
  const faults = [...turnFaults(facts), ...skipFaults(facts)]
  if (facts.record.status !== 'done') return faults
  return [...faults, ...outcomeFaults(facts), ...countFaults(facts)]
}

/** No model call follows an end that was asked for, and none comes in a turn a hook said no to. */
function turnFaults({ own, played, setup }: EndingFacts): readonly string[] {
  const { hook, ending } = setup.loop
  const answers = own.filter(({ role }) => role === 'assistant').length
  const faults: string[] = []
  const hold = (name: string, most: number) => {
    if (answers > most) faults.push(`${answers} answers in a run that ${name} was to end after ${most}`)
  }
  if (hook?.name === 'beforeTurn' && hook.says !== 'nothing') hold(hook.name, hook.at - 1)
  if (ending === null || ending.phase === 'runStart' || (ending.code === null && isPutOff(played, setup))) return faults
  hold(ending.phase, ending.phase === 'afterModel' ? ending.at : ending.at - 1)
  return faults
}

/** Who asks for an end without a code has it put off by what somebody says. */
function isPutOff({ said }: PlayedRun, { loop: { isFiltered } }: SequenceSetup): boolean {
  return said.some((one) => one.kind !== 'extension' && heardAs(one, isFiltered) !== undefined)
}

const skipped = 'Tool execution skipped by the beforeToolExecution hook.'

/** A call has failed as skipped only where the hook said no to it, and its tool has not run. */
function skipFaults({ calls, askedEver, performed }: EndingFacts): readonly string[] {
  const asked = askedEver.filter(({ by, said }) => by === 'beforeTool' && said === 'no')
  const refused = new Set(asked.map(({ callId }) => callId))
  return calls.flatMap(({ callId, status, result }) => {
    if (refused.has(callId) && performed.has(callId)) return [`${callId} ran though a hook said no`]
    if (result === undefined || !textOf(result).startsWith(skipped)) return []
    if (status !== 'failed') return [`${callId} was skipped and is ${status}`]
    return refused.has(callId) ? [] : [`${callId} was skipped though no hook said no`]
  })
}

function outcomeFaults({ record, asked, played, setup }: EndingFacts): readonly string[] {
  const { doneReason = 'none', code, error } = record
  const found = [doneReason, code, error?.message].filter((part) => part !== undefined).join(' ')
  const faults = needless(setup, found)
  if (doneReason === 'cancelled') return faults
  for (const { by, said } of asked) {
    const due = dueAfter(by, said, setup, played)
    if (due !== undefined && !due.some((one) => found.startsWith(one)))
      faults.push(`the run ended ${found} where ${by} asked for ${due.join(' or ')}`)
  }
  return faults
}

/** The expected end of a run; undefined if it may end in any way. */
function dueAfter(
  by: Asked['by'],
  said: Asked['said'],
  setup: SequenceSetup,
  played: PlayedRun,
): readonly string[] | undefined {
  const { onRepeat, loop } = setup
  const { ending, hook } = loop
  switch (said) {
    case 'nothing':
      return undefined
    case 'throw':
      // The run has ended when this hook is asked.
      return by === 'afterRun' ? undefined : [hookError(by)]
    case 'no':
      if (by === 'beforeRun') return ['stopped before_loop']
      if (by !== 'beforeTurn') return undefined
      return ['stopped before_turn']
    case 'end': {
      // What was planned before a wait is kept when the start of the run is asked again.
      const kept = ending?.phase === 'runStart' ? ['stopped', 'plugin_requested'] : []
      const repeated = onRepeat === 'stop' ? ['stopped loop_detected'] : []
      const failed = hook?.says === 'throw' ? [hookError(hook.name)] : []
      const others = [...kept, ...repeated, ...failed]
      if (ending?.code === 'enough') return ['stopped enough', ...others]
      if (isPutOff(played, setup)) return undefined
      // A limit is judged before the filters are asked about what would put the end off.
      const limits = played.said.length > 0 ? ['stopped max_', 'error max_'] : []
      return ['plugin_requested', ...others, ...limits]
    }
  }
}

function hookError(name: Asked['by']): string {
  return `error Plugin "hooks" failed in ${name}: ${thrown}`
}

/** An end that nobody could have asked for. */
function needless({ loop: { hook, ending, isFiltered } }: SequenceSetup, found: string): string[] {
  const says = (name: string) => hook?.name === name && hook.says === 'no'
  const possible: readonly (readonly [string, boolean])[] = [
    ['stopped before_loop', says('beforeRun')],
    ['stopped before_turn', says('beforeTurn')],
    ['stopped input_rejected', isFiltered],
    ['stopped enough', ending?.code === 'enough'],
    ['plugin_requested', ending !== null && ending.code === null],
    ['error Plugin "hooks"', hook?.says === 'throw' && hook.name !== 'afterRun'],
  ]
  return possible.flatMap(([end, may]) =>
    found.startsWith(end) && !may ? [`the run ended ${found} for no reason`] : [],
  )
}

/** Hooks around the loop are asked once a run; over crashes at least once, and a cancel leaves one that is asked or to be asked. */
function countFaults({
  record,
  askedEver,
  played,
  setup: {
    loop: { hook },
  },
}: EndingFacts): readonly string[] {
  const once = ['beforeRun', 'afterRun', 'onError']
  if (hook === null || !once.includes(hook.name)) return []
  const due = hook.name === 'onError' && record.error === undefined ? 0 : 1
  const found = askedEver.filter(({ by }) => by === hook.name).length
  const least = played.isCancelled ? 0 : due
  const isRight = found >= least && (found <= due || (played.processes > 1 && due > 0))
  return isRight ? [] : [`${hook.name} was asked ${found} times instead of ${due}`]
}
