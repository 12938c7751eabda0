import { childStart, familyIn, rootIdOf } from '../domain/family-link.ts'
import { outgoingKind } from '../domain/outgoing.ts'
import { rowsOf } from '../domain/records/record-read.ts'
import type { RunRecord } from '../domain/run-record.ts'
import { removeIdleSession, removeSession } from '../domain/session-record.ts'
import { type FoundLease, ifReadable, isRefusal } from '../domain/store-error.ts'
import { defined, isRecord } from '../domain/text/json.ts'
import { checkOptions, number, optional, type OptionShape } from '../domain/text/option-shape.ts'
import { UsageError } from '../domain/text/usage-error.ts'
import type { DeletedRuns } from '../ports/commit.ts'
import type { Store } from '../ports/store.ts'
import { checkRecords } from './check-records.ts'
import { findSession, listSessions } from './find-sessions.ts'
import { nextSpeechOf } from './worker-of.ts'

/** Options of the deletion of a run. */
export interface DeleteRunOptions {
  /** True to delete sub-agents' runs that are not done, too. Default false: they refuse the deletion with `run_waiting`. */
  readonly cancel?: boolean
}

/** Options for deleting a session that other runs read. */
export interface DeleteSessionOptions extends DeleteRunOptions {
  /**
   * `refuse` (default): `session_is_read`. `keep`: runs that read a deleted log keep it until the last of them is
   * deleted.
   */
  readonly whereRead?: 'refuse' | 'keep'
}

/** A filter of the finished runs that `pruneRuns` deletes. */
export interface PruneOptions {
  /** Unix milliseconds: runs last changed before it go. */
  readonly before: number
  /** The number of deleted runs after which no family begins to go. Default: no maximum. */
  readonly limit?: number
}

const all = Number.MAX_SAFE_INTEGER

/** Deletes a run with its family in one write, as `deleteRun` says, and with `before` only if its members have not changed since. */
export async function deleteRun(
  store: Store,
  runId: string,
  options: DeleteRunOptions & { readonly before?: number } = {},
  found: readonly FoundLease[] = [],
): Promise<DeletedRuns> {
  checkRecords(store, 'deleteRun')
  const input = await ifReadable(store.input(runId))
  const root = rootIdOf(runId, input)
  // In a session, the run after a hand-over is a run like any other.
  const isOther = familyIn(input) === undefined && isRecord(input) && input['session'] !== undefined
  if (root !== runId && !isOther && (await ifReadable(store.input(root))) !== undefined)
    throw new UsageError('bad_run_id', `Run "${runId}" works for run "${root}". Delete that one.`)
  const runs = await runsOf(store, runId)
  await refuseOpen(store, runs.slice(1), options)
  return store.delete(runs.length > 1 ? { runs } : runId, found)
}

/** Throws for the first of these members of a family that keeps it from being deleted. */
async function refuseOpen(
  store: Store,
  members: readonly string[],
  { cancel = false, before = Infinity }: DeleteRunOptions & { readonly before?: number },
): Promise<void> {
  if (cancel) return
  for (const runId of members) {
    const record = await ifReadable(store.record(runId))
    // The store refuses a run that is driven.
    if (record === undefined || record.isDriven || (record.status === 'done' && record.updatedAt < before)) continue
    const wish = 'Answer or cancel it, or delete with cancel: true.'
    throw new UsageError('run_waiting', `Run "${runId}" of the family is open, so nothing was deleted. ${wish}`)
  }
}

/** Deletes a session. */
export async function deleteSession(
  store: Store,
  id: string,
  { whereRead = 'refuse', ...options }: DeleteSessionOptions = {},
  found: readonly FoundLease[] = [],
): Promise<DeletedRuns> {
  checkRecords(store, 'deleteSession')
  const own = await store.list({ session: id, limit: all })
  const runs = await runsBelow(store, ...own.map((run) => run.id))
  await refuseOpen(store, runs, options)
  return store.delete({ session: id, runs, whereRead, records: [removeSession(id)] }, found)
}

const pageSize = 1000

const shape: OptionShape<PruneOptions> = {
  before: number('finite Unix milliseconds', Number.isFinite),
  limit: optional(number('a number of 0 or more', (value) => value >= 0)),
}

/** Prunes runs. */
export async function pruneRuns(store: Store, options: PruneOptions): Promise<readonly string[]> {
  checkOptions('pruneRuns', options, shape)
  const { before, limit = Infinity } = options
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
    const page = await listSessions(store, { limit: pageSize, ...defined({ before: place }) })
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
 * that works for a stored run, one that an open or newer run works for, and one whose account pays for the open run of its
 * session.
 */
async function pruneFamily(store: Store, { id, session }: RunRecord, before: number): Promise<readonly string[]> {
  const active = session === undefined ? undefined : (await findSession(store, session))?.active?.runId
  if (active !== undefined && active !== id && rootIdOf(active, await ifReadable(store.input(active))) === id) return []
  try {
    return (await deleteRun(store, id, { before })).runs
  } catch (error) {
    if (error instanceof UsageError || isRefusal(error, 'run_is_driven', 'run_unknown')) return []
    throw error
  }
}

/** Returns the ids of the stored runs below these runs: their children, and the runs of these. What cannot be read is left out. */
export async function runsBelow(store: Store, ...runIds: readonly string[]): Promise<readonly string[]> {
  const reads = runIds.map((id) => rowsOf(outgoingKind, { index: 'run', values: [id], isRising: true, limit: all }))
  const items = await store.records(reads)
  const found: string[] = []
  for (const { body } of reads.flatMap((read) => items.rows(outgoingKind, read))) {
    const { kind, destination: id, runId } = body
    if (kind === childStart && familyIn(await ifReadable(store.input(id)))?.parentRunId === runId)
      found.push(...(await runsOf(store, id)))
  }
  return found
}

/**
 * Returns a run, its descendants, and those of the run to which it has handed its conversation over outside sessions.
 */
export async function runsOf(store: Store, runId: string): Promise<readonly string[]> {
  const next = await ifReadable(nextSpeechOf(store, runId))
  return [runId, ...(await runsBelow(store, runId)), ...(next === undefined ? [] : await runsOf(store, next))]
}
