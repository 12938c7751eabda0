import type { CallRecord } from '../domain/call.ts'
import { childEnded } from '../domain/family-link.ts'
import { failItem, markSent, type OutgoingRow, takeItems } from '../domain/outgoing.ts'
import { isRecord } from '../domain/text/json.ts'
import { StoreError } from '../domain/store-error.ts'
import { thrownText } from '../domain/text/thrown-text.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'

const atOnce = 32
const holdMs = 10_000

/** Resumes the calls whose children have ended. An end is stored with the child, so any process may deliver it. */
export async function deliverEnds({ store, clock }: { readonly store: Store; readonly clock: Clock }): Promise<void> {
  for (;;) {
    const now = clock.now()
    const rows = await store.change(takeItems({ kinds: [childEnded], now, limit: atOnce, holdMs }))
    for (const row of rows) {
      try {
        await deliver(store, row, now)
        await store.change(markSent(row.key))
      } catch (error) {
        await store.change(failItem(row, { problem: thrownText(error), until: now + holdMs }))
      }
    }
    if (rows.length < atOnce) return
  }
}

/** A parent that has ended, or that is gone, needs no answer. */
async function deliver(store: Store, { id, destination, body }: OutgoingRow, now: number): Promise<void> {
  const callId = isRecord(body) ? body['callId'] : undefined
  if (typeof callId !== 'string') return
  try {
    await wake(store, destination, callId, id, now)
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'run_unknown') throw error
  }
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
