import { longestTimerMs } from '../../../src/core/domain/timer.ts'
import { afterEach, expect, test, vi } from 'vitest'
import { idleTimer, orStopped } from '../../../src/adapters/providers/wire/stop-early.ts'
import { loadSdk } from '../../../src/adapters/providers/wire/load-sdk.ts'

afterEach(() => {
  vi.useRealTimers()
})

test('PRV-05 measures silence from the last byte, and only while the request runs', () => {
  vi.useFakeTimers()
  let fired = 0
  const timer = idleTimer(() => fired++)

  timer.start(100)
  vi.advanceTimersByTime(99)
  timer.touch()
  vi.advanceTimersByTime(99)
  expect(fired).toBe(0)

  timer.pause()
  timer.touch()
  vi.advanceTimersByTime(1_000)
  expect(fired).toBe(0)

  timer.start(100)
  vi.advanceTimersByTime(100)
  expect(fired).toBe(1)
})

test('PRV-05 fires for the shorter of two waits', () => {
  vi.useFakeTimers()
  let fired = 0
  const timer = idleTimer(() => fired++)
  timer.start(1_000)
  timer.start(100)
  vi.advanceTimersByTime(99)
  expect(fired).toBe(0)
  vi.advanceTimersByTime(1)
  expect(fired).toBe(1)
})

test('PRV-05 accepts waits longer than a timer can count', () => {
  vi.useFakeTimers()
  const timer = idleTimer(() => expect.unreachable())
  timer.start(Number.POSITIVE_INFINITY)
  expect(vi.getTimerCount()).toBe(0)
  timer.start(longestTimerMs)
  expect(vi.getTimerCount()).toBe(1)
  timer.stop()
  expect(vi.getTimerCount()).toBe(0)
})

test('PRV-02 says how to install a package that is missing', async () => {
  const missing = 'not-an-installed-package'
  await expect(loadSdk(missing, () => import(missing))).rejects.toMatchObject({
    name: 'ModelError',
    kind: 'api',
    message: expect.stringContaining('npm install not-an-installed-package'),
  })
})

test('PRV-01 does not wait for a request that was aborted before it began', async () => {
  const endless = new Promise(() => undefined)
  await expect(orStopped(endless, AbortSignal.abort(), () => new Error('stopped'))).rejects.toThrow('stopped')
})
