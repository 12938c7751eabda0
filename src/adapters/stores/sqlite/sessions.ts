import { checkedSession, type SessionState, type StoredSession } from '../../../core/domain/session-state.ts'
import { type FoundLease, StoreError } from '../../../core/domain/store-error.ts'
import type { DeletedSession, DeleteSessionOptions, SessionChange } from '../../../core/ports/session-rows.ts'
import type { DamagedSession, ListedSession, SessionFilter } from '../../../core/ports/store-lists.ts'
import { stringifyJson } from '../../../core/stores/rows/json-text.ts'
import { decodeSession, keptSession, type SessionRow } from '../../../core/stores/rows/decode-session.ts'
import { cursorOf, placeBefore } from '../../../core/stores/rows/list-cursor.ts'
import { foundOf } from '../../../core/stores/rows/lease-rules.ts'
import { sessionConflict, sessionIsRead, sessionUnknown } from '../../../core/stores/rows/store-errors.ts'
import { number, optionalNumber, optionalText, type SqlRow, text } from '../../../core/stores/rows/columns.ts'
import type { Session } from './session.ts'

/** Changes that one session may have: what lies between the versions of two. */
const mostChanges = 2 ** 24

const selectHead = 'SELECT number, changes, active_at FROM sessions WHERE id = ?'
const insertSession = `
  INSERT INTO sessions (id, agent, subject, created_at, active_at, last_run, state, changes) VALUES (?, ?, ?, ?, ?, ?, ?, 1)`
const updateSession = `
  UPDATE sessions SET agent = ?, subject = ?, created_at = ?, active_at = ?, last_run = ?, state = ?, changes = changes + 1
  WHERE number = ?`
const deleteMetadata = 'DELETE FROM session_metadata WHERE number = ?'
const writeMetadata = `
  INSERT INTO session_metadata (number, body) VALUES (?, ?)
  ON CONFLICT (number) DO UPDATE SET body = excluded.body WHERE body <> excluded.body`

/** What stores a state, and that of the session it is rotated from, inside a transaction; gives the version of the first. */
export function sessionChange(
  state: SessionState,
  expected: number,
  activeAt?: number,
  rotatedFrom?: SessionChange,
): (db: Session) => number {
  const change = changeOf(state, expected, activeAt)
  const other = rotatedFrom && changeOf(rotatedFrom.state, rotatedFrom.expected)
  return (db) => {
    const version = change(db)
    other?.(db)
    return version
  }
}

/** Whether it can be stored at all is found before. */
function changeOf(given: SessionState, expected: number, activeAt?: number): (db: Session) => number {
  const {
    id,
    agent,
    subject = null,
    metadata,
    createdAt,
    counters,
    runs,
    lastRun = null,
    queued,
  } = checkedSession(given)
  const state = stringifyJson({ counters, runs, queued }, `The state of session "${id}"`)
  const body = stringifyJson(metadata, `The metadata of session "${id}"`)
  return ({ sql }) => {
    const row = sql(selectHead).get(id)
    const found = row === undefined ? 0 : versionIn(id, row)
    if (found !== expected) throw sessionConflict(id, found, expected)
    const known = row === undefined ? null : optionalNumber(id, row, 'active_at')
    const active = activeAt === undefined ? known : Math.max(known ?? activeAt, activeAt)
    const values = [agent, subject, createdAt, active, lastRun, state] as const
    const own =
      row === undefined ? Number(sql(insertSession).run(id, ...values).lastInsertRowid) : number(id, row, 'number')
    if (row !== undefined) sql(updateSession).run(...values, own)
    if (body !== '{}') sql(writeMetadata).run(own, body)
    else if (row !== undefined) sql(deleteMetadata).run(own)
    return row === undefined ? own * mostChanges + 1 : expected + 1
  }
}

function versionIn(id: string, row: SqlRow): number {
  return number(id, row, 'number') * mostChanges + number(id, row, 'changes')
}

const touch = 'UPDATE sessions SET active_at = max(coalesce(active_at, ?), ?) WHERE id = ?'
const touchOf = `
  UPDATE sessions SET active_at = max(coalesce(active_at, ?), ?) WHERE id = (SELECT session FROM runs WHERE id = ?)`

/** Notes an activity of a session, inside a transaction. */
export function touchSession({ sql }: Session, id: string, at: number): void {
  sql(touch).run(at, at, id)
}

/** The same of the session of a run, if it has one. */
export function touchSessionOf({ sql }: Session, runId: string, at: number): void {
  sql(touchOf).run(at, at, runId)
}

