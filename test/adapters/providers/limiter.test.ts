import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ModelError } from '../../../src/core/domain/model-error.ts'
import { limited, type Limiter, providerLimiter } from '../../../src/adapters/providers/limiter.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { faultServer, page, stream } from '../../../proof/wires/fault-server.ts'
import { wires } from '../../../proof/wires/wires.ts'
import { ask, requestOf } from './ask.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: 0 })
})

afterEach(() => {
  vi.useRealTimers()
})

/** Enters so many calls and notes, by number, who has been let in. */
function enterAll(limiter: Limiter, count: number): number[] {
  const entered: number[] = []
  for (let number = 1; number <= count; number++) {
    void limiter.enter(new AbortController().signal).then(() => entered.push(number))
  }
  return entered
}

test('PRV-05 lets a limited number of calls in at once, the others in the order of arrival', async () => {
  const limiter = providerLimiter({ callsAtOnce: 2 })
  const entered = enterAll(limiter, 4)
  await vi.advanceTimersByTimeAsync(0)
  expect(entered).toEqual([1, 2])
  limiter.leave({})
  await vi.advanceTimersByTimeAsync(0)
  expect(entered).toEqual([1, 2, 3])
  limiter.leave({ error: new Error('whatever') })
  await vi.advanceTimersByTimeAsync(0)
  expect(entered).toEqual([1, 2, 3, 4])
})

test('PRV-05 holds all calls for one Retry-After, the longest of several', async () => {
  const limiter = providerLimiter()
  enterAll(limiter, 2)
  limiter.leave({ error: new ModelError('rate_limit', 'slow down', { retryAfterMs: 7_000 }) })
  limiter.leave({ error: new ModelError('rate_limit', 'slow down', { retryAfterMs: 3_000 }) })
  const entered = enterAll(limiter, 2)
  await vi.advanceTimersByTimeAsync(6_999)
  expect(entered).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  expect(entered).toEqual([1, 2])
})

test.each([
  ['a rate limit without a wait', new ModelError('rate_limit', 'slow down')],
  ['another failure', new ModelError('network', 'broke', { retryAfterMs: 7_000 })],
])('PRV-05 does not hold for %s', async (_what, error) => {
  const limiter = providerLimiter()
  enterAll(limiter, 1)
  limiter.leave({ error })
  const entered = enterAll(limiter, 1)
  await vi.advanceTimersByTimeAsync(0)
  expect(entered).toEqual([1])
})

test('PRV-05 counts the tokens of the last minute', async () => {
  const limiter = providerLimiter({ tokensPerMinute: 100 })
  enterAll(limiter, 3)
  limiter.leave({ tokens: 60 })
  await vi.advanceTimersByTimeAsync(10_000)
  limiter.leave({ tokens: 60 })
  const entered = enterAll(limiter, 1)
  await vi.advanceTimersByTimeAsync(49_999)
  expect(entered).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  expect(entered).toEqual([1])
})

test('PRV-05 frees only the place of a call that is cancelled while it waits', async () => {
  const limiter = providerLimiter({ callsAtOnce: 1 })
  const first = enterAll(limiter, 1)
  const stop = new AbortController()
  const second = limiter.enter(stop.signal).catch((error: unknown) => error)
  const third = enterAll(limiter, 1)
  stop.abort()
  expect(await second).toMatchObject({ kind: 'cancelled' })
  await expect(limiter.enter(AbortSignal.abort())).rejects.toMatchObject({ kind: 'cancelled' })
  expect([first, third]).toEqual([[1], []])
  limiter.leave({})
  await vi.advanceTimersByTimeAsync(0)
  expect(third).toEqual([1])
})

test.each([{ callsAtOnce: 0 }, { tokensPerMinute: Number.NaN }])('PRV-05 refuses the limits %o', (options) => {
  expect(() => providerLimiter(options)).toThrow('Expected a number of 1 or more.')
})

test("PRV-05 tells a custom model's limiter how its calls ended, even if the reader left", async () => {
  const outcomes: unknown[] = []
  const limiter = { enter: async () => undefined, leave: (outcome: unknown) => void outcomes.push(outcome) }
  const model = limited(
    scripted(['one', { error: { kind: 'network', message: 'broke' } }, 'three'], { by: 'calls' }),
    limiter,
  )
  await ask(model)
  await ask(model)
  for await (const event of model.stream(requestOf())) if (event.type === 'text') break
  expect(outcomes).toEqual([{ tokens: 0 }, { error: expect.any(ModelError) }, {}])
})

test.each(wires)('PRV-05 asks the limiter before $name, and reports the outcome to it', async (wire) => {
  vi.useRealTimers()
  const told: unknown[] = []
  const limiter = {
    enter: async () => void told.push('enter'),
    leave: (outcome: unknown) => void told.push(outcome),
  }
  const answer = stream([...wire.opening, ...wire.closing], 'end', wire.mediaType)
  const replies = [page(429, '{"error":{"message":"slow down"}}', { 'retry-after-ms': '60' }), answer]
  await using server = await faultServer((response) => (replies.shift() ?? answer)(response))
  const model = wire.make(server.url, { limiter })
  await ask(model)
  const { message } = await ask(model)
  const error = expect.objectContaining({ kind: 'rate_limit', retryAfterMs: 60 })
  expect(told).toEqual(['enter', { error }, 'enter', { tokens: message?.usage.totalTokens }])
})
