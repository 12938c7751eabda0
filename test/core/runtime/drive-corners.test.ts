import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { StoreError } from '../../../src/index.ts'
import type { Store } from '../../../src/core/ports/store.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { start } from '../../../proof/support/fake-clock.ts'
import { resultsOf, statusesOf } from '../../../proof/support/read-run.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { heldTool, toolbox } from '../../../proof/support/tools.ts'
import { quiet, runId, testAgent } from '../../../proof/support/test-agent.ts'

/** A store whose other users are not heard of, as between two looks at a file. */
function deaf(inner: Store): Store {
  return { ...inner, watch: () => () => {} }
}

async function typesOf(run: AsyncIterable<{ readonly type: string }>): Promise<readonly string[]> {
  const types: string[] = []
  for await (const { type } of run) types.push(type)
  return types
}

test('DEC-04 DEC-07 applies a decision stored in time before a timer that its driver learns of first', async () => {
  const inner = memoryStore()
  const { ask } = toolbox()
  const held = heldTool()
  const tools = [ask('ask', { expiresAt: start + 1000 }), held.tool]
  const replies = [calls(call('c1', 'ask'), call('c2', 'held')), 'Done']
  const { agent, clock } = testAgent({ replies, tools, store: deaf(inner) })
  const end = agent.start('Hi', { runId }).settled()
  await held.begins('1.c2')
  await clock.sleeping(start + 1000)

  const other = await testAgent({ replies, tools, store: inner, clock, process: 'p2' }).agent.load(runId)
  expect(await other.approve('1.c1')).toMatchObject({ answer: 'applied' })
  clock.advance(1000)
  await expect.poll(() => statusesOf(inner, runId)).toMatchObject({ '1.c1': 'succeeded' })
  held.finish('1.c2')
  expect(await end).toMatchObject({ status: 'done' })
  expect(await resultsOf(inner, runId)).toEqual({ '1.c1': 'ask heard resume', '1.c2': 'held done' })
})

test('DEC-04 DEC-07 reads decisions again if a timer is due while they are read', async () => {
  const inner = memoryStore()
  const { ask } = toolbox()
  const held = heldTool()
  const tools = [ask('soon', { expiresAt: start + 1000 }), ask('later', { expiresAt: start + 2000 }), held.tool]
  const replies = [calls(call('c1', 'soon'), call('c2', 'later'), call('c3', 'held')), 'Done']
  const meanwhile: { happens?: () => Promise<void> } = {}
  const store: Store = {
    ...deaf(inner),
    async inbox(...asked) {
      const rows = await inner.inbox(...asked)
      const { happens } = meanwhile
      delete meanwhile.happens
      await happens?.()
      return rows
    },
  }
  const { agent, clock } = testAgent({ replies, tools, store })
  const end = agent.start('Hi', { runId }).settled()
  await held.begins('1.c3')
  await clock.sleeping(start + 2000)
  const other = await testAgent({ replies, tools, store: inner, clock, process: 'p2' }).agent.load(runId)
  meanwhile.happens = async () => {
    expect(await other.approve('1.c2')).toMatchObject({ answer: 'applied' })
    clock.advance(1000)
    await quiet()
  }
  clock.advance(1000)
  await quiet()
  held.finish('1.c3')
  expect(await end).toMatchObject({ status: 'done' })
  expect(await resultsOf(inner, runId)).toEqual({
    '1.c1': '[Cancelled: no decision came before the request expired.]',
    '1.c2': 'later heard resume',
    '1.c3': 'held done',
  })
})

