import { setImmediate as loopTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { StoreError } from '../../../src/core/domain/store-error.ts'
import { type Clock, waitUntil } from '../../../src/core/ports/clock.ts'
import type { Commit } from '../../../src/core/ports/store.ts'
import { Waker } from '../../../src/core/driving/waker.ts'
import { writeCommit, type WriteOptions } from '../../../src/core/runtime/write-commit.ts'

/** A clock that goes on by hand, and can be set. */
function setClock() {
  const time = { wall: 50_000, steady: 0 }
  const waits = new Set<() => void>()
  const clock: Clock = {
    now: () => time.wall,
    monotonic: () => time.steady,
    sleepUntil: (due, signal) =>
      new Promise((resolve) => {
        waits.add(() => time.wall >= due && resolve())
        signal.addEventListener('abort', () => resolve(), { once: true })
      }),
    every: (ms, act) => {
      const from = time.steady
      const look = () => time.steady - from >= ms && act()
      waits.add(look)
      return () => void waits.delete(look)
    },
  }
  const pass = async (ms: number) => {
    time.wall += ms
    time.steady += ms
    for (const look of waits) look()
    await loopTurn()
  }
  return { clock, time, pass }
}

const never = new AbortController().signal

test.each([
  ['a wait', (clock: Clock) => waitUntil(clock.now() + 1000, clock, never)],
  ['a worker that rests', (clock: Clock) => new Waker().listen().within(clock, clock.now() + 1000, never)],
  [
    'a commit that the store was too busy for',
    (clock: Clock) => writeCommit({ runId: 'r' } as Commit, busyOnce(clock)),
  ],
])('CKP-05 TST-08 %s is on time even if the clock is set back', async (_, begin) => {
  const { clock, time, pass } = setClock()
  let isOver = false
  void begin(clock).then(() => (isOver = true))
  await loopTurn()
  time.wall -= 20_000
  await pass(1000)
  expect(isOver).toBe(true)
})

test('CKP-05 a wait ends when the clock is set forward, and at its signal', async () => {
  const { clock, pass } = setClock()
  const stop = new AbortController()
  const ended: string[] = []
  void waitUntil(clock.now() + 1000, { ...clock, every: () => () => undefined }, never).then(() => ended.push('due'))
  void waitUntil(clock.now() + 5000, clock, stop.signal).then(() => ended.push('stopped'))
  await pass(1000)
  expect(ended).toEqual(['due'])
  stop.abort()
  await loopTurn()
  expect(ended).toEqual(['due', 'stopped'])
})

/** A store that takes a commit at the second try, for a driver whose lease lasts. */
function busyOnce(clock: Clock): WriteOptions {
  let tries = 0
  const commit = async () => {
    if (tries++ === 0) throw new StoreError('store_busy', 'The store is locked.')
    return { version: 1 }
  }
  return {
    store: { commit },
    clock,
    emit: () => {},
    heldLease: { remainingMs: 30_000 },
    mayWait: () => true,
    signal: never,
  } as unknown as WriteOptions
}
