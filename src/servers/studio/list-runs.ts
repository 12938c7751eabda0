import type { DamagedRun, ListedRun, RunFilter } from '../../ports.ts'
import { type Store, StoreError } from '../../index.ts'

/** A page of runs; one that nobody drives although it is running is `stopped`. */
export interface ListedPage {
  readonly runs: readonly (DamagedRun | (ListedRun & { readonly isStopped: boolean }))[]
  readonly hasMore: boolean
}

const mostListed = 200

/** The newest runs of a store, a page at a time. */
export async function listRuns(store: Store, filter: Omit<RunFilter, 'limit'>): Promise<ListedPage> {
  const found = await store.list({ ...filter, limit: mostListed })
  const runs = await Promise.all(found.map((run) => listedRun(store, run)))
  return { runs: runs.filter((run) => run !== undefined), hasMore: found.length === mostListed }
}

/** Returns undefined for a run that was deleted meanwhile. */
async function listedRun(store: Store, run: ListedRun | DamagedRun) {
  if ('damaged' in run) return run
  try {
    const isDriven = run.status !== 'running' || (await store.record(run.id)).isDriven
    return { ...run, isStopped: !isDriven }
  } catch (error) {
    if (error instanceof StoreError && error.code === 'run_unknown') return undefined
    throw error
  }
}
