import { rootIdOf } from '../domain/family-link.ts'
import type { RunRecord } from '../domain/run-record.ts'
import { ifReadable, isRefusal } from '../domain/store-error.ts'
import { UsageError } from '../domain/text/usage-error.ts'
import type { Store } from '../ports/store.ts'
import { deleteRun, rootAbove } from './delete-run.ts'
import { findSession } from './find-sessions.ts'
import { runsBelow } from './runs-below.ts'

/**
 * Deletes a finished run with the runs that work for it, and returns their ids. Skips a run that is driven or already gone, one
 * that works for a stored run, and one that an open or newer run works for.
 */
export async function pruneFamily(
  store: Store,
  { id, session }: RunRecord,
  before: number,
): Promise<readonly string[]> {
  if ((await rootAbove(store, id)) !== undefined || (await isCharged(store, id, session))) return []
  for (const member of await runsBelow(store, id)) {
    const record = await ifReadable(store.record(member))
    if (record !== undefined && (record.status !== 'done' || record.updatedAt >= before)) return []
  }
  try {
    return (await deleteRun(store, id)).runs
  } catch (error) {
    if (
      isRefusal(error, 'run_is_driven', 'run_unknown') ||
      (error instanceof UsageError && error.code === 'run_waiting')
    )
      return []
    throw error
  }
}

/** Returns true for a run whose account pays for the open run of its session. */
async function isCharged(store: Store, runId: string, session: string | undefined): Promise<boolean> {
  const active = session === undefined ? undefined : (await findSession(store, session))?.active?.runId
  return active !== undefined && active !== runId && rootIdOf(active, await ifReadable(store.input(active))) === runId
}
