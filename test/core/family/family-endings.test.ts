import { expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent, type Store, tool } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { coreOf } from '../../../src/core/driving/core-of.ts'
import { openDriving } from '../../../src/core/driving/run-driving.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { createWorker } from '../../../src/core/workers/worker.ts'

const call = (id: string, name: string, given: object) => ({ id, name, arguments: given as never })
const ask = tool({ name: 'ask', description: 'Asks.', input: z.object({}), needs: 'approval', execute: () => 'Yes.' })

/** A family of three levels; the lowest one asks, or waits until its call is cancelled. */
function family(store: Store, { asks, more = {} }: { readonly asks: boolean; readonly more?: object }) {
  const begun = Promise.withResolvers<void>()
  const wait = tool({
    name: 'ask',
    description: 'Waits.',
    input: z.object({}),
    execute: (_, { signal }) =>
      new Promise<string>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('Stopped.')))
        begun.resolve()
      }),
  })
  const low = createAgent({
    name: 'low',
    model: scripted([{ toolCalls: [call('a', 'ask', {})] }, 'Low.']),
    tools: [asks ? ask : wait],
  })
  const middle = createAgent({
    name: 'middle',
    model: scripted([{ toolCalls: [call('l', 'low', { prompt: 'Ask.' })] }, 'Middle.']),
    tools: [low.asTool({ description: 'Asks.' })],
  })
  const other = tool({
    name: 'other',
    description: 'Works.',
    input: z.object({}),
    execute: () => begun.promise.then(() => 'ok'),
  })
  const calls = [call('m', 'middle', { prompt: 'Ask.' }), ...('plugins' in more ? [call('o', 'other', {})] : [])]
  const top = createAgent({
    name: 'top',
    store,
    model: scripted([{ toolCalls: calls }, 'Top.']),
    tools: [middle.asTool({ description: 'Asks.' }), other],
    ...more,
  })
  return { top, begun: begun.promise }
}

const endsOf = async (store: Store) =>
  (await store.list({})).map((one) =>
    'status' in one ? [one.agent.split('/').length, one.status, one.doneReason] : [],
  )
const cancelled = [
  [3, 'done', 'cancelled'],
  [2, 'done', 'cancelled'],
]

test('AGT-05 a run that ends in an error ends its children at every level', async () => {
  const store = memoryStore()
  const plugins = [
    {
      name: 'broken',
      afterTool: ({ call: { toolName } }: { readonly call: { readonly toolName: string } }) => {
        if (toolName === 'other') throw new Error('broken')
      },
    },
  ]
  const { top } = family(store, { asks: false, more: { plugins } })
  expect(await top.run('Go.')).toMatchObject({ outcome: { reason: 'error' } })
  await top.close({ drainMs: 5000 })
  expect(await endsOf(store)).toEqual([...cancelled, [1, 'done', 'error']])
})

test('AGT-05 a run that is cancelled while its children work ends them', async () => {
  const store = memoryStore()
  const { top, begun } = family(store, { asks: false })
  const run = top.start('Go.')
  await begun
  await run.cancel()
  expect(await run.result()).toMatchObject({ outcome: { reason: 'cancelled' } })
  await top.close({ drainMs: 5000 })
  expect(await endsOf(store)).toEqual([...cancelled, [1, 'done', 'cancelled']])
})

test('AGT-05 stores the cancel of a child with the end of its parent, and a worker carries it out', async () => {
  const store = memoryStore()
  await family(store, { asks: true }).top.run('Go.', { runId: 'r1' })
  // The process dies with the commit that ends the parent.
  const dying = new Proxy(store, {
    get: (target, key) => {
      if (key === 'change') return () => Promise.reject(new Error('gone'))
      const value: unknown = Reflect.get(target, key)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  const dead = family(dying, { asks: true }).top
  await (await dead.load('r1')).cancel()
  await openDriving(coreOf(dead, 'openDriving'), 'r1').rest
  expect((await store.record('r1')).status).toBe('done')
  const isOver = async () => (await endsOf(store)).every(([, status]) => status === 'done')
  expect(await isOver()).toBe(false)
  const ended = Promise.withResolvers<void>()
  const look = () => void isOver().then((is) => is && ended.resolve())
  const unwatch = store.watch(undefined, look)
  const worker = createWorker({ agents: [family(store, { asks: true }).top], store })
  await ended.promise
  unwatch()
  await worker.drain()
  expect(await endsOf(store)).toEqual([...cancelled, [1, 'done', 'cancelled']])
})
