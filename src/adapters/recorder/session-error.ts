/**
 * The reason of a refusal: an invalid id, an unknown session, an unstorable record, a record that another writes
 * (`locked`), an unreadable one, a foreign one, one of a later version, or an unreachable store.
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
