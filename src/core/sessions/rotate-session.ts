import { changeSession } from '../domain/session-record.ts'
import { checkedSessionId, type StoredSession } from '../domain/session-state.ts'
import { readOriginal } from '../driving/read-original.ts'
import { keepTranscript } from './keep-transcript.ts'
import { changing, keepState, refuseWhileActive, type SessionPlace, stateOf } from './stored-session.ts'

/** Continues a session under a new id, and returns it; with a time, only if the session was idle for longer. */
export async function rotated(place: SessionPlace, idleMs: number | undefined): Promise<string | undefined> {
  const { clock, ids } = place.core
  const made = await changing(place, async (session, taken): Promise<{ readonly id?: string }> => {
    if (idleMs !== undefined && !isIdle(session, clock.now(), idleMs)) return {}
    refuseWhileActive(session)
    const id = checkedSessionId(ids.next('session'))
    await begin(place, session, { id, taken })
    return { id }
  })
  return made.id
}

/** A session without runs and messages was never active. */
function isIdle({ lastActivity, active, runs, queued }: StoredSession, now: number, idleMs: number): boolean {
  if (active !== undefined || lastActivity === undefined || (runs === 0 && queued.length === 0)) return false
  return now - lastActivity > idleMs
}

/** Stores the new session in the same write that takes the queued items out of the earlier one. */
async function begin(
  { core, begun }: SessionPlace,
  session: StoredSession,
  { id, taken }: { readonly id: string; readonly taken: number },
): Promise<void> {
  if (session.version === 0) return
  const { lastRun, ...state } = stateOf(session)
  const { subject = begun.subject, ...kept } = state
  const owned = { ...kept, ...(subject === undefined ? {} : { subject }) }
  const fresh: StoredSession = { ...owned, id, createdAt: core.clock.now(), counters: {}, runs: 0, version: 0 }
  const others = [changeSession({ ...stateOf(session), queued: [] }, session.version)]
  if (lastRun === undefined) {
    await keepState({ core }, fresh, fresh, { others })
    return
  }
  const original = await readOriginal(core, lastRun)
  await keepTranscript(core, { origin: 'rotated', session: fresh, taken, original, messages: [], others })
}
