import { expect, test } from 'vitest'
import { call, calls } from '../../../proof/support/say.ts'
import { quiet, testAgent } from '../../../proof/support/test-agent.ts'
import { toolbox } from '../../../proof/support/tools.ts'
import { ModelError } from '../../../src/index.ts'
import { BatchCosts } from '../../../src/core/workers/batch-costs.ts'
import { runAll } from '../../../src/core/workers/worker.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'

const items = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `doc-${index}`, prompt: `Page ${index}` }))

test('SCALE-01 a batch returns results in order, runs a limited number at once, and reports progress', async () => {
  let driving = 0
  let most = 0
  const reply = async () => {
    most = Math.max(most, ++driving)
    await quiet()
    driving--
    return 'Done'
  }
  const { agent } = testAgent({ replies: [reply] })
  const told: [number, number][] = []
  const onProgress = ({ done, total }: { done: number; total: number }) => void told.push([done, total])
  const results = await runAll(agent, items(7), { concurrency: 3, onProgress })
  expect(results.map(({ id, result }) => `${id} ${result?.text}`)).toEqual(items(7).map(({ id }) => `${id} Done`))
  expect(most).toBe(3)
  expect(told).toEqual([1, 2, 3, 4, 5, 6, 7].map((done) => [done, 7]))
})

test('SCALE-01 a repeated batch pays nothing for finished runs, and drives the rest', async () => {
  const store = memoryStore()
  const first = testAgent({ store, replies: ['Done'] })
  await runAll(first.agent, items(3))
  const second = testAgent({ store, clock: first.clock, replies: ['Done'], process: 'p2' })
  const results = await runAll(second.agent, items(5))
  expect(results.map(({ result }) => result?.text)).toEqual(Array.from({ length: 5 }, () => 'Done'))
  expect([first.prompts.length, second.prompts.length]).toEqual([3, 2])
})

test('SCALE-01 restarts a run that ended in an error as often as requested, then counts it as failed', async () => {
  let asked = 0
  const store = memoryStore()
  const replies = [() => (++asked <= 2 ? { error: new ModelError('auth', 'No such key.') } : 'Done')]
  const { agent } = testAgent({ store, replies })
  const failed: number[] = []
  const [result] = await runAll(agent, items(1), {
    retryFailed: 1,
    onProgress: (told) => void failed.push(told.failed),
  })
  expect(result?.result?.outcome).toMatchObject({ reason: 'error' })
  expect(failed).toEqual([1])
  const [again] = await runAll(agent, items(1), { retryFailed: 2 })
  expect(again?.result).toMatchObject({ runId: 'doc-0.retry-2', text: 'Done' })
  expect(asked).toBe(3)
})

test('SCALE-01 a batch begins nothing more once finished and running work reaches the budget', async () => {
  const prices = { 'scripted/scripted': { input: 1, output: 0, cacheRead: 0, cacheWrite: 0 } }
  const dear = { text: 'Done', usage: { input: 1_000_000 } }
  const { agent, prompts } = testAgent({ replies: [dear], prices, limits: { maxTokens: Infinity } })
  const results = await runAll(agent, items(20), { concurrency: 2, budget: 4 })
  expect(results.filter(({ result }) => result !== undefined)).toHaveLength(prompts.length)
  expect(prompts.length).toBe(4)
  expect(results[19]).toEqual({ id: 'doc-19' })
})

test('SCALE-01 runs that end at the same moment are not all replaced if the budget has room for one', async () => {
  const prices = { 'scripted/scripted': { input: 1, output: 0, cacheRead: 0, cacheWrite: 0 } }
  const dear = { text: 'Done', usage: { input: 1_000_000 } }
  const { agent, prompts } = testAgent({ replies: [dear], prices, limits: { maxTokens: Infinity } })
  await runAll(agent, items(60), { concurrency: 8, budget: 9 })
  expect(prompts.length).toBe(9)
})

test('SCALE-01 begins no run beyond the budget while the store cannot be asked', async () => {
  const prices = { 'scripted/scripted': { input: 1, output: 0, cacheRead: 0, cacheWrite: 0 } }
  const dear = { text: 'Done', usage: { input: 1_000_000 } }
  const stored = memoryStore()
  const away = new Error('The store is away.')
  let mayFail = true
  const record = (id: string) => {
    const isAway = mayFail && id === 'doc-1'
    if (isAway) mayFail = false
    return isAway ? Promise.reject(away) : stored.record(id)
  }
  const store = { ...stored, record }
  const { agent, prompts } = testAgent({ store, replies: [dear], prices, limits: { maxTokens: Infinity } })
  const results = await runAll(agent, items(3), { concurrency: 1, budget: 1 })
  expect(results.slice(1)).toEqual([{ id: 'doc-1', error: away }, { id: 'doc-2' }])
  expect(prompts.length).toBe(1)
})

