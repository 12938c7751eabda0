import { cursorOf, placeBefore } from '../domain/list-cursor.ts'
import { damageOf, type FoundRow } from '../domain/records/found-records.ts'
import { rowOf, rowsOf, type RowsRead } from '../domain/records/record-read.ts'
import { metadataKind, sessionIn, sessionKind, sessionReads, storedSession } from '../domain/session-record.ts'
import type { StoredSession } from '../domain/session-state.ts'
import { StoreError } from '../domain/store-error.ts'
import type { Records } from '../ports/records.ts'
import type { DamagedSession, ListedSession, SessionFilter } from '../ports/store-lists.ts'
import { checkRecords } from './check-records.ts'

/** The number of sessions that are read at once for a filter. */
const pageSize = 500

/** Returns the session with this id, or undefined if it is not stored. */
export async function findSession(store: Records, id: string): Promise<StoredSession | undefined> {
  checkRecords(store, 'findSession')
  return sessionIn(await store.records(sessionReads(id)), id)
}

/**
 * Lists sessions, the most recently active first. A session that becomes active meanwhile moves to the front, so that
 * later pages may lack it.
 */
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

function sessionsRead({ agent, subject, before, limit = 100 }: SessionFilter): RowsRead {
  const { time, number } = placeBefore(before)
  const behind = before === undefined ? {} : { behind: [time, number] }
  const isOfTwo = agent !== undefined && subject !== undefined
  const page = { limit: isOfTwo ? pageSize : Math.max(limit, 0), ...behind }
  if (subject !== undefined) return rowsOf(sessionKind, { index: 'subject', values: [subject], ...page })
  if (agent !== undefined) return rowsOf(sessionKind, { index: 'agent', values: [agent], ...page })
  return rowsOf(sessionKind, { index: 'active', values: [], ...page })
}
