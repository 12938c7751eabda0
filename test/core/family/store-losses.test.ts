import { expect, test } from 'vitest'
import { type Agent, createAgent, type Store, textOf, tool } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { isOfStore, StoreError } from '../../../src/core/domain/store-error.ts'
import { deliverEnds } from '../../../src/core/family/deliver-ends.ts'
import { systemClock } from '../../../src/core/ports/system-clock.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { calling, desk } from './handing-desk.ts'

/** A store that is locked at one of the requests that reach it. `asked` are their names. */
function lockedAt(store: Store, place: number): { readonly store: Store; readonly asked: string[] } {
  const asked: string[] = []
  const locked = new Proxy(store, {
    get(target, name): unknown {
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== 'function' || name === 'watch' || name === 'close') return method
      return async (...given: readonly unknown[]) => {
        if (asked.push(String(name)) === place) throw new StoreError('store_busy', 'The store is locked.')
        return Reflect.apply(method, target, given)
      }
    },
  })
  return { store: locked, asked }
}

const act = tool({ name: 'act', description: 'Acts.', input: {}, needs: 'approval', execute: () => 'Acted.' })

/** A boss whose helper asks before it acts. */
function boss(store: Store): Agent {
  const model = scripted([calling('act'), 'It is done.'])
  const helper = createAgent({ name: 'helper', model, tools: [act] })
  const tools = [helper.asTool({ name: 'inner', description: 'Helps.' })]
  return createAgent({ name: 'boss', store, model: scripted([calling('inner'), 'All is done.']), tools })
}

const families: readonly (readonly [string, (store: Store) => Agent])[] = [
  ['a sub-agent that asks', boss],
  ['a hand-over', (store) => desk(store, [calling('repairs'), calling('act'), 'Mended.'], { tools: [act] })],
]

/** Drives a conversation to its end, by processes that come one after the other, and answers whatever asks. */
async function toEnd(make: (store: Store) => Agent, sound: Store, place: number) {
  const { store, asked } = lockedAt(sound, place)
  for (let process = 1; process <= 8; process++) {
    const agent = make(store)
    try {
      const run = agent.start('Go.', { runId: 'r1', ifExists: 'attach' })
      if ((await run.settled()).suspended.length > 0) await run.approve()
      const { status, messages } = await run.settled()
      const texts = messages.flatMap((one) => (one.role === 'extension' ? [] : textOf(one)))
      if (status === 'done') return { texts, asked }
    } catch (error) {
      if (!isOfStore(error)) throw error
    } finally {
      await agent.close({ drainMs: 1000 })
    }
    await deliverEnds({ store, clock: { ...systemClock, now: () => systemClock.now() + process * 60_000 } })
  }
  return { texts: ['It does not end.'], asked }
}

test.each(families)(
  'AGT-05 a store that is locked once changes nothing of %s, for every request that finds it locked',
  async (_, make) => {
    const { texts, asked } = await toEnd(make, memoryStore(), 0)
    const ends = await Promise.all(
      asked.map(async (name, index) => [index, name, (await toEnd(make, memoryStore(), index + 1)).texts]),
    )
    expect(ends).toEqual(asked.map((name, index) => [index, name, texts]))
    expect(asked.length).toBeGreaterThan(50)
  },
)
