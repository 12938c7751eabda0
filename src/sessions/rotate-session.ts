import { checkedSessionId, type StoredSession } from '../domain/session-state.ts'
import { StoreError } from '../domain/store-error.ts'
import { readOriginal } from '../driving/read-original.ts'
import { keepTranscript } from './keep-transcript.ts'
import { changing, keepState, refuseWhileActive, type SessionPlace, stateOf } from './stored-session.ts'

/**
 * Has a session go on under a new id, with its messages and what is queued; gives that id. With a time, only where the
 * session was last active more than so many milliseconds ago.
 */
export async function rotated(place: SessionPlace, idleMs: number | undefined): Promise<string | undefined> {
  const { clock, ids } = place.core
  const made = await changing(place, async (session): Promise<{ readonly id?: string }> => {
    if (idleMs !== undefined && !isIdle(session, clock.now(), idleMs)) return {}
    refuseWhileActive(session)
    const id = checkedSessionId(ids.next('session'))
    await begin(place, session, id)
    return { id }
  })
  return made.id
}

/** A session that has begun no run and was told nothing was never active, whatever it was made of. */
function isIdle({ lastActivity, active, runs, queued }: StoredSession, now: number, idleMs: number): boolean {
  if (active !== undefined || lastActivity === undefined || (runs === 0 && queued.length === 0)) return false
  return now - lastActivity > idleMs
}

/**
 * Stores the new session first, so that a process that ends in between has lost nothing. What was queued is then taken out
 * of the earlier one; where somebody has changed that one meanwhile, all of it is done anew.
 */
async function begin(place: SessionPlace, session: StoredSession, id: string): Promise<void> {
  const { store, clock } = place.core
  const { lastRun, queued } = session
  const { lastRun: _, ...state } = stateOf(session)
  const fresh: StoredSession = { ...state, id, createdAt: clock.now(), counters: {}, runs: 0, version: 0 }
  if (lastRun === undefined) {
    if (session.version > 0) await keepState(place, fresh, fresh)
  } else {
    const original = await readOriginal(place.core, lastRun)
    await keepTranscript(place, { origin: 'rotated', session: fresh, original, messages: [] })
  }
  if (queued.length === 0) return
  try {
    await keepState(place, { ...stateOf(session), queued: [] }, session)
  } catch (error) {
    if (error instanceof StoreError && error.code === 'session_conflict') await store.deleteSession(id, clock.now())
    throw error
  }
}
