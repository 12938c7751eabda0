import { isSaidByUser, openReceipts } from '../domain/background.ts'
import type { SuspendedCall } from '../domain/call.ts'
import { addressOf } from '../domain/family-link.ts'
import type { PostReceipt } from '../domain/inbox.ts'
import { messagesIn } from '../domain/transcript-message.ts'
import type { AgentCore } from '../driving/agent-core.ts'
import { isOfLine, lateResults, type Work, workOf } from '../driving/late-results.ts'
import type { RunStanding } from '../driving/run-result.ts'
import { standingIn } from '../driving/stored-standing.ts'
import type { Store } from '../ports/store.ts'
import { cancelChild } from './deliver-ends.ts'
import { driveWork, openWork } from './open-work.ts'
import { withQuestions } from './route.ts'

/** Background work whose result the transcript of a run waits for. */
export interface BackgroundCall {
  readonly callId: string
  readonly toolName: string
  /** The run that does the work. */
  readonly childRunId: string
  /** `ended` and `cancelled`: the message about it has not been read yet. */
  readonly status: 'running' | 'waiting' | 'ended' | 'cancelled'
  /** The questions that the work waits for, as `<childRunId>/<callId>`. */
  readonly suspended: readonly SuspendedCall[]
}

/** Lists the background work whose results a run or its earlier runs wait for, in the order of the calls. */
export async function backgroundOf(store: Store, runId: string): Promise<readonly BackgroundCall[]> {
  const { record, input, log } = await store.read(runId)
  const listed: BackgroundCall[] = []
  for (const receipt of openReceipts(messagesIn(log))) {
    const work = await workOf(store, receipt)
    if (work === undefined || !(await isOfLine(store, { record, input }, work.parentRunId))) continue
    const { callId, toolName, childRunId } = receipt
    const suspended = work.status === 'waiting' ? await questionsIn(store, work.runId) : []
    listed.push({ callId, toolName, childRunId, status: statusOf(work), suspended })
  }
  return listed
}

/** Adds the messages about background work that wait for the next prompt to the state of an ended run. */
export async function withLateResults<Standing extends RunStanding>(
  store: Store,
  standing: Standing,
): Promise<Standing> {
  const late = await lateResults(store, await store.read(standing.runId))
  const { undelivered = [] } = standing
  return late.length === 0 ? standing : { ...standing, undelivered: [...undelivered.filter(isSaidByUser), ...late] }
}

/** Cancels the background work of a call. Returns undefined for a call without open work. */
export async function cancelWork(core: AgentCore, runId: string, callId: string): Promise<PostReceipt | undefined> {
  const { store, clock } = core
  const calls = (await store.calls(runId, [callId])).map(({ record }) => record)
  const [child] = await openWork(
    store,
    calls.filter((call) => call.callId === callId),
  )
  if (child === undefined) return undefined
  const receipt = await cancelChild(store, child, { parentRunId: runId, callId }, clock.now())
  if (receipt?.answer === 'applied') await driveWork(core, [child])
  return receipt && { ...receipt, target: callId }
}

function statusOf({ status, isCancelled }: Work): BackgroundCall['status'] {
  if (isCancelled) return 'cancelled'
  return status === 'done' ? 'ended' : status
}

async function questionsIn(store: Store, childRunId: string): Promise<readonly SuspendedCall[]> {
  const { suspended } = await withQuestions(store, await standingIn(store, childRunId))
  return suspended.map((call) => ({ ...call, callId: addressOf(childRunId, call.callId) }))
}
