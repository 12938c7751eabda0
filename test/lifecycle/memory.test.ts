import { expect, test } from 'vitest'
import { toolbox, toolNamed } from '../../proof/support/tools.ts'
import { call, calls } from '../../proof/support/say.ts'
import { eventsOf, quiet, runId, testAgent } from '../../proof/support/test-agent.ts'
import { createAgent } from '../../src/index.ts'
import { sqliteMemory } from '../../src/adapters/memory/sqlite/index.ts'
import type { Memory, MemoryItem } from '../../src/core/ports/memory.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'

/** A memory of this process, which may refuse to keep something. */
function listMemory(refuses: (item: MemoryItem) => boolean = () => false) {
  const given: MemoryItem[] = []
  const rows = new Map<string, MemoryItem>()
  const memory: Memory = {
    query: ({ userId }) => Promise.resolve([...rows.values()].filter((row) => row.userId === userId)),
    add: (item) => {
      given.push(item)
      if (refuses(item)) return Promise.reject(new Error('The disk is full.'))
      rows.set(`${item.userId} ${item.key}`, item)
      return Promise.resolve()
    },
    forget: () => Promise.resolve(0),
  }
  return { memory, given, rows }
}

const keysOf = (items: Iterable<MemoryItem>) => [...items].map(({ kind, key }) => `${kind} ${key}`)
const { act, fail } = toolbox()

test('CTX-04 remembers tool results and the final answer, once for each key, and recalls them in the next session', async () => {
  const { memory, given } = listMemory()
  const replies = [calls(call('a', 'act'), call('b', 'fail')), 'Noted.']
  const { agent, prompts } = testAgent({ replies, tools: [act(), fail()], memory })
  const first = await agent.session('s1').prompt('I live in Lisbon.', { userId: 'ann' })
  await first.settled()
  const second = await agent.session('s2').prompt('Where do I live?', { userId: 'ann' })
  await second.settled()
  // Calls that run side by side are remembered as they settle.
  const [one, other, last] = keysOf(given)
  expect(new Set([one, other])).toEqual(new Set([`interaction ${first.id}/1.a`, `interaction ${first.id}/1.b`]))
  expect(last).toBe(`answer ${first.id}/end`)
  expect(given[2]).toMatchObject({
    userId: 'ann',
    session: 's1',
    data: { user: 'I live in Lisbon.', answer: 'Noted.' },
  })
  expect(given.find(({ key }) => key.endsWith('1.a'))?.data).toMatchObject({ tool: 'act', arguments: '{}' })
  expect(prompts.at(-1)?.[1]).toContain('I live in Lisbon.')
  await agent.close()
  expect(new Set(given.map(({ key }) => key)).size).toBe(given.length)
  // Recalled memories are not stored again.
  expect(JSON.stringify(given.at(-1)?.data)).not.toContain('Lisbon')
})

test('AGT-11 CTX-04 remembers that a limit was reached, with the final answer if there was one', async () => {
  for (const [action, data] of [
    ['finish', { user: 'Hi', answer: 'Best I have.', limit: 'max_turns' }],
    ['stop', { user: 'Hi', limit: 'max_turns' }],
    ['error', { user: 'Hi', limit: 'max_turns' }],
  ] as const) {
    const { memory, given } = listMemory()
    const replies = [calls(call('a', 'act')), 'Best I have.']
    const { agent } = testAgent({ replies, tools: [act()], memory, limits: { maxTurns: 1 }, onLimit: action })
    await agent.run('Hi', { runId, userId: 'ann' })
    await agent.close()
    expect(keysOf(given)).toEqual([`interaction ${runId}/1.a`, `limit ${runId}/end`])
    expect(given[1]?.data).toEqual(data)
  }
})

test('CTX-04 remembers no answer of a run that is cancelled, fails, waits or has no user', async () => {
  const { memory, given } = listMemory()
  const { ask } = toolbox()
  const { agent } = testAgent({ replies: [calls(call('a', 'ask')), 'Bye.'], tools: [ask()], memory })
  const run = agent.start('Hi', { runId, userId: 'ann' })
  await run.settled()
  await agent.run('Hi', { runId: 'nobody' })
  await quiet()
  expect(given).toEqual([])
  await run.cancel()
  await run.settled()
  await agent.close()
  expect(given).toEqual([])
})

