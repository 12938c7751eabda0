import { withoutUnawaited } from '../domain/background.ts'
import type { PostedItem, PostReceipt } from '../domain/inbox.ts'
import type { InputMessage, UserMessage } from '../domain/message.ts'
import { isRecord } from '../domain/text/json.ts'
import { messagesIn } from '../domain/transcript-message.ts'
import { findSession } from '../driving/find-sessions.ts'
import { endOfWork, isWell, backgroundItem, workOf } from '../driving/late-results.ts'
import type { Store } from '../ports/store.ts'

/** Begins the next run of a session of this agent for results of background work. Returns false if a run is active. */
export type BeginForResults = (agent: string, sessionId: string) => Promise<boolean>

/** A delivery that this process leaves to a worker. */
export class LeftToWorkers extends Error {}

/** The end of background work, as it leaves its run. */
export interface EndedWork {
  readonly parentRunId: string
  readonly callId: string
  readonly childRunId: string
}

/**
 * Delivers the result of background work to the run that asked for it, or to its session's active run. Without an
 * active run, a worker begins the next run of the session; otherwise the result waits for the next prompt. Cancelled
 * work has no result.
 */
export async function deliverResult(
  store: Store,
  { parentRunId, callId, childRunId }: EndedWork,
  send: (runId: string, item: PostedItem) => Promise<PostReceipt>,
  begin?: BeginForResults,
): Promise<void> {
  const calls = await store.calls(parentRunId, [callId])
  const toolName = calls.find(({ record }) => record.callId === callId)?.record.toolName
  const work = await workOf(store, { callId, childRunId })
  if (toolName === undefined || work === undefined) return
  const message = await endOfWork(store, { toolName, callId, childRunId }, work)
  if (message === undefined || work.isCancelled) return
  const post = async (runId: string) => (await send(runId, backgroundItem(message))).answer !== 'stale'
  if (await post(parentRunId)) return
  const { session } = await store.record(parentRunId)
  if (session === undefined) return
  for (;;) {
    const { active, lastRun } = (await findSession(store, session)) ?? {}
    const runId = active?.runId ?? lastRun
    if (runId === undefined) return
    const { isAwaited, agent, reason } = await standingFor(store, runId, message)
    if (!isAwaited || (active === undefined && !isWell(reason))) return
    if (active === undefined && begin === undefined) throw new LeftToWorkers('A worker begins a run for the result.')
    if (active !== undefined ? await post(runId) : await begin?.(agent, session)) return
  }
}

/** Returns whether the transcript of a run waits for a message, also if the run has not begun with its input. */
async function standingFor(store: Store, runId: string, message: UserMessage) {
  const { record, input, log } = await store.read(runId)
  const given = isRecord(input) && Array.isArray(input['messages']) ? input['messages'] : []
  const transcript = [...messagesIn(log), ...(given as unknown as readonly InputMessage[])]
  const isAwaited = withoutUnawaited(() => transcript, [message]).length > 0
  return { isAwaited, agent: record.agent, reason: record.doneReason }
}