test.each([
  { what: 'queued to the gate', options: { decisions: 'gate' as const }, extras: {} },
  { what: 'that waits until nothing runs beside it', options: {}, extras: { concurrency: 'exclusive' as const } },
])('DEC-04 keeps a decision $what although its request expires meanwhile', async ({ options, extras }) => {
  const { ask } = toolbox()
  const held = heldTool()
  const tools = [ask('ask', { expiresAt: start + 1000 }, extras), held.tool]
  const replies = [calls(call('c1', 'ask'), call('c2', 'held')), 'Done']
  const { agent, store, clock } = testAgent({ replies, tools, ...options })
  const run = agent.start('Hi', { runId })
  const end = run.settled()
  await held.begins('1.c2')
  await clock.sleeping(start + 1000)
  expect(await run.approve('1.c1')).toMatchObject({ answer: 'applied' })
  await quiet()
  clock.advance(1000)
  await quiet()
  held.finish('1.c2')
  expect(await end).toMatchObject({ status: 'done' })
  expect(await resultsOf(store, runId)).toEqual({ '1.c1': 'ask heard resume', '1.c2': 'held done' })
})

test('RUN-06 ends the drive, not the run, if the store does not return a decision', async () => {
  const inner = memoryStore()
  const held = heldTool('held', { effects: 'none', needs: 'approval' })
  const options = { replies: [calls(call('c1', 'held')), 'Done'], tools: [held.tool] }
  const first = testAgent({ ...options, store: inner })
  const run = first.agent.start('Hi', { runId })
  await run.settled()
  await run.approve('1.c1')
  const driving = run.settled().catch(() => undefined)
  await held.begins('1.c1')
  await run.detach()
  await driving

  const locked = new StoreError('store_unavailable', 'The store is locked.')
  let reads = 0
  const store: Store = {
    ...inner,
    inbox: (...asked) =>
      asked[1]?.decisionId !== undefined && ++reads === 1 ? Promise.reject(locked) : inner.inbox(...asked),
  }
  const again = await testAgent({ ...options, store, clock: first.clock, process: 'p2' }).agent.load(runId)
  await expect(again.settled()).rejects.toBe(locked)
  expect(await inner.record(runId)).toMatchObject({ status: 'running' })
  const end = again.settled()
  await expect.poll(() => held.begun).toEqual(['1.c1', '1.c1'])
  held.finish('1.c1')
  expect(await end).toMatchObject({ status: 'done', text: 'Done' })
})

test('CKP-05 releases its lease if it has to detach before it drives', async () => {
  const { act, done } = toolbox()
  const options = { replies: [calls(call('c1', 'act')), 'Done'], tools: [act()] }
  const { agent, store, clock } = testAgent(options)
  const run = agent.start('Hi', { runId })
  const driving = run.settled()
  driving.catch(() => undefined)
  await run.detach()
  await expect(driving).rejects.toMatchObject({ code: 'run_detached' })
  expect(done).toEqual([])

  await agent.start('Hi', { runId: 'never-driven' }).detach()
  for (const id of [runId, 'never-driven']) {
    const other = await testAgent({ ...options, store, clock, process: 'p2' }).agent.load(id)
    expect(await other.settled()).toMatchObject({ status: 'done' })
  }
})

test('CKP-05 keeps the reason why a run could not be stored, even if the caller detaches', async () => {
  const { agent, store } = testAgent({ replies: ['Done'] })
  await agent.run('Hi', { runId })
  const again = agent.start('Hi', { runId })
  await again.detach()
  await expect(again.settled()).rejects.toMatchObject({ code: 'run_exists' })
  expect(await store.record(runId)).toMatchObject({ status: 'done', version: 2 })
})

test('RUN-07 removes its listener from the signal when the run rests', async () => {
  const { act } = toolbox()
  const { agent, store } = testAgent({
    replies: [calls(call('c1', 'act')), 'Done'],
    tools: [act('act', { needs: 'approval' })],
  })
  const controller = new AbortController()
  const run = agent.start('Hi', { runId, signal: controller.signal })
  expect(await run.settled()).toMatchObject({ status: 'waiting' })
  expect(getEventListeners(controller.signal, 'abort')).toEqual([])

  controller.abort()
  await run.approve('1.c1')
  expect(await run.settled()).toMatchObject({ status: 'done', outcome: { reason: 'natural_end' } })
  expect(await store.inbox(runId, { isOpen: true })).toEqual([])
})

