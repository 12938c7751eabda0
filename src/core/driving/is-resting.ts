import { isRefusal } from '../domain/store-error.ts'
import { changingKinds } from '../domain/inbox.ts'
import type { Store } from '../ports/store.ts'

/** Returns true if a run waits or is done. A waiting run with a stored answer continues when it is driven. */
export async function isResting(store: Store, runId: string): Promise<boolean> {
  const { status, version } = await store.record(runId)
  if (status !== 'waiting') return status === 'done'
  // The answer may have been consumed between the two reads.
  return !(await hasNews(store, runId)) && (await store.record(runId)).version === version
}

/**
 * Returns true if an answer was sent to a waiting run, even between its commit of `waiting` and the release of its
 * lease.
 */
export async function hasNews(store: Store, runId: string): Promise<boolean> {
  const { status } = await store.record(runId)
  if (status !== 'waiting') return false
  const rows = await store.inbox(runId, { isOpen: true })
  return rows.some(({ item }) => changingKinds.has(item.kind))
}

/** Returns true if another process holds the lease of a run. */
export function isDrivenElsewhere(error: unknown): boolean {
  return isRefusal(error, 'run_is_driven')
}
