import { expect, test } from 'vitest'
import { createAgent, type Store, userMessage } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'

const stores: readonly (readonly [string, () => Store])[] = [
  ['memory', () => memoryStore()],
  ['SQLite', () => sqliteStore(':memory:')],
]

const foundIn = async (store: Store, runId: string) => {
  const { subject, labels, prompt } = await store.record(runId)
  return { subject, labels, prompt }
}

test.each(stores)(
  'EVT-01 %s: finds a run by its subject, its labels and the first line of its prompt',
  async (_, open) => {
    const store = open()
    const agent = createAgent({ name: 'guide', model: scripted(['Hi', 'Ho']), store })
    const given = { subject: 'order-7', labels: { team: 'north' } }
    const run = agent.start('\n  Weather in Oslo?  \nAnd in Bergen?', { runId: 'first', ...given })
    await run.settled()
    expect(await foundIn(store, 'first')).toEqual({ ...given, prompt: 'Weather in Oslo?' })
    const next = await run.prompt('🏃'.repeat(300), { runId: 'next' })
    await next.settled()
    expect(await foundIn(store, 'next')).toEqual({ ...given, prompt: '🏃'.repeat(200) })
    const [first] = await run.history()
    const fork = await agent.fork('first', { from: first?.version ?? 0, runId: 'fork' })
    await fork.cancel()
    expect(await foundIn(store, 'fork')).toEqual({ ...given, prompt: 'Weather in Oslo?' })
    expect(
      (await store.list({ subject: 'order-7', labels: { team: 'north' } })).map(({ id }) => id).toSorted(),
    ).toEqual(['first', 'fork', 'next'])
    await store.close()
  },
)

test.each(stores)(
  'CKP-09 EVT-01 %s: finds a run by the last of its starting messages that contain text',
  async (_, open) => {
    const store = open()
    const agent = createAgent({ name: 'guide', model: scripted(['Hi']), store })
    const picture = { type: 'image' as const, data: 'iVBORw0KGgo=', mimeType: 'image/png' }
    const prompt = [
      userMessage('Here is my order.', 1),
      userMessage('What has become of it?', 2),
      { ...userMessage('', 3), content: [picture] },
    ]
    const run = agent.start(prompt, { runId: 'run', drive: false })
    await run.result()
    expect((await foundIn(store, 'run')).prompt).toBe('What has become of it?')
    await (await agent.load('run')).settled()
    expect((await foundIn(store, 'run')).prompt).toBe('What has become of it?')
    await store.close()
  },
)

test.each(stores)(
  'EVT-01 %s: finds the runs that continue one without a subject together with that run',
  async (_, open) => {
    const store = open()
    const agent = createAgent({ name: 'guide', model: scripted(['Hi', 'Ho']), store })
    const run = agent.start('Hello', { runId: 'first' })
    await run.settled()
    await (await run.prompt('And now?', { runId: 'next' })).settled()
    expect((await agent.runs({ subject: 'first' })).map(({ id }) => id)).toEqual(['next', 'first'])
    await store.close()
  },
)

test.each(stores)('EVT-01 %s: does not find a run by a prompt that a filter refused', async (_, open) => {
  const store = open()
  const plugins = [{ name: 'private', filterInput: () => ({ reject: 'It is private.' }) }]
  const agent = createAgent({ name: 'guide', model: scripted([]), store, plugins })
  await agent.run('my secret', { runId: 'run' })
  expect(JSON.stringify([await store.read('run'), await store.list()])).not.toContain('secret')
  await store.close()
})

test.each(stores)('EVT-01 %s: finds a run by the prompt that a context builder wrote', async (_, open) => {
  const store = open()
  const contextBuilder = () => ({ system: 'Be brief.', messages: [userMessage('What is asked', 1)] })
  const agent = createAgent({
    name: 'guide',
    model: scripted(['Hi']),
    store,
    plugins: [{ name: 'builder', buildContext: contextBuilder }],
  })
  await agent.run({ input: { secret: 'my secret' } }, { runId: 'run' })
  expect((await foundIn(store, 'run')).prompt).toBe('What is asked')
  await store.close()
})

test.each(stores)(
  "EVT-01 %s: does not take a message sent before the first turn for the run's prompt",
  async (_, open) => {
    const store = open()
    const agent = createAgent({ name: 'guide', model: scripted(['Hi', 'Ho', 'Hu']), store })
    const run = agent.start('the prompt', { runId: 'run', drive: false })
    await run.result()
    await store.post('run', { kind: 'steer', messages: [userMessage('the word', 1)] }, 1)
    await (await agent.load('run')).settled()
    expect((await foundIn(store, 'run')).prompt).toBe('the prompt')
    await store.close()
  },
)
