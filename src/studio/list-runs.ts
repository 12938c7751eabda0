import type { DamagedRun, ListedRun, RunFilter, Store } from '../index.ts'

/** A page of runs; one that nobody drives although it is running is `stopped`. */
export interface ListedPage {
  readonly runs: readonly (DamagedRun | (ListedRun & { readonly isStopped: boolean }))[]
  readonly hasMore: boolean
}

/** Runs a page has. */
const mostListed = 200

/** The newest runs of a store, a page at a time. */
export async function listRuns(store: Store, filter: Omit<RunFilter, 'limit'>): Promise<ListedPage> {
  const found = await store.list({ ...filter, limit: mostListed })
  const runs = await Promise.all(
    found.map(async (run) => {
      if ('damaged' in run) return run
      const isDriven = run.status !== 'running' || (await store.isDriven(run.id))
      return { ...run, isStopped: !isDriven }
    }),
  )
  return { runs, hasMore: found.length === mostListed }
}
