import { checkedSession, type SessionState, type StoredSession } from '../../../core/domain/session-state.ts'
import { type FoundLease, StoreError } from '../../../core/domain/store-error.ts'
import type { DeletedSession, DeleteSessionOptions, SessionChange } from '../../../core/ports/session-rows.ts'
import type { DamagedSession, ListedSession, SessionFilter } from '../../../core/ports/store-lists.ts'
import { number, optionalNumber, optionalText, type SqlRow, text } from '../../../core/stores/rows/columns.ts'
import { decodeSession, keptSession, type SessionRow } from '../../../core/stores/rows/decode-session.ts'
import { stringifyJson } from '../../../core/stores/rows/json-text.ts'
import { cursorOf } from '../../../core/stores/rows/list-cursor.ts'
import { foundOf } from '../../../core/stores/rows/lease-rules.ts'
import { sessionConflict, sessionIsRead, sessionUnknown } from '../../../core/stores/rows/store-errors.ts'
import { limitOf, placeValues } from './list-values.ts'
import type { Session, Sql, SqlValue } from './session.ts'
import { lockTranscripts } from './transcripts.ts'

/** Changes that one session may have: what lies between the versions of two. */
const mostChanges = 2 ** 24

const lockHead = 'SELECT number, changes, state, metadata, last_run FROM @.sessions WHERE id = $1 FOR UPDATE'
const insertSession = `
  INSERT INTO @.sessions (id, agent, subject, created_at, active_at, last_run, state, metadata, changes)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 1) ON CONFLICT (id) DO NOTHING RETURNING number`
const updateSession = `
  UPDATE @.sessions SET agent = $2, subject = $3, created_at = $4, active_at = greatest(active_at, $5::float8), last_run = $6,
    state = $7, metadata = $8, changes = changes + 1
  WHERE id = $1`

/** A change of a session inside a transaction, which gives the new version. */
type Change = (sql: Sql, isRepeat?: boolean) => Promise<number>

/** What stores a state, and that of the session it is rotated from, inside a transaction; gives the version of the first. */
export function sessionChange(
  state: SessionState,
  expected: number,
  activeAt?: number,
  rotatedFrom?: SessionChange,
): Change {
  const change = changeOf(state, expected, activeAt)
  if (rotatedFrom === undefined) return change
  const other = changeOf(rotatedFrom.state, rotatedFrom.expected)
  return async (sql, isRepeat) => {
    const version = await change(sql, isRepeat)
    await other(sql, isRepeat)
    return version
  }
}

/**
 * Whether it can be stored at all is found before. A change that may be stored already is, where the next version holds the
 * same.
 */
function changeOf(given: SessionState, expected: number, activeAt?: number): Change {
  const checked = checkedSession(given)
  const { id, agent, subject = null, createdAt, lastRun = null, counters, runs, queued } = checked
  const state = stringifyJson({ counters, runs, queued }, `The state of session "${id}"`)
  const metadata = stringifyJson(checked.metadata, `The metadata of session "${id}"`)
  const values = [id, agent, subject, createdAt, activeAt ?? null, lastRun, state, metadata] as const
  return async (sql, isRepeat = false) => {
    const [row] = await sql(lockHead, id)
    const found = row === undefined ? 0 : versionIn(id, row)
    const isNext = row?.['changes'] === (expected === 0 ? 1 : (expected % mostChanges) + 1)
    const isSame = row?.['state'] === state && row['metadata'] === metadata && row['last_run'] === lastRun
    if (isRepeat && isNext && isSame) return found
    if (found !== expected) throw sessionConflict(id, found, expected)
    if (row !== undefined) {
      await sql(updateSession, ...values)
      return expected + 1
    }
    const [made] = await sql(insertSession, ...values)
    // Another process was first, and no row of it was there to be waited for.
    if (made === undefined) throw sessionConflict(id, 1, expected)
    return number(id, made, 'number') * mostChanges + 1
  }
}

function versionIn(id: string, row: SqlRow): number {
  return number(id, row, 'number') * mostChanges + number(id, row, 'changes')
}

/** The transcript that the one of a run began with: each is behind one with a lower number. */
const firstOf = (run: string) => `(
  WITH RECURSIVE line (number) AS (
    SELECT coalesce(${run}.transcript, ${run}.number) UNION SELECT parent FROM line JOIN @.transcripts USING (number)
  )
  SELECT min(number) FROM line)`
const leave = `
  UPDATE @.sessions SET changes = changes + 1, last_run = (
    SELECT other.id FROM @.runs AS other
    WHERE other.session = sessions.id AND other.id <> gone.id AND gone.continued_run IS NOT NULL
      AND ${firstOf('other')} = ${firstOf('gone')}
    ORDER BY other.created_at DESC, other.number DESC LIMIT 1)
  FROM @.runs AS gone WHERE gone.id = $1 AND sessions.id = gone.session AND sessions.last_run = gone.id`

/**
 * A run is about to be deleted: where it is the last one of its session, the newest that remains of its conversation takes its
 * place. What was said before a reset stays behind it.
 */
