import type { FoundLease } from '../domain/store-error.ts'
import type { DeletedRuns } from '../ports/commit.ts'
import type { Store } from '../ports/store.ts'
import type { DeleteRunOptions, DeleteSessionOptions, PruneOptions } from './delete-families.ts'

const load = () => import('./delete-families.ts')

/**
 * Deletes a run, in one write, with the runs that work for it: its sub-agents, branches and background work, at every level,
 * and the runs that its conversation was handed over to outside sessions. Rejects with `run_is_driven` while a process drives
 * one of them, with `run_waiting` if one of them is open, unless `cancel` is true, and with `bad_run_id` for a run that works
 * for another one. `found` frees expired leases, as it does in `Store.delete`.
 */
export async function deleteRun(
  store: Store,
  runId: string,
  options?: DeleteRunOptions,
  found?: readonly FoundLease[],
): Promise<DeletedRuns> {
  return (await load()).deleteRun(store, runId, options, found)
}

/**
 * Deletes a session, in one write, with all its runs, and the runs that work for these; refused with `run_is_driven` while a
 * live lease holds one of them, and with `run_waiting` where one that works for another is open, unless `cancel` is true.
 * `found` frees expired leases of these runs, as it does in `Store.delete`.
 */
export async function deleteSession(
  store: Store,
  id: string,
  options?: DeleteSessionOptions,
  found?: readonly FoundLease[],
): Promise<DeletedRuns> {
  return (await load()).deleteSession(store, id, options, found)
}

/**
 * Deletes finished runs that have not changed since a time, and returns their ids. Never deletes waiting, driven or
 * damaged runs. A run is deleted with all runs that work for it, once none of them has changed since. Then sessions
 * without runs that were not active since are also deleted.
 */
export async function pruneRuns(store: Store, options: PruneOptions): Promise<readonly string[]> {
  return (await load()).pruneRuns(store, options)
}
