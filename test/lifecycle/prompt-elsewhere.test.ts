import { expect, test } from 'vitest'
import { transcriptOf } from '../../proof/support/read-run.ts'
import { call, calls, say } from '../../proof/support/say.ts'
import { eventsOf, runId, testAgent, type TestAgentOptions } from '../../proof/support/test-agent.ts'
import { toolbox } from '../../proof/support/tools.ts'
import { checkRuns, type Run, type Store } from '../../src/index.ts'
import type { StoredEvent } from '../../src/ports.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'

const nextId = 'run-2'
const replies = [
  { ...calls(call('c', 'gated')), usage: { input: 100 } },
  { text: 'One', usage: { input: 100 } },
  { ...calls(call('c', 'gated')), usage: { input: 1 } },
  { text: 'Two', usage: { input: 1 } },
  'Three',
]

function gatedAgent(options: TestAgentOptions = {}) {
  const { act, done } = toolbox()
  return { done, ...testAgent({ replies, tools: [act('gated', { needs: 'approval' })], ...options }) }
}

async function finish(run: Run) {
  await run.settled()
  await run.approve()
  return run.settled()
}

async function readAll(run: Run): Promise<readonly StoredEvent[]> {
  const events: StoredEvent[] = []
  for await (const event of run.events({ deltas: false })) events.push(event)
  return events
}

/** A store in which something else happens right before it creates a run. */
function storeWith(store: Store, beforeCreate: () => Promise<unknown>): Store {
  return {
    ...store,
    create: async (...given) => {
      await beforeCreate()
      return store.create(...given)
    },
  }
}

test('AGT-02 DEC-07 a continuing run waits, is decided and is finished by another process', async () => {
  const { agent, store, clock, done } = gatedAgent()
  const first = agent.start('Hi', { runId })
  await finish(first)
  const next = await first.prompt('More', { runId: nextId })
  expect((await next.settled()).status).toBe('waiting')
  await store.delete(runId)

  const later = gatedAgent({ store, clock, process: 'p2' })
  const taken = await later.agent.load(nextId)
  const result = await finish(taken)
  expect(result).toMatchObject({ text: 'Two', usage: { totalTokens: 2 } })
  expect([done, later.done]).toEqual([['gated {}'], ['gated {}']])
  expect(later.prompts.at(-1)).toEqual([
    'user: Hi',
    'assistant: calls 1.c gated',
    'result 1.c: gated done',
    'assistant: One',
    'user: More',
    'assistant: calls 2.c gated',
    'result 2.c: gated done',
  ])
})

test('AGT-02 CKP-08 a continuing run is forked and read at each of its checkpoints', async () => {
  const { agent, store } = gatedAgent()
  const first = agent.start('Hi', { runId })
  await finish(first)
  const next = await first.prompt('More', { runId: nextId })
  const result = await finish(next)
  const expected = await transcriptOf(store, nextId)
  const history = await next.history()
  expect(history[0]?.names).toEqual(['UserMessage'])
  for (const { version } of history) {
    const { messages } = await next.at(version)
    expect(messages.slice(0, 5).map(say)).toEqual((await next.messages()).slice(0, 5).map(say))
    const fork = await agent.fork(nextId, { from: version })
    const { status } = await fork.settled()
    const ended = status === 'waiting' ? await finish(fork) : await fork.settled()
    expect(ended).toMatchObject({ text: 'Two', usage: result.usage, outcome: { reason: 'natural_end' } })
    expect(await transcriptOf(store, fork.id)).toEqual(expected)
    const after = await fork.prompt('Last')
    expect(await after.settled()).toMatchObject({ text: 'Three', run: { subject: runId } })
  }
})

test('AGT-02 EVT-04 a continuing run stores its own events, from its start to its end', async () => {
  const { agent } = gatedAgent({ tools: [toolbox().act('gated')] })
  const first = agent.start('Hi', { runId })
  await first.settled()
  const next = await first.prompt('More', { runId: nextId })
  const told = (await eventsOf(next)).filter(({ seq }) => seq !== undefined)
  const read = await readAll(next)
  expect(read).toEqual(told)
  expect(read.map(({ seq }) => seq)).toEqual([...read.map(({ seq }) => seq)].sort((left, right) => left - right))
  expect(read[0]).toMatchObject({ type: 'run.started', subject: runId, parentRunId: runId })
  expect(read.at(-1)).toMatchObject({ type: 'run.ended' })
})

