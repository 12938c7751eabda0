import { expect, test } from 'vitest'
import { hearWorker } from '../../../proof/support/heard-worker.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { heldReply, quiet, runId, testAgent } from '../../../proof/support/test-agent.ts'
import { heldTool, toolbox } from '../../../proof/support/tools.ts'
import { createWorker } from '../../../src/core/workers/worker.ts'
import type { Store } from '../../../src/core/ports/store.ts'
import type { ScriptedReply } from '../../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'

test('DEC-07 a worker drives a run that was only stored, and reports its activity', async () => {
  const { agent, store, prompts } = testAgent({ replies: ['Done'] })
  await using worker = createWorker({ agents: [agent] })
  const heard = hearWorker(worker)
  await worker.start(agent, 'Hi', { runId })
  await heard.released(1)
  expect(prompts).toEqual([['user: Hi']])
  expect(await store.record(runId)).toMatchObject({ status: 'done' })
  expect(heard.events.filter(({ type }) => type !== 'idle')).toEqual([
    {
      type: 'claimed',
      runId,
      agent: 'test',
      failures: 0,
      counts: { driving: 1, claimed: 1, released: 0, failed: 0, left: 0 },
    },
    {
      type: 'released',
      runId,
      agent: 'test',
      status: 'done',
      counts: { driving: 1, claimed: 1, released: 1, failed: 0, left: 0 },
    },
  ])
})

test('DEC-07 a worker notices an answer that another process stores, and drives the run on', async () => {
  const { ask, done } = toolbox()
  const replies = [calls(call('c1', 'ask')), 'Done']
  const first = testAgent({ replies, tools: [ask()] })
  await using worker = createWorker({ agents: [first.agent] })
  const heard = hearWorker(worker)
  await worker.start(first.agent, 'Hi', { runId })
  expect(await heard.released(1)).toMatchObject({ status: 'waiting' })
  const other = testAgent({ replies, tools: [ask()], store: first.store, clock: first.clock, process: 'p2' })
  await (await other.agent.load(runId)).approve()
  expect(await heard.released(2)).toMatchObject({ status: 'done' })
  expect(done).toEqual(['ask {}', 'ask {}'])
  expect(other.prompts).toEqual([])
})

test('DEC-07 a run that is answered while its lease is released is driven again only afterwards', async () => {
  const { ask } = toolbox()
  const inner = memoryStore()
  const given = Promise.withResolvers<void>()
  const hasGiven = Promise.withResolvers<void>()
  const store: Store = {
    ...inner,
    async release(lease) {
      await inner.release(lease)
      hasGiven.resolve()
      await given.promise
    },
  }
  const replies = [calls(call('c1', 'ask')), 'Done']
  const { agent, clock } = testAgent({ replies, tools: [ask()], store })
  await using worker = createWorker({ agents: [agent] })
  const heard = hearWorker(worker)
  const other = testAgent({ replies, tools: [ask()], store: inner, clock, process: 'p2' })
  await other.agent.start('Hi', { runId, drive: false }).result()
  await hasGiven.promise
  await (await other.agent.load(runId)).approve()
  await quiet()
  const claimed = heard.events.filter(({ type }) => type === 'claimed')
  given.resolve()
  expect(claimed).toHaveLength(1)
  expect(await heard.released(2)).toMatchObject({ counts: { driving: 1, claimed: 2 } })
})

test('DEC-07 a suspension expires without a driver: the worker wakes when its timer is due', async () => {
  const { ask } = toolbox()
  const { agent, clock, store } = testAgent({
    replies: [calls(call('c1', 'ask')), 'Done'],
    tools: [ask('ask', { expiresAt: 1_700_000_000_000 + 5000 })],
  })
  await using worker = createWorker({ agents: [agent], pollMs: 1_000_000 })
  const heard = hearWorker(worker)
  await worker.start(agent, 'Hi', { runId })
  await heard.released(1)
  await clock.sleeping(clock.now() + 5000)
  clock.advance(5000)
  expect(await heard.released(2)).toMatchObject({ status: 'done' })
  expect((await store.calls(runId))[0]?.record).toMatchObject({ status: 'cancelled' })
})

test('DEC-07 begins a scheduled run at its time', async () => {
  const { agent, clock, prompts } = testAgent({ replies: ['Done'] })
  await using worker = createWorker({ agents: [agent], pollMs: 1_000_000 })
  const heard = hearWorker(worker)
  await worker.start(agent, 'Hi', { runId, at: clock.now() + 60_000 })
  await clock.sleeping(clock.now() + 60_000)
  await quiet()
  expect(prompts).toEqual([])
  clock.advance(60_000)
  await heard.released(1)
  expect(prompts).toEqual([['user: Hi']])
})

test('CKP-05 a worker takes over a run whose driver released its lease half-way, without repeating any work', async () => {
  const held = heldTool()
  const replies = [calls(call('c1', 'held')), 'Done']
  const first = testAgent({ replies, tools: [held.tool] })
  await using gone = createWorker({ agents: [first.agent] })
  await gone.start(first.agent, 'Hi', { runId })
  await held.begins('1.c1')
  const drained = gone.drain({ drainMs: 1000 })
  await quiet()
  held.finish('1.c1')
  await drained
  expect((await first.store.record(runId)).isDriven).toBe(false)
  const second = testAgent({ replies, tools: [held.tool], store: first.store, clock: first.clock, process: 'p2' })
  await using worker = createWorker({ agents: [second.agent] })
  expect(await hearWorker(worker).released(1)).toMatchObject({ status: 'done' })
  expect(held.begun).toEqual(['1.c1'])
  expect([first.prompts.length, second.prompts.length]).toEqual([1, 1])
})

test('DEC-07 a worker drives at most the allowed number of runs at once', async () => {
  const replies = Array.from({ length: 5 }, heldReply)
  let asked = 0
  const answer: ScriptedReply = (request) => {
    const reply = replies[asked++]?.reply
    return typeof reply === 'function' ? reply(request) : ''
  }
  const { agent } = testAgent({ replies: [answer] })
  await using worker = createWorker({ agents: [agent], concurrency: 2 })
  const heard = hearWorker(worker)
  for (let index = 0; index < 5; index++) await worker.start(agent, `Prompt ${index}`)
  for (const [index, reply] of replies.entries()) {
    await reply.asked
    await quiet()
    expect(asked).toBe(Math.min(index + 2, 5))
    reply.give('Done')
  }
  await heard.released(5)
  expect(Math.max(...heard.events.map(({ counts }) => counts.driving))).toBe(2)
})
