import type { Store } from '../../../index.ts'
import { findSession, listSessions, type StoredSession } from '../../../ports.ts'
import { lastWord } from '../setup/option-table.ts'
import { misuse, unusable } from '../terminal/cli-error.ts'
import { oneLine } from '../terminal/safe-text.ts'

/** The maximum number of sessions listed for an ambiguous prefix. */
const mostNamed = 10

/**
 * Returns the stored conversation with this id, or with a prefix of it, with or without `session_`; the newest one for `last`,
 * or undefined for a new id.
 */
export async function findConversation(store: Store, given: string): Promise<StoredSession | undefined> {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(given)) {
    const wish = 'Expected 1 to 64 of the characters A-Z, a-z, 0-9, "_" and "-". List them with: statewright sessions'
    throw misuse('bad_session_id', `${JSON.stringify(oneLine(given, 100))} is not a valid id of a conversation.`, wish)
  }
  const exact = await findSession(store, given)
  if (exact !== undefined) return exact
  if (given === lastWord) {
    const [newest] = await listSessions(store, { limit: 1 })
    if (newest === undefined)
      throw unusable('session_unknown', 'The store has no conversation yet.', 'Begin one with: statewright chat')
    return await findSession(store, newest.id)
  }
  const all = await listSessions(store, { limit: Number.MAX_SAFE_INTEGER })
  const fitting = all.filter(({ id }) => id.startsWith(given) || id.startsWith(`session_${given}`))
  const [only] = fitting
  if (fitting.length > 1) {
    const named = fitting.slice(0, mostNamed).map(({ id }) => id)
    throw misuse(
      'ambiguous_session',
      `${fitting.length} conversations have ids that begin with ${JSON.stringify(given)}:`,
      ...named,
    )
  }
  return only === undefined ? undefined : await findSession(store, only.id)
}
