import type { CallRecord } from '../domain/call.ts'
import { begunChild, childIdOf, familyIn, rootIdOf } from '../domain/family-link.ts'
import type { RunRecord } from '../domain/run-record.ts'
import { removeIdleSession, removeSession } from '../domain/session-record.ts'
import { type FoundLease, ifReadable, isRefusal, StoreError } from '../domain/store-error.ts'
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
  /** `refuse` (default): `session_is_read`. `keep`: what they read stays for them alone, until the last of them is deleted. */
  readonly whereRead?: 'refuse' | 'keep'
}

/** A filter of the finished runs that `pruneRuns` deletes. */
export interface PruneOptions {
  /** Unix milliseconds: runs last changed before it go. */
  readonly before: number
  /** The number of deleted runs after which no family begins to go. Default: no maximum. */
  readonly limit?: number
}

/** Deletes a run as `deleteRun` says, and with `before` only if its family has not changed since. */
export async function deleteRun(
  store: Store,
  runId: string,
  options: DeleteRunOptions & { readonly before?: number } = {},
  found: readonly FoundLease[] = [],
): Promise<DeletedRuns> {
  checkRecords(store, 'deleteRun')
  const { root } = familyIn(await ifReadable(store.input(runId))) ?? {}
  if (root !== undefined && (await ifReadable(store.input(root))) !== undefined)
    throw new UsageError('bad_run_id', `Run "${runId}" works for run "${root}". Delete that one, with its family.`)
  return deleteWithFamilies(store, [runId], options, () => store.delete(runId, found))
}

/** Deletes runs, and then the runs that work for them. Nothing is deleted where one of these is driven or open. */
async function deleteWithFamilies(
  store: Store,
  roots: readonly string[],
  { cancel = false, before = Infinity }: DeleteRunOptions & { readonly before?: number },
  deleteRoots: () => Promise<DeletedRuns>,
): Promise<DeletedRuns> {
  const below: string[] = []
  for (const root of roots) below.push(...(await runsOf(store, root)).slice(1))
  for (const runId of below) {
    const record = await ifReadable(store.record(runId))
    const found = `Nothing was deleted, because run "${runId}" of the family is`
    if (record?.isDriven === true)
      throw new StoreError('run_is_driven', `${found} driven by a process. Wait until it rests, or cancel its root.`)
    if (record !== undefined && !cancel && (record.status !== 'done' || record.updatedAt >= before))
      throw new UsageError('run_waiting', `${found} open. Answer or cancel it, or delete with cancel: true.`)
  }
  const { runs, readers } = await deleteRoots()
  const left = new Set(readers)
  for (const runId of below) {
    // A run that somebody has begun to drive meanwhile ends by itself.
    const member = await store.delete(runId).catch((error: unknown) => {
      if (!isRefusal(error, 'run_unknown', 'run_is_driven')) throw error
    })
    for (const reader of member?.readers ?? []) left.add(reader)
  }
  const gone = new Set([...runs, ...below])
  return { runs: [...gone], readers: [...left].filter((reader) => !gone.has(reader)) }
}

/** Deletes a session. */
export async function deleteSession(
  store: Store,
  id: string,
  { whereRead = 'refuse', cancel = false }: DeleteSessionOptions = {},
  found: readonly FoundLease[] = [],
): Promise<DeletedRuns> {
  checkRecords(store, 'deleteSession')
  const runs = await store.list({ session: id, limit: Number.MAX_SAFE_INTEGER })
  const deleteRuns = () => store.delete({ session: id, whereRead, records: [removeSession(id)] }, found)
  return deleteWithFamilies(
    store,
    runs.map((run) => run.id),
    { cancel },
    deleteRuns,
  )
}

const pageSize = 1000

const shape: OptionShape<PruneOptions> = {
  before: number('finite Unix milliseconds', Number.isFinite),
  limit: optional(number('a number of 0 or more', (value) => value >= 0)),
}

/** Prunes runs. */
export async function pruneRuns(store: Store, options: PruneOptions): Promise<readonly string[]> {
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

/** Returns the ids of the stored runs below a run: its children, and the runs of these. What cannot be read is left out. */
export async function runsBelow(store: Store, runId: string): Promise<readonly string[]> {
  const found: string[] = []
  for (const { record } of (await ifReadable(store.calls(runId))) ?? []) {
    const child = childOfCall(runId, record)
    if (child !== undefined && familyIn(await ifReadable(store.input(child)))?.parentRunId === runId)
      found.push(...(await runsOf(store, child)))
  }
  return found
}

/** Returns a run, all runs below it, and those of the run that it has handed its conversation over to outside sessions. */
export async function runsOf(store: Store, runId: string): Promise<readonly string[]> {
  const next = await ifReadable(nextSpeechOf(store, runId))
  return [runId, ...(await runsBelow(store, runId)), ...(next === undefined ? [] : await runsOf(store, next))]
}

/** The result of a cancelled call names no child, and neither do its steps. */
function childOfCall(runId: string, call: CallRecord): string | undefined {
  return (
    call.result?.childRunId ?? begunChild(call) ?? (call.status === 'cancelled' ? childIdOf(runId, call) : undefined)
  )
}
