import { branchesIn } from '../domain/branch-group.ts'
import { compactionWish } from '../domain/compaction-wish.ts'
import type { PostReceipt } from '../domain/inbox.ts'
import type { InputMessage } from '../domain/message.ts'
import { UsageError } from '../domain/text/usage-error.ts'
import { readOriginal } from '../driving/read-original.ts'
import { checkCancel } from '../driving/given-answers.ts'
import { keepWish } from './compact-after.ts'
import { changing, keepState, readSession, type SessionPlace, stateOf } from './stored-session.ts'

/** Sends a message to the active run, or keeps it for the next one. The receipt names the run or the session. */
export async function sayToSession(
  place: SessionPlace,
  kind: 'steer' | 'followUp',
  messages: readonly InputMessage[],
): Promise<PostReceipt> {
  const { store, clock } = place.core
  const item = { kind, messages }
  return changing(place, async (session) => {
    const at = clock.now()
    // A group of branches has no model to read a message: the next run reads it.
    if (session.active !== undefined && branchesIn(await store.input(session.active.runId)) === undefined) {
      const receipt = await store.post(session.active.runId, item, at)
      // If the run has ended meanwhile, the session is read again.
      return receipt.answer === 'applied' ? receipt : undefined
    }
    const state = stateOf(session)
    await keepState(place, { ...state, queued: [...state.queued, { item, at }] }, session, { activeAt: at })
    return { target: session.id, answer: 'applied' }
  })
}

/** Makes the prompt of the active or next run smaller. Throws `nothing_to_compact` for a session without messages. */
export async function compactSession(place: SessionPlace): Promise<void> {
  const { core } = place
  await changing(place, async (session, taken) => {
    const { active, lastRun } = session
    if (active !== undefined) {
      const at = core.clock.now()
      const { answer } = await core.store.post(active.runId, { kind: 'extension', message: compactionWish(at) }, at)
      // If the run has ended meanwhile, the session is read again.
      return answer === 'applied' ? true : undefined
    }
    if (lastRun === undefined) throw nothingToCompact(session.id)
    await keepWish(core, { session, taken, original: await readOriginal(core, lastRun) })
    return true
  })
}

/** Cancels the active run. */
export async function cancelActive(place: SessionPlace, reason: string | undefined): Promise<PostReceipt> {
  const { active, id } = await readSession(place)
  if (active === undefined) {
    return { target: id, answer: 'stale', message: `No run of session "${id}" is active.` }
  }
  const checked = checkCancel(active.runId, reason)
  if ('answer' in checked) return checked
  const { store, clock } = place.core
  return store.post(active.runId, { kind: 'cancel', ...checked }, clock.now())
}

function nothingToCompact(sessionId: string): UsageError {
  const wish = 'Use prompt() first.'
  return new UsageError('nothing_to_compact', `Session "${sessionId}" has no messages to make smaller. ${wish}`)
}
