import { ErrorWithCode } from '../../core/domain/text/error-with-code.ts'

/**
 * The reason of a refusal: an invalid id, an unknown session, a record that cannot be stored, a record that another
 * process writes (`locked`), an unreadable, foreign or later one, or an unreachable store.
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
export class SessionError extends ErrorWithCode<SessionErrorCode> {
  override readonly name = 'SessionError'
}
