import type { MarkEntry } from '../domain/log.ts'
import { tried } from '../domain/ignore-throws.ts'
import type { Commit, Store } from '../ports/store.ts'
import type { RunTrace, TracedWait } from '../ports/tracer.ts'
import type { LiveRun } from './live-run.ts'

/** The number of entries that one read of the store returns. */
const entriesAtOnce = 200

interface WaitSources {
  readonly runId: string
  readonly store: Pick<Store, 'entries'>
  readonly live: Pick<LiveRun, 'log' | 'inbox'>
}

/**
 * Reports each wait that a stored commit has ended to the tracer. The store has the times, because another process may
 * have suspended the call. If the store fails, the wait is not traced.
 */
export async function traceWaits(
  trace: RunTrace,
  { runId, append }: Pick<Commit, 'runId' | 'append'>,
  sources: Omit<WaitSources, 'runId'>,
): Promise<void> {
  if (tried(() => typeof trace.waited) !== 'function') return
  for (const entry of append) {
    const wait =
      entry.kind === 'mark' ? await waitUntil(entry, { ...sources, runId }).catch(() => undefined) : undefined
    if (wait !== undefined) tried(() => trace.waited?.(wait))
  }
}

/** Returns the wait that a mark ends: by a decision, or because its call is cancelled without one. */
async function waitUntil(end: MarkEntry, from: WaitSources): Promise<TracedWait | undefined> {
  const { event, at } = end
  if (event?.type !== 'call.decided' && (event?.type !== 'call.settled' || event.status !== 'cancelled')) return
  const call = from.live.log.call(event.callId)
  if (call?.suspension === undefined) return
  const wait = await waitBefore(end.seq, { callId: call.callId, after: call.seq }, from)
  if (wait === undefined || event.type === 'call.settled') return wait && { ...wait, endedAt: at }
  const { action, by, decisionId } = event
  const decision = await from.live.inbox.decision(decisionId)
  return { ...wait, endedAt: decision?.at ?? at, decision: { action, ...(by === undefined ? {} : { by }) } }
}

/** Returns the call's wait that is open at a number of the log; undefined without one. */
async function waitBefore(
  end: number,
  { callId, after }: { readonly callId: string; readonly after: number },
  { runId, store }: WaitSources,
): Promise<Omit<TracedWait, 'endedAt'> | undefined> {
  let open: Omit<TracedWait, 'endedAt'> | undefined
  for (let last: number | undefined = after; last !== undefined;) {
    const entries = await store.entries(runId, last, entriesAtOnce)
    for (const entry of entries) {
      if (entry.seq >= end) return open
      if (entry.kind !== 'mark') continue
      const { event, at } = entry
      if (event?.type === 'call.decided' && event.callId === callId) open = undefined
      if (event?.type === 'call.suspended' && event.call.callId === callId) open = { call: event.call, startedAt: at }
    }
    last = entries.at(-1)?.seq
  }
  return open
}
