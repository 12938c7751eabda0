import type { Decision } from '../domain/decision.ts'
import { type CallRecord, isTerminal } from '../domain/call.ts'
import {
  childEnded,
  familyDecision,
  familyKinds,
  type FamilyLink,
  familyIn,
  mostLevels,
  runHandedOver,
} from '../domain/family-link.ts'
import type { PostedItem, PostReceipt } from '../domain/inbox.ts'
import { failItem, markSent, type OutgoingRow, takeItems } from '../domain/outgoing.ts'
import { isRecord, type Json } from '../domain/text/json.ts'
import { ifStored, StoreError } from '../domain/store-error.ts'
import { thrownText } from '../domain/text/thrown-text.ts'
import type { Clock } from '../ports/clock.ts'
import { workerOf } from '../driving/worker-of.ts'
import type { Store } from '../ports/store.ts'
import { type BeginForResults, deliverResult, LeftToWorkers } from './deliver-results.ts'

const atOnce = 32
const holdMs = 10_000
/** Milliseconds until a running call is notified again that its child has ended. */
const againMs = 500

/** The destination of a family's messages. */
export interface Delivering {
  readonly store: Store
  readonly clock: Clock
  /** Called with each cancelled child. Default: a worker finds the child. */
  readonly cancelled?: (childRunId: string) => unknown
  /** Begins a run for results of background work. Default: the results are left to workers. */
  readonly begin?: BeginForResults
  /** Continues a run's conversation after a hand-over. Default: workers do. */
  readonly handOver?: (runId: string) => Promise<unknown>
}

/**
 * Resumes the calls whose children have ended, delivers the results of background work, and cancels the children of
 * cancelled calls. These messages are stored with their cause, so any process may deliver them.
 */
export async function deliverEnds({ store, clock, cancelled, begin, handOver }: Delivering): Promise<void> {
  for (let left = 0; left === 0;) {
    const now = clock.now()
    const rows = await store.change(takeItems({ kinds: familyKinds, now, limit: atOnce, holdMs }))
    for (const row of rows) {
      try {
        if (row.kind === runHandedOver && handOver === undefined) throw new LeftToWorkers('A worker continues.')
        const isHandover = row.kind === runHandedOver
        const isCancelled = isHandover ? false : await deliver(store, row, now, begin)
        if (isHandover) await handOver?.(row.destination)
        await store.change(markSent(row.key))
        if (isCancelled) cancelled?.(row.destination)
      } catch (error) {
        const isLeft = error instanceof LeftToWorkers
        left += Number(isLeft)
        const pauseMs = error instanceof NotWaiting ? againMs : holdMs
        await store.change(failItem(row, { problem: thrownText(error), until: isLeft ? now : now + pauseMs }))
      }
    }
    if (rows.length < atOnce) return
  }
}

/** A run that has ended, or that is gone, needs no message. Returns true if a child was cancelled. */
async function deliver(
  store: Store,
  { id, kind, runId, destination, body }: OutgoingRow,
  now: number,
  begin: BeginForResults | undefined,
) {
  const { callId, child, isBackground } = isRecord(body) ? body : {}
  const send = (to: string, item: PostedItem) => store.post(to, item, now)
  if (typeof callId !== 'string') return false
  try {
    if (kind === childEnded && isBackground === true)
      await deliverResult(
        store,
        { parentRunId: destination, callId, childRunId: typeof child === 'string' ? child : runId },
        send,
        begin,
      )
    else if (kind === childEnded) await tellEnd(store, destination, callId, id, now)
    else return (await cancelChild(store, destination, { parentRunId: runId, callId }, now)) !== undefined
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'run_unknown') throw error
  }
  return false
}

class NotWaiting extends Error {
  override message = 'The call does not wait yet.'
}

/**
 * A call that runs may have looked at its child before the end, so that the message stays until the call has settled. The
 * wake is a duplicate then if an answer to a question of the child has the call run.
 */
async function tellEnd(store: Store, runId: string, callId: string, why: string, now: number): Promise<void> {
  const call = (await store.calls(runId, [callId])).find(({ record }) => record.callId === callId)
  if (call === undefined || isTerminal(call.record.status)) return
  const answer = await wake(store, runId, callId, why, now)
  if (answer === 'stale' || answer === 'duplicate') throw new NotWaiting()
}

/** Cancels the child of a call. Returns undefined for any other run. */
export async function cancelChild(
  store: Store,
  child: string,
  parent: Pick<FamilyLink, 'parentRunId' | 'callId'>,
  now: number,
): Promise<PostReceipt | undefined> {
  const link = familyIn(await storedInput(store, child))
  if (link?.parentRunId !== parent.parentRunId || link.callId !== parent.callId) return undefined
  const { id = child } = (await workerOf(store, child)) ?? {}
  return store.post(id, { kind: 'cancel' }, now)
}

/** Wakes a call, so that it checks its child again. The same reason wakes a call once. */
export function wake(store: Store, runId: string, callId: string, why: string, now: number) {
  return decideWithin(store, runId, { target: callId, action: 'resume', mode: 'replay' }, why, now)
}

/** Stores a decision of the engine about a member's call. The same reason decides once. */
export async function decideWithin(
  store: Store,
  runId: string,
  decision: Pick<Decision, 'target' | 'action' | 'mode'>,
  why: string,
  now: number,
) {
  const item = { ...decision, decisionId: `${familyDecision}${why}`, by: 'family' }
  const [receipt] = await store.decide(runId, [item], now)
  return receipt?.answer
}

/** Returns the child that a suspended call waits for, or undefined for another call. */
export function childOf(call: CallRecord): string | undefined {
  return call.status === 'suspended' ? childOnceOf(call) : undefined
}

/** Returns the child that a call waits for, or waited for when it was suspended last. */
export function childOnceOf({ suspension }: CallRecord): string | undefined {
  if (suspension?.reason !== 'subAgent' || !isRecord(suspension.parameters)) return undefined
  const { childRunId } = suspension.parameters
  return typeof childRunId === 'string' ? childRunId : undefined
}

/** Returns the input of a stored run, or undefined for a run that is gone. */
export function storedInput(store: Store, runId: string): Promise<Json | undefined> {
  return ifStored(store.input(runId))
}

/** Returns the links of a member up to the root of its family, the nearest first; empty for a run that is not a member. */
export async function linksAbove(store: Store, memberId: string): Promise<readonly FamilyLink[]> {
  const links: FamilyLink[] = []
  let runId = memberId
  while (links.length < mostLevels) {
    const link = familyIn(await storedInput(store, runId))
    if (link === undefined) break
    links.push(link)
    runId = link.parentRunId
  }
  return links
}