export async function leaveSession(sql: Sql, runId: string): Promise<void> {
  await sql(leave, runId)
}

const place = 'coalesce(active_at, sessions.created_at)'
const selectSessions = `
  SELECT ${place} AS place, sessions.number, sessions.id, sessions.agent, sessions.subject, sessions.created_at, active_at,
    changes, last_run, state, metadata, runs.status AS last_status
  FROM @.sessions LEFT JOIN @.runs ON runs.id = sessions.last_run`
const selectSession = `${selectSessions} WHERE sessions.id = $1`
const lockRuns = 'SELECT id FROM @.runs WHERE session = $1 ORDER BY number DESC FOR UPDATE'
const selectEmpty = `
  SELECT 1 FROM @.sessions
  WHERE id = $1 AND ${place} < $2::float8 AND NOT EXISTS (SELECT 1 FROM @.runs WHERE runs.session = sessions.id)`
const deleteRow = 'DELETE FROM @.sessions WHERE id = $1'

/** The part of the store that keeps sessions; `deleteRun` deletes a run inside a transaction, and gives who reads it. */
export function createSessions(
  { look, write }: Session,
  lock: string,
  deleteRun: (sql: Sql, runId: string, found?: FoundLease) => Promise<readonly string[]>,
) {
  const runsOf = async (sql: Sql, id: string) => (await sql(lockRuns, id)).map((row) => text(id, row, 'id'))

  return {
    get: (id: string): Promise<StoredSession | undefined> =>
      look(async (sql) => {
        const [row] = await sql(selectSession, id)
        return row && decodeSession(sessionRow(row))
      }),

    async change(...given: Parameters<typeof sessionChange>): Promise<number> {
      const change = sessionChange(...given)
      return write((sql, isRepeat) => change(sql, isRepeat))
    },

    async list(filter: SessionFilter): Promise<readonly (ListedSession | DamagedSession)[]> {
      const { agent, subject, before, limit } = filter
      const values: SqlValue[] = []
      const value = (one: SqlValue) => `$${values.push(one)}`
      const conditions = [
        // Most sessions may be of one agent: the server does not sort them all if it cannot see what is compared.
        ...(agent === undefined ? [] : [`CASE WHEN sessions.agent = ${value(agent)} THEN true END`]),
        ...(subject === undefined ? [] : [`sessions.subject = ${value(subject)}`]),
        ...placeValues(before).map(
          ({ time, number: last }) => `(${place}, sessions.number) < (${value(time)}, ${value(last)})`,
        ),
      ]
      const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
      const order = `ORDER BY ${place} DESC, sessions.number DESC LIMIT ${value(limitOf(limit))}`
      const rows = await look((sql) => sql(`${selectSessions} ${where} ${order}`, ...values))
      return rows.map(listedSession)
    },

    async delete(
      id: string,
      { whereRead = 'refuse', emptySince }: DeleteSessionOptions = {},
      given: readonly FoundLease[] = [],
    ): Promise<DeletedSession> {
      let deleted: DeletedSession | undefined
      return write(async (sql, isRepeat) => {
        await lockTranscripts(sql, lock)
        // Its runs come first, as for whoever commits to one of them.
        await runsOf(sql, id)
        const [row] = await sql(lockHead, id)
        if (row === undefined && isRepeat && deleted !== undefined) return deleted
        if (row === undefined) throw sessionUnknown(id)
        const isKept = emptySince !== undefined && (await sql(selectEmpty, id, emptySince)).length === 0
        if (isKept) return keptSession
        await sql(deleteRow, id)
        const runs = await runsOf(sql, id)
        const found = new Set<string>()
        // The newest first: what reads a run and is left then does not belong to the session.
        for (const runId of runs)
          for (const reader of await deleteRun(sql, runId, foundOf(runId, given))) found.add(reader)
        const readers = [...found].slice(0, 100)
        if (readers.length > 0 && whereRead === 'refuse') throw sessionIsRead(id, readers)
        deleted = { runs, readers }
        return deleted
      })
    },
  }
}

function listedSession(row: SqlRow): ListedSession | DamagedSession {
  const id = text('', row, 'id')
  const cursor = cursorOf({ time: number(id, row, 'place'), number: number(id, row, 'number') })
  try {
    return { ...decodeSession(sessionRow(row)), cursor }
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'session_damaged') throw error
    return { id, damaged: error.message, cursor }
  }
}

function sessionRow(row: SqlRow): SessionRow {
  const id = text('', row, 'id')
  return {
    id,
    agent: text(id, row, 'agent'),
    subject: optionalText(id, row, 'subject'),
    createdAt: number(id, row, 'created_at'),
    activeAt: optionalNumber(id, row, 'active_at'),
    version: versionIn(id, row),
    lastRun: optionalText(id, row, 'last_run'),
    lastStatus: optionalText(id, row, 'last_status'),
    state: text(id, row, 'state'),
    metadata: text(id, row, 'metadata'),
  }
}
