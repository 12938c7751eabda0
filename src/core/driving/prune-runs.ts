import { removeIdleSession } from '../domain/session-record.ts'
import { checkOptions, number, optional, type OptionShape } from '../domain/text/option-shape.ts'
import { listSessions } from './find-sessions.ts'
import type { Store } from '../ports/store.ts'

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

/**
 * Deletes finished runs that have not changed since; returns their ids. Runs that wait, that somebody drives or that
 * are damaged are never deleted. A run goes with all runs that work for it, once none of them has changed since. Sessions that then have no run, and were not active since, go too.
 */
export async function pruneRuns(store: Store, options: PruneOptions): Promise<readonly string[]> {
  checkOptions('pruneRuns', options, shape)
  const { before, limit = Number.POSITIVE_INFINITY } = options
  const { pruneFamily } = await import('./prune-family.ts')
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
