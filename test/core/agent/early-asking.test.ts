import { expect, test } from 'vitest'
import type { Store } from '../../../src/core/ports/store.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { runId, testAgent } from '../../../proof/support/test-agent.ts'
import { toolbox } from '../../../proof/support/tools.ts'

/** A store that stores a new run only when it is told to. */
function slowStore(): Store & { readonly storeRuns: () => void } {
  const inner = memoryStore()
  const { promise, resolve } = Promise.withResolvers<void>()
  const create: Store['create'] = async (...args) => {
    await promise
    return inner.create(...args)
  }
  return { ...inner, create, storeRuns: resolve }
}

test('DEC-04 delays every question and answer until the run that was just started is stored', async () => {
  const store = slowStore()
  const { act } = toolbox()
  const { agent } = testAgent({ store, replies: [calls(call('c1', 'act')), 'Done'], tools: [act()] })
  const run = agent.start('Hi', { runId, labels: { a: 'b' } })
  const asked = Promise.all([
    run.result(),
    run.labels(),
    run.history(),
    run.decide([{ target: 'x', action: 'resume' }]),
    run.cancelCall('x'),
    run.cancel(),
    run.approve(),
  ])
  store.storeRuns()
  const [result, labels, history, receipts, call1, cancelled, approved] = await asked
  expect(result).toMatchObject({ runId, status: 'running' })
  expect(labels).toEqual({ a: 'b' })
  expect(history).toEqual(expect.any(Array))
  expect(receipts).toMatchObject([{ target: 'x', answer: 'unknown' }])
  expect(call1).toMatchObject({ target: 'x', answer: 'unknown' })
  expect(cancelled).toEqual({ target: runId, answer: 'applied' })
  expect(approved).toMatchObject({ target: runId, answer: 'stale' })
  expect(await run.settled()).toMatchObject({ outcome: { reason: 'cancelled' } })
})

test.each([
  [0, 0],
  [-1, -1],
  [2 ** 31, 2 ** 31],
  [Number.NaN, 'NaN'],
])('CKP-05 refuses a lease of %s ms', (leaseMs, shown) => {
  expect(() => testAgent({ leaseMs })).toThrow(
    expect.objectContaining({
      code: 'bad_option',
      message: `leaseMs is ${shown}. Expected more than 0 and at most 2147483647 milliseconds.`,
    }),
  )
})

test('CKP-05 accepts the shortest and the longest lease', () => {
  for (const leaseMs of [1, 2 ** 31 - 1]) expect(() => testAgent({ leaseMs })).not.toThrow()
})
