import { isDeepStrictEqual } from 'node:util'
import { isTerminal } from '../../src/core/domain/call.ts'
import { ownEntries } from '../../src/core/domain/carried.ts'
import type { StoredRun } from '../../src/core/ports/store.ts'
import { answerFaults } from './judge-answers.ts'
import { carriedFaults } from './judge-conversation.ts'
import { endingFaults } from './judge-ending.ts'
import { messageFaults } from './judge-messages.ts'
import type { Performance } from './watched-tools.ts'
import { factsOf } from './perform-command.ts'
import type { DecisionFacts } from './allowed-answers.ts'
import type { PlayedRun } from './played-run.ts'
import type { SequenceHarness } from './sequence-harness.ts'
import { toolTable } from './tool-table.ts'
import { thrown } from './watched-loop.ts'

/** Looks at a run after every command. */
export class SequenceJudge {
  readonly #harness: SequenceHarness
  #last: StoredRun | undefined
  #played: PlayedRun | undefined
  #seen = 0
  #found: readonly string[] = []

  constructor(harness: SequenceHarness) {
    this.#harness = harness
  }

  /** Everything that is wrong by now. */
  async look(): Promise<readonly string[]> {
    const { faults, observer, watched, model, loop, played } = this.#harness
    if (played !== this.#played) this.#last = undefined
    if (observer.commits !== this.#seen || played !== this.#played) this.#found = await this.#judge()
    this.#seen = observer.commits
    this.#played = played
    return [
      ...new Set([...faults, ...observer.faults, ...watched.faults, ...model.faults, ...loop.faults, ...this.#found]),
    ]
  }

  async #judge(): Promise<readonly string[]> {
    const { store, watched, played, setup, loop, mortal, runId } = this.#harness
    const run = await store.read(runId)
    const decider = await factsOf(this.#harness)
    const own = played.own(run)
    const { calls } = decider
    const performances = watched.performances.filter((one) => one.runId === runId)
    const performed = new Set(performances.map(({ callId }) => callId))
    const askedEver = loop.asked.filter((one) => one.runId === runId)
    const asked = askedEver.filter((one) => one.mortal === mortal)
    const found = [
      ...this.#changes(run),
      ...carriedFaults(run, played),
      ...messageFaults(run, played, setup),
      ...answerFaults(run, own, setup),
      ...endingFaults({ record: run.record, own, calls, performed, played, setup, asked, askedEver }),
      ...performanceFaults(performances, decider, this.#harness),
    ]
    if (run.record.status !== 'running') found.push(...(await this.#restFaults(run, decider)))
    this.#last = run
    return found
  }

  #changes({ record, log }: StoredRun): readonly string[] {
    const last = this.#last
    if (last === undefined) return []
    const faults: string[] = []
    if (last.record.status === 'done' && !isDeepStrictEqual(record, last.record)) faults.push('a done run changed')
    const known = last.log.flatMap((entry) => (entry.kind === 'message' ? entry : []))
    const now = log.flatMap((entry) => (entry.kind === 'message' ? entry : []))
    if (!isDeepStrictEqual(now.slice(0, known.length), known)) faults.push('a stored message changed')
    return faults
  }

  async #restFaults(
    { record, input, log }: StoredRun,
    { calls, decisions }: DecisionFacts,
  ): Promise<readonly string[]> {
    const { store, runId, setup } = this.#harness
    const faults: string[] = []
    const { status, doneReason, code, error } = record
    const checkpoints = await store.checkpoints(runId)
    if (checkpoints.at(-1)?.names.includes('RunFinished') !== true) faults.push(`${status} without RunFinished`)
    for (const { callId, status: state, result, suspension } of calls) {
      if (isTerminal(state) !== (result !== undefined)) faults.push(`${callId} is ${state} and its result is not so`)
      if (!isTerminal(state) && (status === 'done' || state !== 'suspended')) {
        faults.push(`${callId} is ${state} in a run that is ${status}`)
      }
      const isAnswered = decisions.some((row) => row.suspensionId === suspension?.id)
      const isNew = (await store.inbox(runId, { isOpen: true })).length > 0
      if (state === 'suspended' && isAnswered && !isNew) faults.push(`${callId} waits although it was answered`)
    }
    if (status === 'waiting' && !calls.some((call) => call.status === 'suspended')) {
      faults.push('the run waits for nothing')
    }
    if (status === 'waiting' && doneReason !== 'suspended') faults.push(`the run waits with reason ${doneReason}`)
    const isAsked = setup.loop.hook?.says === 'throw' && error?.message.endsWith(`: ${thrown}`) === true
    const isModels = error?.message === 'refused by the provider'
    const isDue = error?.code === 'output_failed' && setup.loop.isChecked
    const isOurs = error !== undefined && !error.code.startsWith('max_') && !isModels && !isAsked && !isDue
    if (isOurs) faults.push(`the run ended with ${error.code}: ${error.message} ${code ?? ''}`)
    const slots = ownEntries(log, input).filter((entry) => entry.kind === 'call').length
    if (slots !== calls.length) faults.push(`${calls.length} calls in ${slots} slots`)
    return faults
  }
}

/** At most one performance a key of a `once` tool, and none without the approval it needs. */
function performanceFaults(
  performances: readonly Performance[],
  { decisions }: DecisionFacts,
  { observer }: SequenceHarness,
): readonly string[] {
  const faults: string[] = []
  const counts = new Map<string, number>()
  const inputs = new Map<string, string>()
  for (const { callId, tool, key, input, decision, ended } of performances) {
    const same = inputs.get(key)
    if (same !== undefined && same !== `${callId} ${input}`) faults.push(`key ${key} stands for two performances`)
    inputs.set(key, `${callId} ${input}`)
    if (ended !== 'suspended') counts.set(key, (counts.get(key) ?? 0) + 1)
    const answers = decisions.filter((row) => row.callId === callId && row.action === 'resume')
    if (toolTable[tool]?.needs !== undefined) {
      const isApproved = answers.some((row) => row.decisionId === decision?.decisionId && row.suspensionId !== null)
      if (!isApproved) faults.push(`${callId} ${tool} ran without approval`)
    }
    const retries = answers.filter((row) => observer.suspensions.get(row.suspensionId ?? '')?.reason === 'interrupted')
    const count = counts.get(key) ?? 0
    if (toolTable[tool]?.effects === 'once' && count > 1 + retries.length) {
      faults.push(`${callId} ${tool} was performed ${count} times under ${key}`)
    }
  }
  return faults
}
