import { rootIdOf } from '../domain/family-link.ts'
import type { RunRecord } from '../domain/run-record.ts'
import { removeIdleSession } from '../domain/session-record.ts'
import { ifReadable, isRefusal } from '../domain/store-error.ts'
import { checkOptions, number, optional, type OptionShape } from '../domain/text/option-shape.ts'
import { UsageError } from '../domain/text/usage-error.ts'
import type { Store } from '../ports/store.ts'
import { deleteRun } from './delete-run.ts'
import { findSession, listSessions } from './find-sessions.ts'

/** A filter of the finished runs that `pruneRuns` deletes. */
export interface PruneOptions {
  /** Unix milliseconds: runs last changed before it go. */
  readonly before: number
  /** The number of deleted runs after which no family begins to go. Default: no maximum. */
  readonly limit?: number
}

const pageSize = 1000

const shape: OptionShape<PruneOptions> = {
  before: number('finite Unix milliseconds', Number.isFinite),
  limit: optional(number('a number of 0 or more', (value) => value >= 0)),
}

/** Deletes what `pruneRuns` says. */
export async function pruneFamilies(store: Store, options: PruneOptions): Promise<readonly string[]> {
  checkOptions('pruneRuns', options, shape)
  const { before, limit = Number.POSITIVE_INFINITY } = options
  const pruned: string[] = []
  const kept = new Set<string>()
  for (;;) {
    // Kept runs are listed again, so each list is longer by their number.
    const listed = await store.list({ status: 'done', updatedBefore: before, limit: pageSize + kept.size })
    const runs = listed.filter(({ id }) => !kept.has(id))
    if (runs.length === 0) break
    for (const run of runs) {
      if (pruned.length >= limit) return pruned
      const gone = 'damaged' in run ? [] : await pruneFamily(store, run, before)
      if (gone.length > 0) pruned.push(...gone)
      else kept.add(run.id)
    }
  }
  await pruneSessionsOf(store, before)
  return pruned
}

/** Deletes each session separately, and only if none of its runs has begun meanwhile. */
async function pruneSessionsOf(store: Store, before: number): Promise<void> {
  for (let place: string | undefined; ;) {
    const page = await listSessions(store, { limit: pageSize, ...(place === undefined ? {} : { before: place }) })
    place = page.at(-1)?.cursor
    for (const session of page) {
      if ('damaged' in session || (session.lastActivity ?? session.createdAt) >= before) continue
      // A run that is begun meanwhile changes the version.
      if ((await store.list({ session: session.id, limit: 1 })).length > 0) continue
      await store.change(removeIdleSession(session.id, session.version, before))
    }
    if (page.length < pageSize) return
  }
}

/**
 * Deletes a finished run with the runs that work for it, and returns their ids. Skips a run that is driven or already gone, one
 * that works for a stored run, and one that an open or newer run works for.
 */
async function pruneFamily(store: Store, { id, session }: RunRecord, before: number): Promise<readonly string[]> {
  if (await isCharged(store, id, session)) return []
  try {
    return (await deleteRun(store, id, { before })).runs
  } catch (error) {
    if (error instanceof UsageError || isRefusal(error, 'run_is_driven', 'run_unknown')) return []
    throw error
  }
}

/** Returns true for a run whose account pays for the open run of its session. */
async function isCharged(store: Store, runId: string, session: string | undefined): Promise<boolean> {
  const active = session === undefined ? undefined : (await findSession(store, session))?.active?.runId
  return active !== undefined && active !== runId && rootIdOf(active, await ifReadable(store.input(active))) === runId
}