test("SCALE-01 a batch estimates a running run's cost by the finished ones", async () => {
  const prices = { 'scripted/scripted': { input: 1, output: 0, cacheRead: 0, cacheWrite: 0 } }
  const first = Promise.withResolvers<void>()
  let asked = 0
  const reply = async () => {
    if (++asked === 2) await first.promise
    return { text: 'Done', usage: { input: 2_000_000 } }
  }
  const { agent } = testAgent({ replies: [reply], prices, limits: { maxTokens: Infinity } })
  const results = await runAll(agent, items(4), { concurrency: 2, budget: 3, onProgress: () => first.resolve() })
  expect(results.map(({ result }) => result?.text)).toEqual(['Done', 'Done', undefined, undefined])
})

test('SCALE-01 counts the cost of a run that could not be continued', () => {
  const costs = new BatchCosts()
  costs.begin('doc-0')
  costs.add('doc-0', 2)
  costs.drop('doc-0')
  expect([costs.soFar, costs.expected]).toEqual([2, 2])
})

test('SCALE-01 does not restart a failed run if its cost reaches the budget', async () => {
  const { act } = toolbox()
  const prices = { 'scripted/scripted': { input: 1, output: 0, cacheRead: 0, cacheWrite: 0 } }
  let asked = 0
  const reply = () => {
    if (++asked === 1) return { ...calls(call('a', 'act')), usage: { input: 1_000_000 } }
    return asked === 2 ? { error: new ModelError('auth', 'No such key.') } : 'Never'
  }
  const limits = { maxTokens: Infinity }
  const { agent } = testAgent({ replies: [reply, reply], tools: [act()], prices, limits, retry: { maxRetries: 0 } })
  const [result] = await runAll(agent, items(1), { budget: 1, retryFailed: 3 })
  expect(result?.result).toMatchObject({ runId: 'doc-0', cost: 1, outcome: { reason: 'error' } })
  expect(asked).toBe(2)
})

test('SCALE-01 a resumed batch returns earlier results, even if they alone reach the budget', async () => {
  const prices = { 'scripted/scripted': { input: 1, output: 0, cacheRead: 0, cacheWrite: 0 } }
  const store = memoryStore()
  // The first one is dear, and slower than all others.
  const others = Promise.withResolvers<void>()
  let asked = 0
  const reply = async () => {
    if (asked++ > 0) return { text: 'Done', usage: { input: 100_000 } }
    await others.promise
    return { text: 'Done', usage: { input: 3_000_000 } }
  }
  const limits = { maxTokens: Infinity }
  const first = testAgent({ store, prices, limits, replies: [reply] })
  const onProgress = ({ done }: { done: number }) => done === 7 && others.resolve()
  const before = await runAll(first.agent, items(8), { concurrency: 2, budget: 4, onProgress })
  expect(before.map(({ result }) => result?.text)).toEqual(Array.from({ length: 8 }, () => 'Done'))
  const second = testAgent({ store, clock: first.clock, prices, limits, replies: ['Paid again'], process: 'p2' })
  const again = await runAll(second.agent, items(9), { concurrency: 2, budget: 3 })
  expect(again.map(({ result }) => result?.text)).toEqual([...before.map(({ result }) => result?.text), undefined])
  expect(second.prompts).toHaveLength(0)
})

test("SCALE-01 reports one run's failure in that run's result", async () => {
  const { agent, store, clock } = testAgent({ replies: ['Done'] })
  const other = testAgent({ store, clock, name: 'other' })
  await other.agent.run('Other', { runId: 'doc-1' })
  const results = await runAll(agent, items(3))
  expect(results.map(({ result, error }) => result?.text ?? (error as { code?: string }).code)).toEqual([
    'Done',
    'other_agent',
    'Done',
  ])
})

test.each([
  [{ concurrency: 0 }, 'concurrency'],
  [{ budget: 0 }, 'budget'],
  [{ retryFailed: -1 }, 'retryFailed'],
  [{ parallel: 3 }, 'parallel'],
])('SCALE-01 refuses a batch of %j', async (options, message) => {
  const { agent } = testAgent()
  await expect(runAll(agent, items(1), options as never)).rejects.toThrow(message)
  await expect(runAll(agent, [...items(1), ...items(1)])).rejects.toThrow('Two items of the batch have the id "doc-0"')
})

test("SCALE-01 refuses a piece whose run id is that of another piece's restarted run", async () => {
  const { agent, prompts } = testAgent({ replies: ['Done'] })
  const pieces = [...items(1), { id: 'doc-0.retry-2', prompt: 'Another page' }]
  await expect(runAll(agent, pieces, { retryFailed: 2 })).rejects.toThrow(
    'The item "doc-0.retry-2" has the id of a retry of the item "doc-0".',
  )
  expect(prompts).toHaveLength(0)
  expect(await runAll(agent, pieces, { retryFailed: 1 })).toHaveLength(2)
})
