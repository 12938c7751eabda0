import type { Store } from '../ports/store.ts'
import type { PruneOptions } from './prune-families.ts'

/**
 * Deletes finished runs that have not changed since; returns their ids. Runs that wait, that somebody drives or that
 * are damaged are never deleted. A run goes with all runs that work for it, once none of them has changed since. Sessions
 * that then have no run, and were not active since, go too.
 */
export async function pruneRuns(store: Store, options: PruneOptions): Promise<readonly string[]> {
  return (await import('./prune-families.ts')).pruneFamilies(store, options)
}
