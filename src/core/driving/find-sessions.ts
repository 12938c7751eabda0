import { cursorOf, placeBefore } from '../domain/list-cursor.ts'
import { damageOf, type FoundRow } from '../domain/records/found-records.ts'
import { rowOf, rowsOf, type RowsRead } from '../domain/records/record-read.ts'
import {
  metadataKind,
  removeSession,
  sessionIn,
  sessionKind,
  sessionReads,
  storedSession,
} from '../domain/session-record.ts'
import type { StoredSession } from '../domain/session-state.ts'
import { type FoundLease, StoreError } from '../domain/store-error.ts'
import type { DeletedRuns } from '../ports/commit.ts'
import type { Records } from '../ports/records.ts'
import type { DeleteRunOptions } from './delete-run.ts'
import type { Store } from '../ports/store.ts'
import type { DamagedSession, ListedSession, SessionFilter } from '../ports/store-lists.ts'
import { checkRecords } from './check-records.ts'

/** Options for deleting a session that other runs read. */
export interface DeleteSessionOptions extends DeleteRunOptions {
  /** `refuse` (default): `session_is_read`. `keep`: what they read stays for them alone, until the last of them is deleted. */
  readonly whereRead?: 'refuse' | 'keep'
}

/** The number of sessions that are read at once for a filter. */
const pageSize = 500

/** Finds a session; undefined if none of that id is stored. */
export async function findSession(store: Records, id: string): Promise<StoredSession | undefined> {
  checkRecords(store, 'findSession')
  return sessionIn(await store.records(sessionReads(id)), id)
}

/** Lists sessions, the last active first. One that is active meanwhile moves to the front, so that later pages may lack it. */
export async function listSessions(
  store: Records,
  filter: SessionFilter = {},
): Promise<readonly (ListedSession | DamagedSession)[]> {
  checkRecords(store, 'listSessions')
  const { agent, limit = 100 } = filter
  const rows: FoundRow[] = []
  for (let page: RowsRead | undefined = sessionsRead(filter); page !== undefined && rows.length < limit;) {
    const found = await store.records([page])
    const read = found.raw(page)
    rows.push(...read.filter(({ body }) => !sessionKind.isBody(body) || (agent ?? body.agent) === body.agent))
    const last: FoundRow | undefined = read.length < page.limit ? undefined : read.at(-1)
    page = last && { ...page, behind: [last.raised ?? 0, last.number] }
  }
  const listed = rows.slice(0, Math.max(limit, 0))
  const metadata = await store.records(listed.map(({ key }) => rowOf(metadataKind, key)))
  return listed.map((row) => {
    const cursor = cursorOf({ time: row.raised ?? 0, number: row.number })
    try {
      const { body } = row
      if (!sessionKind.isBody(body)) throw damageOf(sessionKind, row.key)
      return { ...storedSession({ ...row, body }, metadata.row(metadataKind, row.key)?.body), cursor }
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'record_damaged') throw error
      return { id: row.key, damaged: error.message, cursor }
    }
  })
}

/**
 * Deletes a session with all its runs, and the runs that work for these; refused with `run_is_driven` while a live lease holds
 * one of them, and with `run_waiting` where one that works for another is open, unless `cancel` is true. `found` frees expired
 * leases of its runs, as it does in `Store.delete`.
 */
export async function deleteSession(
  store: Store,
  id: string,
  { whereRead = 'refuse', cancel = false }: DeleteSessionOptions = {},
  found: readonly FoundLease[] = [],
): Promise<DeletedRuns> {
  checkRecords(store, 'deleteSession')
  const { deleteWithFamilies } = await import('./delete-run.ts')
  const runs = await store.list({ session: id, limit: Number.MAX_SAFE_INTEGER })
  const deleteRuns = () => store.delete({ session: id, whereRead, records: [removeSession(id)] }, found)
  return deleteWithFamilies(
    store,
    runs.map((run) => run.id),
    { cancel },
    deleteRuns,
  )
}

function sessionsRead({ agent, subject, before, limit = 100 }: SessionFilter): RowsRead {
  const { time, number } = placeBefore(before)
  const behind = before === undefined ? {} : { behind: [time, number] }
  const isOfTwo = agent !== undefined && subject !== undefined
  const page = { limit: isOfTwo ? pageSize : Math.max(limit, 0), ...behind }
  if (subject !== undefined) return rowsOf(sessionKind, { index: 'subject', values: [subject], ...page })
  if (agent !== undefined) return rowsOf(sessionKind, { index: 'agent', values: [agent], ...page })
  return rowsOf(sessionKind, { index: 'active', values: [], ...page })
}
