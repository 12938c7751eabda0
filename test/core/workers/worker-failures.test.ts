import { expect, test } from 'vitest'
import { deadOwner } from '../../../proof/support/dead-owner.ts'
import { hearWorker } from '../../../proof/support/heard-worker.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { quiet, runId, testAgent } from '../../../proof/support/test-agent.ts'
import { toolbox, toolNamed } from '../../../proof/support/tools.ts'
import { StoreError } from '../../../src/core/domain/store-error.ts'
import { createWorker } from '../../../src/core/workers/worker.ts'
import type { Store } from '../../../src/core/ports/store.ts'
import type { Tool } from '../../../src/core/ports/tool.ts'
import type { Toolset } from '../../../src/core/ports/toolset.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'

/** Tools that cannot be had for the first `times` runs. */
function missingTools(times: number, tools: readonly Tool[] = []): Toolset {
  let asked = 0
  return {
    name: 'away',
    tools: async () => {
      if (++asked <= times) throw new Error('the server is away')
      return tools
    },
    close: async () => undefined,
  }
}

test('RUN-06 retries a run that cannot be driven at growing intervals, without delaying other runs', async () => {
  const { agent, clock, store } = testAgent({ replies: ['Done'], tools: [missingTools(2)] })
  const other = testAgent({ replies: ['Fine'], store, clock, name: 'other', process: 'p2' })
  await using worker = createWorker({ agents: [agent, other.agent], pollMs: 1_000_000 })
  const heard = hearWorker(worker)
  const failed = (failures: number) => heard.until((event) => event.type === 'failed' && event.failures === failures)
  await worker.start(agent, 'Hi', { runId })
  const first = { type: 'failed', runId, agent: 'test', failures: 1, until: clock.now() + 1000 }
  expect(await failed(1)).toMatchObject({ ...first, problem: expect.stringContaining('the server is away') })
  await worker.start(other.agent, 'Hi', { runId: 'other' })
  expect(await heard.released(1)).toMatchObject({ runId: 'other' })
  await clock.sleeping(clock.now() + 1000)
  clock.advance(1000)
  expect(await failed(2)).toMatchObject({ until: clock.now() + 1000 })
  await clock.sleeping(clock.now() + 1000)
  clock.advance(1000)
  expect(await heard.released(2)).toMatchObject({ runId, status: 'done' })
})

test('RUN-06 a run is stored for workers by one write, after which it has no lease', async () => {
  const kept = memoryStore()
  const store: Store = {
    ...kept,
    release: () => Promise.reject(new StoreError('store_unavailable', 'The store is away.')),
  }
  const { agent } = testAgent({ store, replies: ['Done'] })
  await agent.start('Hi', { runId, drive: false }).result()
  expect((await store.record(runId)).isDriven).toBe(false)
})

test('RUN-06 sets a run that keeps failing aside, and retries it on request', async () => {
  const { agent, clock, store } = testAgent({ replies: ['Done'], tools: [missingTools(3)] })
  await using worker = createWorker({ agents: [agent], maxFailures: 3, pollMs: 1000 })
  const heard = hearWorker(worker)
  await worker.start(agent, 'Hi', { runId })
  for (const failures of [1, 2]) {
    await heard.until((event) => event.type === 'failed' && event.failures === failures)
    await clock.sleeping(clock.now() + 1000)
    clock.advance(1000)
  }
  const aside = await heard.until((event) => event.type === 'failed' && event.aside === true)
  expect(aside).toMatchObject({ runId, failures: 3, problem: expect.stringContaining('the server is away') })
  expect(await store.postponed({ isAside: true })).toMatchObject([{ runId, failures: 3 }])
  clock.advance(10_000_000)
  await quiet()
  expect(heard.events.filter(({ type }) => type === 'claimed')).toHaveLength(3)
  await store.retry(runId)
  expect(await heard.released(1)).toMatchObject({ runId, status: 'done' })
})

