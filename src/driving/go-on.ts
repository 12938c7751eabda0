import { freezeDeep, type Json, type JsonObject } from '../domain/json.ts'
import type { LogEntry } from '../domain/log.ts'
import { detailsIn } from '../domain/run-details.ts'
import { shownIn } from '../domain/transcript-message.ts'
import { UsageError } from '../domain/usage-error.ts'
import type { StoredRun } from '../ports/store.ts'
import type { AgentCore } from './agent-core.ts'
import { checkedId, type PlannedRun } from './create-run.ts'
import { inputOf, type Prompt } from './read-prompt.ts'
import { otherAgent } from './run-driving.ts'
import { storedDetails } from './start-details.ts'
import type { PromptOptions } from './start-run.ts'

/** The run that is gone on from. */
export interface Original {
  readonly id: string
  /** Resolves once it is stored. */
  readonly stored: Promise<unknown>
  /** Goes on also where an agent of another name started it. */
  readonly adopts: boolean
}

/**
 * What a run is stored as that goes on with the transcript of one that is done: its own log begins with that transcript and
 * the last state document, and what the original was given counts where the options give nothing else. Calls, values and
 * decisions stay with the original. Throws a `UsageError` where the original takes no prompt, as the store has it now.
 */
export async function plannedAfter(
  core: AgentCore,
  { id: originalId, stored, adopts }: Original,
  prompt: Prompt,
  { runId, signal: _, ...given }: PromptOptions,
): Promise<PlannedRun> {
  const { clock, openRuns, ids, storesEvents } = core
  const input = { options: core.runOptions(given.quota), ...inputOf(prompt, clock.now()) }
  const details = storedDetails(given)
  openRuns.refuseIfClosed()
  const id = checkedId(runId ?? ids.next('run'))
  await stored
  const original = await core.store.read(originalId)
  if (original.record.agent !== core.name && !adopts) throw otherAgent(originalId, original.record.agent, core.name)
  refuseUnlessDone(original)
  openRuns.refuseIfClosed()
  const carried = carriedFrom(original.log)
  const kept = {
    ...input,
    ...inherited(original, given.history),
    ...details,
    parentRunId: originalId,
    continuation: { kind: 'default' },
    ...(carried.length === 0 ? {} : { carried: carried.length }),
    ...(storesEvents ? { events: 'stored' } : {}),
  }
  return { id, input: kept as unknown as Json, carried }
}

function refuseUnlessDone({ record: { id, status } }: StoredRun): void {
  switch (status) {
    case 'done':
      return
    case 'running': {
      const wish =
        'Say it with steer() for the next turn, with followUp() for when the run would end, or wait for settled().'
      throw new UsageError('run_busy', `Run "${id}" is running, and a prompt begins a new run. ${wish}`)
    }
    case 'waiting': {
      const wish =
        'Answer its calls with decide(), keep a message for it with steer() or followUp(), or end it with cancel().'
      throw new UsageError('run_waiting', `Run "${id}" waits for decisions, and a prompt begins a new run. ${wish}`)
    }
  }
}

/** The transcript as it is shown, each result in its call's place, and the last state document; numbered from 1. */
function carriedFrom(log: readonly LogEntry[]): readonly LogEntry[] {
  const messages = shownIn(log).map(({ message }, index): LogEntry => ({ kind: 'message', seq: index + 1, message }))
  const state = log.findLast((entry) => entry.kind === 'state')
  return freezeDeep(state === undefined ? messages : [...messages, { ...state, seq: messages.length + 1 }])
}

/** What the original was given at its start and a run that goes on keeps; model calls are granted to one run alone. */
function inherited({ record: { id }, input }: StoredRun, history: boolean | undefined): JsonObject {
  const { subject, accessControl, delegatedBy, labels, history: hasHistory = false } = detailsIn(id, input)
  return {
    subject,
    ...(accessControl === undefined ? {} : { accessControl }),
    ...(delegatedBy === undefined ? {} : { delegatedBy }),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    ...(hasHistory && history === undefined ? { history: true } : {}),
  }
}