test('CTX-04 reports a memory that refuses and retries it later, without delaying anything else', async () => {
  let isFull = true
  const { memory, given, rows } = listMemory(({ kind }) => kind === 'interaction' && isFull)
  const { agent, clock } = testAgent({ replies: [calls(call('a', 'act')), 'Bye.'], tools: [act()], memory })
  const failed: unknown[] = []
  agent.on((event) => event.type === 'memory.failed' && failed.push([event.part, event.key, event.message]))
  await eventsOf(agent.start('Hi', { runId, userId: 'ann' }))
  await quiet()
  expect(failed).toEqual([
    ['add', `${runId}/1.a`, `The memory did not accept "${runId}/1.a": The disk is full. It will be sent again.`],
  ])
  expect(keysOf(rows.values())).toEqual([`answer ${runId}/end`])
  isFull = false
  clock.advance(1_000)
  await quiet()
  expect(keysOf(rows.values())).toEqual([`answer ${runId}/end`, `interaction ${runId}/1.a`])
  expect(given).toHaveLength(3)
  await agent.close()
})

test('CTX-04 asks a memory only after it has stored what earlier runs left', async () => {
  const { memory } = listMemory()
  const taken = Promise.withResolvers<void>()
  const slow: Memory = { ...memory, add: (item) => taken.promise.then(() => memory.add(item)) }
  const { agent, prompts } = testAgent({ replies: ['Noted.'], memory: slow })
  await agent.run('I live in Lisbon.', { runId, userId: 'ann' })
  const next = agent.start('Where do I live?', { userId: 'ann' })
  await quiet()
  expect(prompts).toHaveLength(1)
  taken.resolve()
  await next.settled()
  expect(prompts.at(-1)?.at(-1)).toContain('I live in Lisbon.')
  await agent.close()
})

test('CTX-04 a memory that hangs does not keep a run from ending', async () => {
  const memory: Memory = {
    query: () => Promise.resolve([]),
    add: () => new Promise(() => {}),
    forget: () => Promise.resolve(0),
  }
  const { agent } = testAgent({ replies: ['Bye.'], memory })
  const { outcome } = await agent.run('Hi', { runId, userId: 'ann' })
  expect(outcome).toEqual({ reason: 'natural_end' })
})

test('CTX-04 a process uses the memories of an earlier one, and each agent has its own memory', async () => {
  const store = memoryStore()
  const dead = testAgent({ store, replies: ['Noted.'], memory: listMemory(() => true).memory })
  await dead.agent.run('I live in Lisbon.', { runId, userId: 'ann' })
  await dead.agent.close()
  const other = listMemory()
  const next = listMemory()
  const clock = dead.clock
  const model = scripted([])
  await using stranger = createAgent({ name: 'other', model, store, clock, memory: other.memory })
  await using agent = createAgent({ name: 'test', model, store, clock, memory: next.memory })
  await quiet()
  clock.advance(60_000)
  await quiet()
  expect([stranger.name, agent.name, keysOf(other.given), keysOf(next.given)]).toEqual([
    'other',
    'test',
    [],
    [`answer ${runId}/end`],
  ])
})

test("CTX-04 shortens long texts so that the memory's file accepts them", async () => {
  const memory = sqliteMemory(':memory:')
  const long = toolNamed('long', () => '\u0001'.repeat(100_000))
  const replies = [calls(call('a', 'long', { text: '\u0001'.repeat(50_000) })), '\u0001'.repeat(90_000)]
  const { agent } = testAgent({ replies, tools: [long], memory })
  const failed: string[] = []
  agent.on((event) => event.type === 'memory.failed' && failed.push(event.message))
  await agent.run('lisbon '.repeat(20_000), { runId, userId: 'ann' })
  await agent.close()
  expect(failed).toEqual([])
  expect((await memory.query({ userId: 'ann', input: 'lisbon' })).map(({ kind }) => kind)).toEqual(['answer'])
  expect((await memory.query({ userId: 'ann', input: 'long' })).map(({ kind }) => kind)).toEqual(['interaction'])
  memory.close()
})

test('CTX-04 refuses a store without an outbox for an agent with a memory', () => {
  const store = { ...memoryStore(), change: undefined } as never
  expect(() => createAgent({ name: 'a', model: scripted([]), store, memory: listMemory().memory })).toThrow(
    /sqliteStore/,
  )
})
