import { StoreError } from '../domain/store-error.ts'
import type { Store } from '../ports/store.ts'

export interface PruneOptions {
  /** Unix milliseconds: runs last changed before it go. */
  readonly before: number
  /** Unix milliseconds. Default: the computer's clock. */
  readonly now?: number
  /** Runs looked at. Default 1,000. */
  readonly limit?: number
}

/** Deletes finished runs that have not changed since; returns their ids. Runs that wait are never deleted. */
export async function pruneRuns(store: Store, options: PruneOptions): Promise<readonly string[]> {
  const { before, now = Date.now(), limit = 1000 } = options
  const runs = await store.list({ status: 'done', limit })
  const pruned: string[] = []
  for (const run of runs) {
    if ('damaged' in run || run.updatedAt >= before) continue
    if (await deleted(store, run.id, now)) pruned.push(run.id)
  }
  return pruned
}

/** A run somebody drives, or that is gone already, is left alone. */
async function deleted(store: Store, runId: string, now: number): Promise<boolean> {
  try {
    await store.delete(runId, now)
    return true
  } catch (error) {
    if (error instanceof StoreError && (error.code === 'run_is_driven' || error.code === 'run_unknown')) return false
    throw error
  }
}
