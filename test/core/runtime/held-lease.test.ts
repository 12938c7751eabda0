import { expect, onTestFinished, test, vi } from 'vitest'
import { StoreError } from '../../../src/core/domain/store-error.ts'
import type { Clock } from '../../../src/core/ports/clock.ts'
import type { Lease, Store } from '../../../src/core/ports/store.ts'
import { HeldLease, momentOf } from '../../../src/core/runtime/held-lease.ts'

const leaseMs = 30_000
const lease: Lease = { runId: 'r', owner: { id: 'o', host: 'h', pid: 1, pidStart: '' }, fence: 4 }

/** A lease held on a stub of a store that renews, or fails as told, and a clock that is set by hand. */
function held() {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const told: string[] = []
  const failures: unknown[] = []
  const time = { wall: 1_000, steady: 0 }
  const clock: Clock = {
    now: () => time.wall,
    monotonic: () => time.steady,
    sleepUntil: async (due) => {
      told.push(`sleep ${due - time.wall}`)
      pass(due - time.wall)
    },
  }
  const pass = (ms: number) => {
    time.wall += ms
    time.steady += ms
  }
  const store = {
    renew: async (renewed: Lease, ttl: number) => {
      told.push(`renew ${renewed.fence} ${ttl} ${time.wall}`)
      const failure = failures.shift()
      if (failure !== undefined) throw failure
    },
    verify: () => void told.push('verify'),
  } as unknown as Store
  const since = momentOf(clock)
  const one = new HeldLease(
    { store, lease, leaseMs, clock, since },
    { lost: ({ code }) => void told.push(`lost ${code}`), slept: () => void told.push('slept') },
  )
  return { one, told, failures, time, pass }
}

test('CKP-05 renews a lease three times a lifetime, until it is stopped', async () => {
  const { one, told } = held()
  await vi.advanceTimersByTimeAsync(9_999)
  expect(told).toEqual([])
  await vi.advanceTimersByTimeAsync(20_001)
  expect(told).toEqual(['renew 4 30000 1000', 'renew 4 30000 1000', 'renew 4 30000 1000'])
  one.stop()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(told).toHaveLength(3)
  expect(one.fence).toBe(4)
})

test.each([
  ['fence_conflict', ['lost fence_conflict']],
  ['run_unknown', ['lost run_unknown']],
  ['store_replaced', ['lost store_replaced']],
  ['store_busy', []],
  ['store_unavailable', []],
] as const)('CKP-05 reports a renewal that failed with %s: %j', async (code, expected) => {
  const { one, told, failures } = held()
  failures.push(new StoreError(code, 'text'), new Error('no store error'))
  await vi.advanceTimersByTimeAsync(20_000)
  expect(told.filter((line) => line.startsWith('lost'))).toEqual(expected)
  one.stop()
})

test('CKP-05 starts an effect at once until two thirds of the lease have passed', async () => {
  const { one, told, pass } = held()
  expect(one.confirm(false)).toBeUndefined()
  expect(told).toEqual([])
  expect(one.confirm(true)).toBeUndefined()
  expect(told).toEqual(['verify'])
  pass(20_000)
  expect(one.confirm(false)).toBeUndefined()
  expect(one.remainingMs).toBe(10_000)
  pass(1)
  await one.confirm(true)
  expect(told).toEqual(['verify', 'renew 4 30000 21001'])
  expect(one.remainingMs).toBe(leaseMs)
  one.stop()
})

test('CKP-05 retries a locked store until the lease would end', async () => {
  const { one, told, failures, pass } = held()
  const busy = new StoreError('store_busy', 'text')
  pass(29_850)
  failures.push(busy)
  await one.confirm(false)
  expect(told).toEqual(['renew 4 30000 30850', 'sleep 100', 'renew 4 30000 30950'])
  pass(29_950)
  failures.push(busy, busy)
  await expect(one.confirm(false)).rejects.toBe(busy)
  expect(told.slice(3)).toEqual(['renew 4 30000 60900', 'sleep 100', 'renew 4 30000 61000'])
  one.stop()
})

test('CKP-05 does not wait for a store that is missing', async () => {
  const { one, told, failures, pass } = held()
  const gone = new StoreError('store_unavailable', 'text')
  pass(25_000)
  failures.push(gone)
  await expect(one.confirm(false)).rejects.toBe(gone)
  expect(told).toEqual(['renew 4 30000 26000'])
  one.stop()
})

test('CKP-05 ignores a renewal that arrives too late, and gives up after a hundred', async () => {
  const { one, told, pass, time } = held()
  pass(25_000)
  // Each reading of the clock finds the process stopped for as long as the lease lasts.
  let reading = time.steady
  Object.defineProperty(time, 'steady', { get: () => (reading += leaseMs) })
  await expect(one.confirm(false)).rejects.toMatchObject({
    code: 'store_busy',
    message:
      'The lease of run "r" expired before it could be renewed. Give the agent a longer leaseMs, or reduce the load of the store.',
  })
  expect(told.filter((line) => line.startsWith('renew'))).toHaveLength(100)
  one.stop()
})

test('RUN-07 detects a sleep of the machine if its clocks differ by more than a third of the lease', async () => {
  const { one, told, time } = held()
  time.wall += 10_000
  expect(one.isAsleep).toBe(false)
  await one.renew()
  expect(told).not.toContain('slept')
  time.wall += 10_001
  expect(one.isAsleep).toBe(true)
  await one.renew()
  expect(told.at(-1)).toBe('slept')
  expect(one.isAsleep).toBe(true)
  const renewed = time.wall
  // The first renewal was the last sign of being awake.
  expect(await one.wakeUp()).toBe(renewed - 10_001)
  expect(one.isAsleep).toBe(false)
  expect(told.filter((line) => line.startsWith('renew'))).toHaveLength(2)
  time.steady += 10_001
  expect(one.isAsleep).toBe(true)
  expect(await one.wakeUp()).toBe(renewed)
  expect(one.isAsleep).toBe(false)
  expect(told.filter((line) => line.startsWith('renew'))).toHaveLength(3)
  one.stop()
})

test('CKP-05 treats a clock without a steady clock as steady itself', () => {
  expect(momentOf({ now: () => 5, sleepUntil: async () => {} })).toEqual({ wall: 5, steady: 5 })
  expect(momentOf({ now: () => 5, monotonic: () => 0, sleepUntil: async () => {} })).toEqual({ wall: 5, steady: 0 })
})