test('CKP-05 releases the lease if the store cannot be watched', async () => {
  const inner = memoryStore()
  const store: Store = {
    ...inner,
    watch: () => {
      throw new StoreError('store_unavailable', 'Nobody can be told.')
    },
  }
  await expect(testAgent({ replies: ['Done'], store }).agent.run('Hi', { runId })).rejects.toBeInstanceOf(StoreError)
  const other = await testAgent({ replies: ['Done'], store: inner, process: 'p2' }).agent.load(runId)
  expect(await other.settled()).toMatchObject({ status: 'done' })
})

test('CKP-05 continues if a renewal throws synchronously', async () => {
  const inner = memoryStore()
  const asked = Promise.withResolvers<void>()
  const store: Store = {
    ...inner,
    renew: () => {
      asked.resolve()
      throw new StoreError('store_unavailable', 'The file is locked.')
    },
  }
  const held = heldTool()
  const { agent } = testAgent({ replies: [calls(call('c1', 'held')), 'Done'], tools: [held.tool], store, leaseMs: 3 })
  const end = agent.run('Hi', { runId })
  await asked.promise
  held.finish('1.c1')
  expect(await end).toMatchObject({ status: 'done' })
})

test('DEC-07 ends in the state it rested in if another driver received the news of its last moment', async () => {
  const inner = memoryStore()
  const driven = new StoreError('run_is_driven', 'Another process drives this run.')
  const store: Store = {
    ...inner,
    release: async (lease) => {
      await inner.decide(runId, [{ target: '1.c1', action: 'resume' }], start)
      await inner.release(lease)
    },
    claim: () => Promise.reject(driven),
  }
  const { act } = toolbox()
  const tools = [act('act', { needs: 'approval' })]
  const { agent } = testAgent({ replies: [calls(call('c1', 'act')), 'Done'], tools, store })
  expect(await agent.run('Hi', { runId })).toMatchObject({ status: 'waiting', suspended: [{ callId: '1.c1' }] })
})

test('EVT-04 emits its own event and its own end to each of several readers', async () => {
  const { agent } = testAgent({ replies: ['Done'] })
  const run = agent.start('Hi', { runId })
  const events = run[Symbol.asyncIterator]()
  const taken = await Promise.all(Array.from({ length: 20 }, () => events.next()))
  const told = taken.flatMap((item) => (item.done === true ? [] : item.value.type))
  expect(told).toEqual(await typesOf(testAgent({ replies: ['Done'] }).agent.start('Hi', { runId })))
  expect(taken.at(-1)).toEqual({ done: true, value: undefined })
})

test('EVT-01 emits once that a call has settled, although a decision and a cancel arrived together', async () => {
  const { act } = toolbox()
  const tools = [act('act', { needs: 'approval' })]
  const { agent } = testAgent({ replies: [calls(call('c1', 'act')), 'Done'], tools })
  const run = agent.start('Hi', { runId })
  await run.settled()
  await run.approve('1.c1')
  await run.cancel()
  const told: string[] = []
  for await (const event of run) if (event.type === 'call.settled') told.push(`${event.type} ${event.status}`)
  expect(told).toEqual(['call.settled cancelled'])
})

test('EVT-04 continues although its listener throws', async () => {
  const inspect = () => {
    throw new Error('I cannot look.')
  }
  expect(await testAgent({ replies: ['Done'], inspect }).agent.run('Hi')).toMatchObject({
    status: 'done',
    text: 'Done',
  })
  const observer = { next: inspect }
  expect(await testAgent({ replies: ['Done'], inspect: observer }).agent.run('Hi')).toMatchObject({ status: 'done' })
})

test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('CKP-05 refuses a lease of %d milliseconds', (leaseMs) => {
  expect(() => testAgent({ leaseMs })).toThrow(expect.objectContaining({ name: 'UsageError', code: 'bad_option' }))
})
