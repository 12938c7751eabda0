import type { RecordedSession, SessionHead } from './session-record.ts'

/** A filter of sessions; an absent field excludes none. */
export interface RecordFilter {
  readonly agentId?: string
  /** Sessions listed behind this one, for the next page: the last head of the page before. */
  readonly after?: Pick<SessionHead, 'id' | 'lastActiveAt'>
  /** Default 100. */
  readonly limit?: number
}

/** A session that could not be read, so that one bad record hides no other. */
export interface DamagedRecord {
  readonly id: string
  readonly damaged: string
}

/**
 * Keeps recorded sessions; nothing in a run reads it. Each method is whole or has changed nothing. Errors are
 * `SessionError` with a literal `code`. A record that is damaged, foreign or of a later version is never written over.
 */
export interface SessionStore {
  /** Stores a session, merged with the stored one (see `mergeSessions`). Rejects with `bad_session` or `locked`. */
  save(session: RecordedSession): Promise<void>
  /** Rejects with `session_unknown`, or with what keeps it from being read. */
  load(sessionId: string): Promise<RecordedSession>
  /** The last active first, those that cannot be read at the end of the first page whose filter names no agent. */
  list(filter?: RecordFilter): Promise<readonly (SessionHead | DamagedRecord)[]>
  /** Deletes a session, a damaged one too; `session_unknown` if there is none. */
  delete(sessionId: string): Promise<void>
  close(): Promise<void>
}
