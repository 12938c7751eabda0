import { createAgent, StoreError, type Store, UsageError } from '../../src/index.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import type { SessionOrder, SessionOutcome } from './session-orders.ts'

/** Gives the function that does at the given moment, in a session, what another process does too. */
export function sessionRacer(store: Store): (order: SessionOrder) => Promise<SessionOutcome> {
  const agent = createAgent({
    name: 'talker',
    store,
    queueModes: { steer: 'all', followUp: 'all' },
    model: scripted(Array.from({ length: 1000 }, () => 'Done.')),
  })
  return async ({ sessionId, what, text, at }) => {
    const session = agent.session(sessionId)
    while (Date.now() < at);
    try {
      switch (what) {
        case 'prompt': {
          const run = await session.prompt(text)
          await run.settled()
          return { answer: 'done' }
        }
        case 'steer':
        case 'followUp':
          await session[what](text)
          return { answer: 'done' }
        case 'rotate':
          return { answer: 'done', rotated: await session.rotate() }
        case 'delete':
          await session.delete({ whereRead: 'keep' })
          return { answer: 'done' }
      }
    } catch (error) {
      if (error instanceof StoreError || error instanceof UsageError) return { answer: error.code }
      throw error
    }
  }
}
