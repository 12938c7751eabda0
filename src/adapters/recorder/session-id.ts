import { hashText } from '../../core/domain/text/json.ts'
import { SessionError } from './session-error.ts'

const mostLetters = 64

/** Returns true for a valid session id: 1 to 64 of `A-Z`, `a-z`, `0-9`, `_` and `-`. */
export function isSessionId(id: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(id)
}

/** Throws a `SessionError` `bad_session_id` for an invalid session id. */
export function checkSessionId(id: unknown): asserts id is string {
  if (typeof id === 'string' && isSessionId(id)) return
  const shown = typeof id === 'string' ? JSON.stringify(id.slice(0, 100)) : typeof id
  const wish = `Expected 1 to ${mostLetters} of the letters A-Z, a-z, 0-9, _ and -.`
  throw new SessionError('bad_session_id', `Session id ${shown} is refused. ${wish}`)
}

/** Returns a text as a session id: unchanged if it is valid, otherwise its valid characters with a hash of the text. */
export function sessionIdOf(text: string): string {
  if (isSessionId(text)) return text
  const hash = hashText(text)
  const rest = text.replaceAll(/[^A-Za-z0-9_-]+/g, '-').slice(0, mostLetters - hash.length - 1)
  return `${rest}-${hash}`
}
