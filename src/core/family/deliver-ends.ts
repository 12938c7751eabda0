import type { CallRecord } from '../domain/call.ts'
import { childCancel, childEnded, type FamilyLink, familyIn } from '../domain/family-link.ts'
import { failItem, markSent, type OutgoingRow, takeItems } from '../domain/outgoing.ts'
import { isRecord } from '../domain/text/json.ts'
import { StoreError } from '../domain/store-error.ts'
import { thrownText } from '../domain/text/thrown-text.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'

const atOnce = 32
const holdMs = 10_000

/** Where the messages of a family are delivered. */
export interface Delivering {
  readonly store: Store
  readonly clock: Clock
  /** Is told each child that was cancelled. Default: nobody, because a worker finds the child. */
  readonly cancelled?: (childRunId: string) => unknown
}

/**
 * Resumes the calls whose children have ended, and cancels the children of calls that were cancelled. Both messages are
 * stored with their cause, so any process may deliver them.
 */
export async function deliverEnds({ store, clock, cancelled }: Delivering): Promise<void> {
  for (;;) {
    const now = clock.now()
    const rows = await store.change(takeItems({ kinds: [childEnded, childCancel], now, limit: atOnce, holdMs }))
    for (const row of rows) {
      try {
        const isCancelled = await deliver(store, row, now)
        await store.change(markSent(row.key))
        if (isCancelled) cancelled?.(row.destination)
      } catch (error) {
        await store.change(failItem(row, { problem: thrownText(error), until: now + holdMs }))
      }
    }
    if (rows.length < atOnce) return
  }
}

/** A run that has ended, or that is gone, needs no message. Returns true if a child was cancelled. */
async function deliver(store: Store, { id, kind, runId, destination, body }: OutgoingRow, now: number) {
  const callId = isRecord(body) ? body['callId'] : undefined
  if (typeof callId !== 'string') return false
  try {
    if (kind === childEnded) await wake(store, destination, callId, id, now)
    else return await cancelChild(store, destination, { parentRunId: runId, callId }, now)
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'run_unknown') throw error
  }
  return false
}

/** Cancels the child of a call, and no other run. */
export async function cancelChild(
  store: Store,
  child: string,
  parent: Pick<FamilyLink, 'parentRunId' | 'callId'>,
  now: number,
): Promise<boolean> {
  const link = familyIn(await store.input(child))
  if (link?.parentRunId !== parent.parentRunId || link.callId !== parent.callId) return false
  await store.post(child, { kind: 'cancel' }, now)
  return true
}

/** Has a call look at its child again. The same reason wakes a call once. */
export async function wake(store: Store, runId: string, callId: string, why: string, now: number): Promise<void> {
  const decisionId = `family:${why}`
  await store.decide(runId, [{ target: callId, action: 'resume', mode: 'replay', decisionId, by: 'family' }], now)
}

/** Returns the child that a suspended call waits for, or undefined for another call. */
export function childOf({ status, suspension }: CallRecord): string | undefined {
  if (status !== 'suspended' || suspension?.reason !== 'subAgent' || !isRecord(suspension.parameters)) return undefined
  const { childRunId } = suspension.parameters
  return typeof childRunId === 'string' ? childRunId : undefined
}
