/**
 * What a session store refuses: an id that is none, a session it has not, a record that cannot be stored, one that is
 * being written by another (`locked`), one that cannot be read, that is not ours, that a later version wrote, and a store
 * that is out of reach.
 */
export type SessionErrorCode =
  | 'bad_session_id'
  | 'bad_session'
  | 'session_unknown'
  | 'locked'
  | 'session_damaged'
  | 'session_foreign'
  | 'session_later'
  | 'store_unavailable'

/** An expected failure of a session store; the message says what happened and what to do. */
export class SessionError extends Error {
  override readonly name = 'SessionError'
  readonly code: SessionErrorCode

  constructor(code: SessionErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}