test('CKP-05 sets a run aside that kills its process repeatedly, by the count in the store', async () => {
  const store = memoryStore()
  const { agent, clock } = testAgent({ store, replies: ['Done'] })
  await agent.start('Hi', { runId, drive: false }).result()
  await agent.start('Hi', { runId: 'innocent', drive: false }).result()
  const claims: string[][] = []
  for (let death = 0; death < 4; death++) {
    const query = { agents: ['test'], now: clock.now(), limit: 8, owner: deadOwner(`worker-${death}`), ttlMs: 1000 }
    const found = await store.claimNext({ ...query, except: death < 2 ? [] : ['innocent'] })
    claims.push(found.map(({ lease, failures }) => `${lease.runId} ${failures}`))
  }
  expect(claims).toEqual([['run-1 0', 'innocent 0'], ['run-1 1', 'innocent 1'], ['run-1 2'], ['run-1 3']])
  await using worker = createWorker({ agents: [agent], maxFailures: 4, pollMs: 1000 })
  const heard = hearWorker(worker)
  const problem = 'Its driver died or hung 4 times in a row, without a commit in between.'
  const aside = await heard.until((event) => event.type === 'failed' && event.aside === true)
  expect(aside).toMatchObject({ runId, failures: 4, problem })
  await heard.until((event) => event.type === 'failed' && event.runId === 'innocent')
  await clock.sleeping(clock.now() + 1000)
  clock.advance(1000)
  expect(await heard.released(1)).toMatchObject({ runId: 'innocent', status: 'done' })
})

test('CKP-05 drives only one at a time of the runs that have failed more than once', async () => {
  const store = memoryStore()
  let driving = 0
  let most = 0
  const reply = async () => {
    most = Math.max(most, ++driving)
    await quiet()
    driving--
    return 'Done'
  }
  const { agent, clock } = testAgent({ store, replies: [reply] })
  for (const id of ['one', 'two', 'three']) {
    await agent.start('Hi', { runId: id, drive: false }).result()
    const query = { agents: ['test'], now: clock.now(), limit: 1, owner: deadOwner('gone'), ttlMs: 1000 }
    const [found] = await store.claimNext(query)
    if (found !== undefined) await store.release(found.lease, { until: clock.now() + 1, failures: 2, problem: 'died' })
  }
  clock.advance(1)
  await using worker = createWorker({ agents: [agent], pollMs: 1000 })
  const heard = hearWorker(worker)
  for (let released = 1; released < 3; released++) {
    await heard.released(released)
    await clock.sleeping(clock.now() + 1000)
    clock.advance(1000)
  }
  await heard.released(3)
  expect(most).toBe(1)
})

test('RUN-06 leaves a run with a call of a tool that this process lacks to others, and reports it once', async () => {
  const { ask } = toolbox()
  const replies = [calls(call('c1', 'ask')), 'Done']
  const first = testAgent({ replies, tools: [ask()] })
  await first.agent.run('Hi', { runId })
  const second = testAgent({ replies, store: first.store, clock: first.clock, process: 'p2' })
  await using without = createWorker({ agents: [second.agent], pollMs: 1000 })
  const heard = hearWorker(without)
  await (await first.agent.load(runId)).approve()
  const problem = 'It has a call of the tool "ask", which the agent lacks here.'
  expect(await heard.until(({ type }) => type === 'left')).toMatchObject({ runId, agent: 'test', problem })
  for (let poll = 0; poll < 3; poll++) {
    await first.clock.sleeping(first.clock.now() + 1000)
    first.clock.advance(1000)
  }
  await using worker = createWorker({ agents: [first.agent] })
  expect(await hearWorker(worker).released(1)).toMatchObject({ runId, status: 'done' })
  expect(heard.events.filter(({ type }) => type === 'left')).toHaveLength(1)
})

test.each([{ optional: false }, { optional: true }])(
  'RUN-06 retries a run with a call of a tool whose toolset is unreachable (%j)',
  async ({ optional }) => {
    const { ask } = toolbox()
    const replies = [calls(call('c1', 'ask')), 'Done']
    const first = testAgent({ replies, tools: [ask()] })
    await first.agent.run('Hi', { runId })
    await (await first.agent.load(runId)).approve()
    const away = { ...missingTools(1, [ask()]), optional }
    const { clock } = first
    const second = testAgent({ replies, tools: [away], store: first.store, clock, process: 'p2' })
    await using worker = createWorker({ agents: [second.agent], pollMs: 1_000_000 })
    const heard = hearWorker(worker)
    const failed = await heard.until(({ type }) => type === 'failed' || type === 'left')
    expect(failed).toMatchObject({ type: 'failed', runId, failures: 1, until: clock.now() + 1000 })
    expect(failed).toMatchObject({ problem: expect.stringContaining('the server is away') })
    await clock.sleeping(clock.now() + 1000)
    clock.advance(1000)
    expect(await heard.released(1)).toMatchObject({ runId, status: 'done' })
  },
)

