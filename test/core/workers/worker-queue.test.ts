import { expect, test } from 'vitest'
import { hearWorker } from '../../../proof/support/heard-worker.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { heldReply, quiet, runId, testAgent } from '../../../proof/support/test-agent.ts'
import { start } from '../../../proof/support/fake-clock.ts'
import { heldTool } from '../../../proof/support/tools.ts'
import { listWorkers } from '../../../src/core/driving/list-workers.ts'
import { createWorker } from '../../../src/core/workers/worker.ts'

test('SCALE-01 start waits while the maximum number of runs is stored and not begun', async () => {
  const reply = heldReply()
  const { agent, store, clock } = testAgent({ replies: [reply.reply, 'Done'] })
  await using worker = createWorker({ agents: [agent], concurrency: 1, queueLimit: 2 })
  const heard = hearWorker(worker)
  await worker.start(agent, 'first')
  await reply.asked
  await agent.start('later', { drive: false, at: clock.now() + 1e9 }).result()
  let stored = 0
  const starts = ['a', 'b', 'c', 'd'].map((prompt) => worker.start(agent, prompt).then(() => stored++))
  await quiet()
  expect([stored, (await store.list()).length]).toEqual([2, 4])
  reply.give('Done')
  await Promise.all(starts)
  await heard.released(5)
})

test('SCALE-01 refuses a start that still waits when the worker is drained, and does not store it', async () => {
  const reply = heldReply()
  const { agent, store } = testAgent({ replies: [reply.reply] })
  const worker = createWorker({ agents: [agent], concurrency: 1, queueLimit: 1 })
  await worker.start(agent, 'first')
  await reply.asked
  await worker.start(agent, 'second')
  const third = worker.start(agent, 'third')
  third.catch(() => undefined)
  await quiet()
  await worker.drain({ drainMs: 0 })
  await expect(third).rejects.toMatchObject({ code: 'worker_drained' })
  await expect(worker.start(agent, 'fourth')).rejects.toMatchObject({ code: 'worker_drained' })
  expect(await store.list()).toHaveLength(2)
})

test('CKP-05 drain aborts work that does not finish in time, and releases the lease', async () => {
  const held = heldTool('held', { effects: 'none' })
  const { agent, store, clock } = testAgent({ replies: [calls(call('c1', 'held')), 'Done'], tools: [held.tool] })
  const worker = createWorker({ agents: [agent] })
  await worker.start(agent, 'Hi', { runId })
  const { signal } = await held.begins('1.c1')
  const drained = worker.drain({ drainMs: 5000 })
  expect(worker.drain()).toBe(drained)
  await clock.sleeping(start + 5000)
  expect(signal.aborted).toBe(false)
  clock.advance(5000)
  await drained
  await worker.ended
  expect(signal.aborted).toBe(true)
  expect((await store.record(runId)).isDriven).toBe(false)
  expect(await listWorkers(store)).toEqual([])
})

test('CKP-05 a worker that drains claims no more runs', async () => {
  const { agent, store, prompts } = testAgent({ replies: ['Done'] })
  const worker = createWorker({ agents: [agent] })
  await worker.drain()
  await agent.start('Hi', { runId, drive: false }).result()
  await quiet()
  expect(prompts).toEqual([])
  expect(await store.backlog({ agents: ['test'], now: start, limit: 9 })).toBe(1)
})

test('SCALE-01 a worker records in the store that it is running, and its activity', async () => {
  const { agent, store } = testAgent()
  await using worker = createWorker({ agents: [agent], concurrency: 3 })
  await quiet()
  expect(await listWorkers(store)).toMatchObject([
    { id: worker.id, pid: process.pid, agents: ['test'], concurrency: 3, driving: 0, startedAt: start },
  ])
})
