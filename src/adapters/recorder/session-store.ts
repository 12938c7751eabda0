import type { RecordedSession, SessionHead } from './session-record.ts'

/** A filter of sessions; an absent field excludes none. */
export interface RecordFilter {
  readonly agentId?: string
  /** Lists sessions after this one, for the next page: the last head of the previous page. */
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
 * Stores recorded sessions; no run reads them. Each method either succeeds completely or changes nothing. Errors are
 * `SessionError` with a literal `code`. A record that is damaged, foreign or of a later version is never overwritten.
 */
export interface SessionStore {
  /** Stores a session, merged with the stored one (see `mergeSessions`). Rejects with `bad_session` or `locked`. */
  save(session: RecordedSession): Promise<void>
  /** Rejects with `session_unknown`, or with what keeps it from being read. */
  load(sessionId: string): Promise<RecordedSession>
  /**
   * Returns the last active sessions first; unreadable ones are at the end of the first page, if the filter names no
   * agent.
   */
  list(filter?: RecordFilter): Promise<readonly (SessionHead | DamagedRecord)[]>
  /** Deletes a session, even a damaged one; throws `session_unknown` for an unknown id. */
  delete(sessionId: string): Promise<void>
  close(): Promise<void>
}
