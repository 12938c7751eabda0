import { checkOptions, filledText, number, optional, type OptionShape } from '../../core/domain/text/option-shape.ts'
import { StoreError } from '../../core/domain/store-error.ts'
import { type OpenFile, openFile } from '../stores/sqlite/open-files.ts'
import { checkFilter } from './list-sessions.ts'
import { mergeSessions } from './merge-sessions.ts'
import { patiently } from './patiently.ts'
import { SessionError } from './session-error.ts'
import { checkSessionId } from './session-id.ts'
import { headOf, type RecordedSession, type SessionHead } from './session-record.ts'
import type { RecordFilter, SessionStore } from './session-store.ts'
import { decodeSession, encodeSession, sessionStoreClosed, sessionUnknown } from './session-text.ts'

/** How sessions are kept beside the runs; all of it optional. */
export interface SqliteSessionStoreOptions {
  /** Milliseconds for which a file that another process writes to is asked again. Default 5,000. */
  readonly waitMs?: number
}

const shape: OptionShape<SqliteSessionStoreOptions> = {
  waitMs: optional(number('a number of milliseconds of 0 or more', (ms) => ms >= 0)),
}

/** The layout of the tables below, whatever layout the runs beside them have. */
const layout = 1

/** As a run store opens its file when it is asked for nothing else, so that both share one connection. */
const opening = { synchronous: 'full', pollMs: 200, secureDelete: false } as const

const schema = [
  'CREATE TABLE session_layout (version INTEGER NOT NULL) STRICT',
  `INSERT INTO session_layout (version) VALUES (${layout})`,
  `CREATE TABLE recorded_sessions (
    id TEXT NOT NULL PRIMARY KEY,
    agent TEXT NOT NULL,
    created_at REAL NOT NULL,
    last_active REAL NOT NULL,
    runs INTEGER NOT NULL,
    body TEXT NOT NULL
  ) STRICT`,
  'CREATE INDEX sessions_by_age ON recorded_sessions (last_active DESC, id)',
  'CREATE INDEX sessions_by_agent ON recorded_sessions (agent, last_active DESC, id)',
]

const saving = `INSERT INTO recorded_sessions (id, agent, created_at, last_active, runs, body) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET agent = excluded.agent, created_at = excluded.created_at,
  last_active = excluded.last_active, runs = excluded.runs, body = excluded.body`

const headColumns = 'id, agent, created_at, last_active, runs'

/**
 * Keeps sessions in the file of a SQLite run store, in tables of their own that are made with the first session; a file is
 * made where there is none. Throws a `SessionError` for a file that is not a store, or cannot be opened.
 */
export function sqliteSessionStore(path: string, options: SqliteSessionStoreOptions = {}): SessionStore {
  filledText(path, { field: 'path', owner: 'sqliteSessionStore' })
  checkOptions('sqliteSessionStore', options, shape)
  const { waitMs = 5000 } = options
  const { session, leave } = told(() => openFile(path, opening))
  let isOpen = true

  function inTurn<Result>(work: () => Result): Promise<Result> {
    return patiently(waitMs, () => {
      if (!isOpen) throw sessionStoreClosed()
      return told(work)
    })
  }

  function stored(id: string): RecordedSession | undefined {
    const row = session.sql('SELECT body FROM recorded_sessions WHERE id = ?').get(id)
    return row === undefined ? undefined : decodeSession(String(row['body']), id, `Session "${id}" in "${path}"`)
  }

  return {
    async save(given) {
      const text = encodeSession(given)
      await inTurn(() =>
        session.write(() => {
          if (!hasTables(session, path)) for (const statement of schema) session.sql(statement).run()
          const earlier = stored(given.id)
          const merged = earlier === undefined ? given : mergeSessions(earlier, given)
          const { id, agentId, createdAt, lastActiveAt, runs } = headOf(merged)
          const body = merged === given ? text : encodeSession(merged)
          session.sql(saving).run(id, agentId, createdAt, lastActiveAt, runs, body)
        }),
      )
    },
    async load(sessionId) {
      checkSessionId(sessionId)
      const found = await inTurn(() => session.read(() => (hasTables(session, path) ? stored(sessionId) : undefined)))
      if (found === undefined) throw sessionUnknown(sessionId)
      return found
    },
    async list(filter = {}) {
      checkFilter(filter)
      return inTurn(() => session.read(() => (hasTables(session, path) ? headsOf(session, filter) : [])))
    },
    async delete(sessionId) {
      checkSessionId(sessionId)
      const changes = await inTurn(() =>
        session.write(() =>
          hasTables(session, path)
            ? session.sql('DELETE FROM recorded_sessions WHERE id = ?').run(sessionId).changes
            : 0,
        ),
      )
      if (Number(changes) === 0) throw sessionUnknown(sessionId)
    },
    async close() {
      if (!isOpen) return
      isOpen = false
      leave()
    },
  }
}

type Session = OpenFile['session']

/** Whether the tables are there; refused where a later version made them. */
function hasTables(session: Session, path: string): boolean {
  const table = session.sql("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'session_layout'").get()
  if (table === undefined) return false
  const version = session.sql('SELECT version FROM session_layout').get()?.['version']
  if (version === layout) return true
  const what = `The sessions in "${path}" have layout ${String(version)}; this version of statewright reads layout ${layout}.`
  throw new SessionError('session_later', `${what} Nothing was changed: use the version that wrote them.`)
}

function headsOf(session: Session, { agentId, after, limit = 100 }: RecordFilter): readonly SessionHead[] {
  const ofAgent = agentId === undefined ? [] : [agentId]
  const behind = after === undefined ? [] : [after.lastActiveAt, after.lastActiveAt, after.id]
  const where = [
    ...(agentId === undefined ? [] : ['agent = ?']),
    ...(after === undefined ? [] : ['(last_active < ? OR (last_active = ? AND id > ?))']),
  ]
  const filter = where.length === 0 ? '' : `WHERE ${where.join(' AND ')}`
  const text = `SELECT ${headColumns} FROM recorded_sessions ${filter} ORDER BY last_active DESC, id LIMIT ?`
  const most = Math.min(Math.floor(limit), Number.MAX_SAFE_INTEGER)
  const rows = session.sql(text).all(...ofAgent, ...behind, most)
  return rows.map((row) => ({
    id: String(row['id']),
    agentId: String(row['agent']),
    createdAt: Number(row['created_at']),
    lastActiveAt: Number(row['last_active']),
    runs: Number(row['runs']),
  }))
}

/** What the run store's file throws, as a `SessionError`. */
function told<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    throw new SessionError(codeOf(error), error.message, { cause: error })
  }
}

function codeOf({ code }: StoreError): SessionError['code'] {
  if (code === 'store_busy') return 'locked'
  return code === 'store_foreign' ? 'session_foreign' : 'store_unavailable'
}