/** The transcript that the one of a run began with: each is behind one with a lower number. */
const firstOf = (run: string) => `(
  WITH RECURSIVE line (number) AS (
    SELECT coalesce(${run}.transcript, ${run}.number) UNION SELECT parent FROM line JOIN transcripts USING (number)
  )
  SELECT min(number) FROM line)`
const leave = `
  UPDATE sessions SET changes = changes + 1, last_run = (
    SELECT other.id FROM runs AS other
    WHERE other.session = sessions.id AND other.id <> gone.id AND gone.continued_run IS NOT NULL
      AND ${firstOf('other')} = ${firstOf('gone')}
    ORDER BY other.created_at DESC, other.number DESC LIMIT 1)
  FROM runs AS gone
  WHERE gone.id = ? AND sessions.id = gone.session AND sessions.last_run = gone.id`

/**
 * A run is about to be deleted: where it is the last one of its session, the newest that remains of its conversation takes its
 * place. What was said before a reset stays behind it.
 */
export function leaveSession({ sql }: Session, runId: string): void {
  sql(leave).run(runId)
}

const columns = `
  sessions.number, sessions.id, sessions.agent, sessions.subject, sessions.created_at, active_at, changes, last_run, state,
  coalesce(session_metadata.body, '{}') AS metadata, runs.status AS last_status`
const tables = `
  sessions LEFT JOIN session_metadata ON session_metadata.number = sessions.number
  LEFT JOIN runs ON runs.id = sessions.last_run`
const selectSession = `SELECT ${columns} FROM ${tables} WHERE sessions.id = ?`
const place = 'coalesce(active_at, sessions.created_at)'

/** The statement that lists the sessions a filter asks for. */
export function selectSessions({ agent, subject }: SessionFilter): string {
  const conditions = [
    ...(agent === undefined ? [] : ['sessions.agent = ?']),
    ...(subject === undefined ? [] : ['sessions.subject = ?']),
    // SQLite finds the place in the index by the first of these alone.
    `${place} <= ?`,
    `(${place}, sessions.number) < (?, ?)`,
  ]
  return `
    SELECT ${place} AS place, ${columns} FROM ${tables}
    WHERE ${conditions.join(' AND ')} ORDER BY ${place} DESC, sessions.number DESC LIMIT ?`
}

const selectRuns = 'SELECT id FROM runs WHERE session = ? ORDER BY number DESC'
const selectEmpty = `
  SELECT 1 FROM sessions
  WHERE id = ? AND ${place} < ? AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.session = sessions.id)`
const deleteRow = 'DELETE FROM sessions WHERE number = ?'

/** The part of the store that keeps sessions; `deleteRun` deletes a run inside a transaction, and gives who reads it. */
export function createSessions(db: Session, deleteRun: (runId: string, found?: FoundLease) => readonly string[]) {
  const { sql, read } = db
  return {
    get: (id: string): StoredSession | undefined =>
      read(() => {
        const row = sql(selectSession).get(id)
        return row && decodeSession(sessionRow(row))
      }),

    list(filter: SessionFilter): readonly (ListedSession | DamagedSession)[] {
      const { agent, subject, before, limit = 100 } = filter
      const { time, number: last } = placeBefore(before)
      const asked = [agent ?? [], subject ?? [], time, time, last, limit].flat()
      return read(() => sql(selectSessions(filter)).all(...asked)).map(listedSession)
    },

    /** To be called inside a transaction. */
    delete(
      id: string,
      { whereRead = 'refuse', emptySince }: DeleteSessionOptions,
      found: readonly FoundLease[],
    ): DeletedSession {
      const row = sql(selectHead).get(id)
      if (row === undefined) throw sessionUnknown(id)
      const isKept = emptySince !== undefined && sql(selectEmpty).get(id, emptySince) === undefined
      if (isKept) return keptSession
      sql(deleteRow).run(number(id, row, 'number'))
      sql(deleteMetadata).run(number(id, row, 'number'))
      const runs = sql(selectRuns)
        .all(id)
        .map((run) => text(id, run, 'id'))
      // The newest first: what reads a run and is left then does not belong to the session.
      const readers = [...new Set(runs.flatMap((runId) => deleteRun(runId, foundOf(runId, found))))].slice(0, 100)
      if (readers.length > 0 && whereRead === 'refuse') throw sessionIsRead(id, readers)
      return { runs, readers }
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
