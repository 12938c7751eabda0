import {
  array,
  boolean,
  constant,
  constantFrom,
  integer,
  oneof,
  option,
  record as recordOf,
  type Arbitrary,
} from 'fast-check'
import type { ExecutorOption } from '../../src/ports.ts'
import { type LoopSetup, loopSetups } from './loop-setup.ts'
import { lastingTools, toolNames } from './tool-table.ts'

/** One call of a scripted answer; `bad` arguments do not fit the tool's schema. */
export interface SetupCall {
  readonly tool: string
  readonly id: string
  readonly n: number
  readonly arguments: 'good' | 'bad' | 'malformed' | 'truncated'
}

/** One answer of the model; a held one waits for the sequence. */
export interface SetupReply {
  /** A misfit is a text that does not fit the output contract, where there is one. */
  readonly kind: 'text' | 'misfit' | 'calls' | 'length' | 'error'
  readonly calls: readonly SetupCall[]
  readonly isHeld: boolean
  /** True where the model asks for the same calls as the time before. */
  readonly isRepeat: boolean
}

/** Everything a sequence of commands is played against. */
export interface SequenceSetup {
  readonly replies: readonly SetupReply[]
  readonly executor: ExecutorOption
  readonly onPartialSuspension: 'continue' | 'wait'
  readonly decisions: 'immediate' | 'gate'
  readonly limit: { readonly [field: string]: number }
  readonly onLimit: 'stop' | 'error' | 'finish'
  readonly onRepeat: 'note' | 'stop'
  readonly queueModes: { readonly steer: 'one' | 'all'; readonly followUp: 'one' | 'all' }
  readonly isWatched: boolean
  readonly loop: LoopSetup
}

const weighted = (no: number, yes: number) =>
  oneof({ weight: no, arbitrary: constant(false) }, { weight: yes, arbitrary: constant(true) })

const setupCall: Arbitrary<SetupCall> = recordOf({
  tool: oneof(
    { weight: 2, arbitrary: constantFrom(...toolNames) },
    { weight: 1, arbitrary: constantFrom(...lastingTools) },
  ),
  id: constantFrom('a', 'b', 'c'),
  n: constantFrom(0, 0, 0, 1),
  arguments: oneof(
    { weight: 12, arbitrary: constant('good' as const) },
    { weight: 1, arbitrary: constantFrom('bad' as const, 'malformed' as const, 'truncated' as const) },
  ),
})

const setupReply: Arbitrary<SetupReply> = recordOf({
  kind: oneof(
    { weight: 14, arbitrary: constant('calls' as const) },
    { weight: 1, arbitrary: constantFrom('text' as const, 'length' as const, 'error' as const) },
    { weight: 1, arbitrary: constant('misfit' as const) },
  ),
  calls: array(setupCall, { minLength: 1, maxLength: 3, size: 'max' }),
  isHeld: weighted(3, 1),
  isRepeat: weighted(4, 1),
})

/** Agents and what their models say. */
export const setups: Arbitrary<SequenceSetup> = recordOf({
  replies: array(setupReply, { minLength: 1, maxLength: 5, size: 'max' }).map(repeated),
  executor: constantFrom<ExecutorOption[]>('parallel', 'sequential', { batch: 2 }),
  onPartialSuspension: constantFrom('continue', 'wait'),
  decisions: constantFrom('immediate', 'gate'),
  limit: option(
    oneof(
      recordOf({ maxTurns: integer({ min: 1, max: 4 }) }),
      recordOf({ maxToolInteractions: integer({ min: 1, max: 4 }) }),
      recordOf({ maxTokens: integer({ min: 10, max: 60 }) }),
      recordOf({ maxDurationMs: constant(5000) }),
    ),
    { nil: {}, freq: 2 },
  ),
  onLimit: constantFrom('stop', 'error', 'finish'),
  onRepeat: constantFrom('note', 'stop'),
  queueModes: recordOf({ steer: constantFrom('one', 'all'), followUp: constantFrom('one', 'all') }),
  isWatched: boolean(),
  loop: loopSetups,
}).map((setup) => ({ ...setup, toString: () => describeSetup(setup) }))

function repeated(replies: readonly SetupReply[]): readonly SetupReply[] {
  const given: SetupReply[] = []
  for (const reply of replies) {
    const last = given.at(-1)
    given.push(reply.isRepeat && last !== undefined ? { ...last, isHeld: reply.isHeld } : reply)
  }
  return given
}

/** One line of options, one line a reply. */
export function describeSetup({ replies, ...options }: SequenceSetup): string {
  const lines = replies.map(({ kind, calls, isHeld }) => {
    const given = kind === 'calls' || kind === 'length' ? calls.map(describeCall).join(', ') : ''
    return `  ${isHeld ? 'held ' : ''}${kind} ${given}`.trimEnd()
  })
  return [`agent ${JSON.stringify(options)}`, ...lines, ''].join('\n')
}

function describeCall({ id, tool, n, arguments: kind }: SetupCall): string {
  return `${id}: ${tool}(${n}${kind === 'good' ? '' : `, ${kind}`})`
}
