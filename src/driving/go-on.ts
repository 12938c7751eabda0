import type { Json, JsonObject } from '../domain/json.ts'
import { detailsIn } from '../domain/run-details.ts'
import { UsageError } from '../domain/usage-error.ts'
import type { DriveRest } from '../runtime/drive-options.ts'
import type { StoredRun } from '../ports/store.ts'
import type { AgentCore } from './agent-core.ts'
import { checkedId, type PlannedRun } from './create-run.ts'
import { inputOf, type Prompt } from './read-prompt.ts'
import { otherAgent } from './run-driving.ts'
import { agentDetails, storedDetails } from './start-details.ts'
import type { PromptOptions } from './start-run.ts'

/** The run that is gone on from. */
export interface Original {
  readonly id: string
  /** Resolves once it is stored. */
  readonly stored: Promise<unknown>
  /** Goes on also where an agent of another name started it. */
  readonly adopts: boolean
  /** How this process has seen it end, while that is in memory. */
  readonly ended?: EndedRun | undefined
}

/** The end of a run, and when that run was created: another one may have its id meanwhile. */
export interface EndedRun {
  readonly createdAt: number
  readonly rest: WeakRef<DriveRest>
}

/**
 * What a run is stored as that goes on with the transcript of one that is done: it refers to that transcript, and what the
 * original was given counts where the options give nothing else. Calls, values and decisions stay with the original. Throws a `UsageError` where the original takes no prompt, as the store has it now.
 */
export async function plannedAfter(
  core: AgentCore,
  { id: originalId, stored, adopts, ended }: Original,
  prompt: Prompt,
  { runId, signal: _, ...given }: PromptOptions,
): Promise<PlannedRun> {
  const { clock, openRuns, ids } = core
  const input = { options: core.runOptions(given.quota), ...inputOf(prompt, clock.now()) }
  const details = storedDetails(given)
  openRuns.refuseIfClosed()
  const id = checkedId(runId ?? ids.next('run'))
  await stored
  const original = (await readFromMemory(core, originalId, ended)) ?? (await readStored(core, originalId))
  if (original.record.agent !== core.name && !adopts) throw otherAgent(originalId, original.record.agent, core.name)
  refuseUnlessDone(original)
  openRuns.refuseIfClosed()
  const { log, lastSeq: seq } = original
  const kept = {
    ...input,
    ...inherited(original, given.history),
    ...details,
    parentRunId: originalId,
    continuation: { kind: 'default' },
    ...(log.length === 0 ? {} : { carried: seq }),
    ...agentDetails(core),
  }
  const continues = { runId: originalId, seq }
  return { id, input: kept as unknown as Json, ...(log.length === 0 ? {} : { begun: { continues, log } }) }
}

/** The end of a run that this process has driven to it; undefined for any other rest. */
export function endOf(
  rest: DriveRest | undefined,
  { createdAt }: { readonly createdAt: number | undefined },
): EndedRun | undefined {
  return rest?.status === 'done' && createdAt !== undefined ? { createdAt, rest: new WeakRef(rest) } : undefined
}

/** What a prompt needs of the run it goes on from. */
interface ReadRun extends Pick<StoredRun, 'record' | 'input' | 'log'> {
  readonly lastSeq: number
}

/** A run that is done stays as it ended, so that its transcript need not be read again. */
async function readFromMemory(
  { store }: AgentCore,
  runId: string,
  ended: EndedRun | undefined,
): Promise<ReadRun | undefined> {
  const rest = ended?.rest.deref()
  if (rest === undefined) return undefined
  const record = await store.record(runId)
  if (record.status !== 'done' || record.createdAt !== ended?.createdAt) return undefined
  const { input, log, lastSeq } = rest
  return { record, input, log, lastSeq }
}

async function readStored({ store }: AgentCore, runId: string): Promise<ReadRun> {
  const { record, input, log, checkpoint } = await store.read(runId)
  return { record, input, log, lastSeq: Math.max(log.at(-1)?.seq ?? 0, checkpoint?.seq ?? 0) }
}

function refuseUnlessDone({ record: { id, status } }: ReadRun): void {
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

/** What the original was given at its start and a run that goes on keeps; model calls are granted to one run alone. */
function inherited({ record: { id }, input }: ReadRun, history: boolean | undefined): JsonObject {
  const { subject, accessControl, delegatedBy, labels, metadata, history: hasHistory = false } = detailsIn(id, input)
  return {
    subject,
    ...(accessControl === undefined ? {} : { accessControl }),
    ...(delegatedBy === undefined ? {} : { delegatedBy }),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(hasHistory && history === undefined ? { history: true } : {}),
  }
}