test('AGT-02 CKP-03 a continuing run that was only created is read completely, checked, and begun by any driver', async () => {
  const { agent, store, clock } = gatedAgent({ tools: [toolbox().act('gated')] })
  const first = agent.start('Hi', { runId })
  await first.settled()
  const commit = () => Promise.reject(new Error('This process commits nothing.'))
  const broken = gatedAgent({ store: { ...store, commit }, clock, process: 'p2' })
  const next = await (await broken.agent.load(runId)).prompt('More', { runId: nextId })
  await expect(next.settled()).rejects.toMatchObject({ name: 'StoreError' })
  const loaded = await agent.load(nextId)
  expect(await loaded.result()).toMatchObject({ status: 'running', text: '', usage: { totalTokens: 0 } })
  expect((await loaded.messages()).map(say)).toEqual((await first.messages()).map(say))
  expect(await loaded.history()).toEqual([])
  expect(await checkRuns(store, agent)).toEqual({ checked: 1, problems: [] })
  await expect(loaded.prompt('Too early')).rejects.toMatchObject({ code: 'run_busy' })
  clock.advance(60_000)
  const events = await eventsOf(loaded)
  expect(events[0]).toMatchObject({ type: 'run.started', parentRunId: runId })
  expect((await loaded.result()).text).toBe('Two')
})

test('AGT-02 never begins a continuing run if its predecessor is missing from the store', async () => {
  const { agent, store, clock, prompts } = gatedAgent({ tools: [toolbox().act('gated')] })
  const first = agent.start('Hi', { runId })
  await first.settled()
  const next = await first.prompt('More')
  await next.settled()
  const { input } = await store.read(next.id)
  const before = [...prompts]
  const owner = { id: 'gone', host: 'elsewhere', pid: 1, pidStart: '' }
  await store.release(await store.create({ id: 'half', agent: 'test', input, at: clock.now() }, owner, 1000))
  await expect((await agent.load('half')).settled()).rejects.toMatchObject({ code: 'snapshot_unreadable' })
  expect(prompts).toEqual(before)
})

test('AGT-02 refuses a prompt to a run that is deleted before the new one is stored, and stores nothing', async () => {
  const store = memoryStore()
  const { agent } = gatedAgent({ store, tools: [toolbox().act('gated')] })
  await agent.run('Hi', { runId })
  const gone = storeWith(store, () => store.delete(runId))
  const later = gatedAgent({ store: gone, tools: [toolbox().act('gated')], process: 'p2' })
  const original = await later.agent.load(runId)
  await expect(original.prompt('More')).rejects.toMatchObject({ name: 'StoreError', code: 'run_unknown' })
  expect(await store.list()).toEqual([])
})

test('AGT-02 refuses the second of two prompts with one id, and the first continues', async () => {
  const { agent, store } = gatedAgent({ tools: [toolbox().act('gated')] })
  const first = agent.start('Hi', { runId })
  await first.settled()
  const both = await Promise.allSettled(['Left', 'Right'].map((text) => first.prompt(text, { runId: nextId })))
  expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  expect(both[1]).toMatchObject({ reason: { name: 'StoreError', code: 'run_exists' } })
  expect(await (await agent.load(nextId)).settled()).toMatchObject({ text: 'Two' })
  expect((await store.list()).length).toBe(2)
})

test("AGT-02 a start that attaches compares its prompt with the continuing run's own prompt", async () => {
  const { agent } = gatedAgent({ tools: [toolbox().act('gated')] })
  const first = agent.start('Hi', { runId })
  await first.settled()
  const next = await first.prompt('More', { runId: nextId })
  await next.settled()
  await expect(agent.run('Hi', { runId: nextId, ifExists: 'attach' })).rejects.toMatchObject({ code: 'other_prompt' })
  expect(await agent.run('More', { runId: nextId, ifExists: 'attach' })).toMatchObject({ text: 'Two' })
})

test('AGT-02 a prompt to a run that is not stored yet waits for it, and reports why it could not be stored', async () => {
  const { agent } = gatedAgent({ tools: [toolbox().act('gated')] })
  const first = agent.start('Hi', { runId })
  await expect(first.prompt('More')).rejects.toMatchObject({ code: 'run_busy' })
  await expect(agent.start('Hi', { runId }).prompt('More')).rejects.toMatchObject({ code: 'run_exists' })
  await first.settled()
})

test('AGT-02 a closed agent leaves a continuing run to others', async () => {
  const { agent, store, clock } = gatedAgent({ tools: [toolbox().act('gated')] })
  const first = agent.start('Hi', { runId })
  await first.settled()
  const next = await first.prompt('More', { runId: nextId })
  await agent.close()
  await expect(next.prompt('Last')).rejects.toMatchObject({ code: 'agent_closed' })
  const later = gatedAgent({ store, clock, tools: [toolbox().act('gated')], process: 'p2' })
  expect(await (await later.agent.load(nextId)).settled()).toMatchObject({ status: 'done', text: 'Two' })
})