/** A store as a process of an earlier version finds it: the documents of its runs are of a schema that is not known yet. */
function laterStore(inner: Store): Store {
  const later = (text: string) => JSON.stringify({ ...(JSON.parse(text) as object), schema: 999 })
  return {
    ...inner,
    async claimNext(query) {
      const found = await inner.claimNext(query)
      return found.map(({ run, ...work }) => {
        if ('damaged' in run || run.checkpoint === null) return { ...work, run }
        return { ...work, run: { ...run, checkpoint: { ...run.checkpoint, document: later(run.checkpoint.document) } } }
      })
    },
  }
}

test('CKP-07 RUN-06 leaves a run with a document of a later schema to a worker that knows it, and reports it once', async () => {
  const { ask } = toolbox()
  const options = { replies: [calls(call('c1', 'ask')), 'Done'], tools: [ask()] }
  const later = testAgent(options)
  await later.agent.run('Hi', { runId })
  const { clock } = later
  const earlier = testAgent({ ...options, store: laterStore(later.store), clock, process: 'p2' })
  await using old = createWorker({ agents: [earlier.agent], pollMs: 1000 })
  const heard = hearWorker(old)
  await (await later.agent.load(runId)).approve()
  const left = await heard.until(({ type }) => type === 'left')
  expect(left).toMatchObject({ runId, problem: expect.stringContaining('its document has schema 999') })
  for (let poll = 0; poll < 3; poll++) {
    await clock.sleeping(clock.now() + 1000)
    clock.advance(1000)
  }
  await using worker = createWorker({ agents: [later.agent] })
  expect(await hearWorker(worker).released(1)).toMatchObject({ runId, status: 'done' })
  expect(heard.events.filter(({ type }) => type === 'left' || type === 'failed')).toHaveLength(1)
})

test('RUN-06 leaves runs of an agent that this process lacks to others, and reports the agent once', async () => {
  const store = memoryStore()
  const known = testAgent({ store, replies: ['Done'] })
  const unknown = testAgent({ store, clock: known.clock, name: 'clerk', process: 'p2' })
  for (const id of ['one', 'two']) await unknown.agent.start('Hi', { runId: id, drive: false }).result()
  await using worker = createWorker({ agents: [known.agent], pollMs: 100_000 })
  const heard = hearWorker(worker)
  expect(await heard.until(({ type }) => type === 'left')).toMatchObject({ agent: 'clerk', runId: 'two' })
  await known.clock.sleeping(known.clock.now() + 100_000)
  known.clock.advance(100_000)
  await known.clock.sleeping(known.clock.now() + 100_000)
  expect(heard.events.map(({ type }) => type)).toEqual(['left', 'idle'])
  expect(await store.record('one')).toMatchObject({ status: 'running', version: 0 })
})

test('RUN-06 reports a store that does not answer for a while, and asks it again', async () => {
  const inner = memoryStore()
  let isAway = false
  const store: Store = {
    ...inner,
    claimNext: async (query) => {
      if (isAway) throw new Error('the disk is away')
      return inner.claimNext(query)
    },
  }
  const { agent, clock } = testAgent({ store, replies: ['Done'] })
  isAway = true
  await using worker = createWorker({ agents: [agent], pollMs: 1000 })
  const heard = hearWorker(worker)
  expect(await heard.until(({ type }) => type === 'unreachable')).toMatchObject({ problem: 'the disk is away' })
  await worker.start(agent, 'Hi', { runId })
  isAway = false
  await clock.sleeping(clock.now() + 1000)
  clock.advance(1000)
  expect(await heard.released(1)).toMatchObject({ runId, status: 'done' })
})

test('EVT-04 a listener that throws or rejects stops neither the worker nor other listeners', async () => {
  const { agent } = testAgent({ replies: ['Done'], tools: [toolNamed('none', () => 'none')] })
  await using worker = createWorker({ agents: [agent] })
  worker.on(() => {
    throw new Error('thrown')
  })
  const leave = worker.on(async () => {
    throw new Error('rejected')
  })
  const heard = hearWorker(worker)
  await worker.start(agent, 'Hi', { runId })
  expect(await heard.released(1)).toMatchObject({ runId, status: 'done' })
  leave()
})
