import { expect, test } from 'vitest'
import type { RetryOptions } from '../../src/core/ports/retry-options.ts'
import { scripted, type ScriptedReply } from '../../src/adapters/providers/scripted.ts'
import { fakeClock } from '../../proof/support/fake-clock.ts'
import { runId, testAgent } from '../../proof/support/test-agent.ts'

/** The waits before each retry of a model that always fails, in milliseconds. */
async function waitsOf(retry: Partial<RetryOptions>, retryAfterMs?: number): Promise<readonly number[]> {
  const clock = fakeClock()
  const reply: ScriptedReply = {
    error: { kind: 'rate_limit', message: 'slow down', ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
  }
  const { agent } = testAgent({ model: scripted(() => reply, { by: 'calls', now: clock.now }), clock, retry })
  const waits: number[] = []
  for await (const event of agent.start('Hi', { runId })) {
    if (event.type !== 'model.failed' || event.retryAt === null) continue
    waits.push(event.retryAt - event.at)
    await clock.sleeping(event.retryAt)
    clock.advance(event.retryAt - event.at)
  }
  return waits
}

/** Doubled from one second, at most thirty. */
const planned = [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]

test.each([
  ['as planned', 0.5, planned],
  ['a fifth shorter at the least', 0, [800, 1600, 3200, 6400, 12_800, 24_000, 24_000, 24_000]],
  ['a fifth longer at the most', 1 - 1e-9, [1200, 2400, 4800, 9600, 19_200, 30_000, 30_000, 30_000]],
])('PRV-05 waits %s, and never more than thirty seconds', async (_what, random, expected) => {
  expect(await waitsOf({ maxRetries: 8, random: () => random })).toEqual(expected)
})

test('PRV-05 spreads the waits of many runs within a fifth of the planned time', async () => {
  for (let round = 0; round < 50; round++) {
    const waits = await waitsOf({ maxRetries: 8 })
    for (const [retry, wait] of waits.entries()) {
      const plan = planned[retry] ?? 0
      expect(wait).toBeGreaterThanOrEqual(0.8 * plan)
      expect(wait).toBeLessThanOrEqual(Math.min(1.2 * plan, 30_000))
    }
    expect(waits).toHaveLength(8)
  }
})

test.each([
  [5000, [5000, 5000, 5000]],
  [60_000, [60_000, 60_000, 60_000]],
  [1500, [1500, 2000, 4000]],
])(
  'PRV-05 waits three times by default, and never less than the %i ms that a server asks for',
  async (asked, expected) => {
    expect(await waitsOf({ random: () => 0.5 }, asked)).toEqual(expected)
  },
)
