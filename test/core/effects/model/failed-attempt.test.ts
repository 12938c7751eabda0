import { expect, test } from 'vitest'
import { ModelError, type ModelErrorKind } from '../../../../src/core/domain/model-error.ts'
import { failedAttempt } from '../../../../src/core/effects/model/failed-attempt.ts'
import type { EffectContext } from '../../../../src/core/ports/effect-handler.ts'
import { scripted } from '../../../../src/adapters/providers/scripted.ts'

const retry = { maxRetries: 3, initialDelayMs: 1000, factor: 2, maxDelayMs: 30_000, random: () => 0.5 }
const input = { turn: 2, isFinishing: false, modelIndex: 0, failures: 0, continuations: 0 }

function attempt(
  kind: ModelErrorKind,
  more: { failures?: number; retryAfterMs?: number; random?: number; isRefreshable?: boolean } = {},
) {
  const told: unknown[] = []
  const context = { runId: 'r', clock: { now: () => 100 }, emit: (event: unknown) => void told.push(event) }
  const { failures = 0, retryAfterMs, random = 0.5, isRefreshable = false } = more
  const model = { ...scripted([]), ...(isRefreshable ? { refreshCredentials: async () => undefined } : {}) }
  const attempted = failedAttempt(
    new ModelError(kind, 'text', { retryAfterMs }),
    model,
    { ...input, failures },
    { ...retry, random: () => random },
    {},
    context as unknown as EffectContext,
  )
  return { attempted, told }
}

test.each<[ModelErrorKind, string, number | null, object?]>([
  ['rate_limit', 'rate_limit', 1100],
  ['network', 'network_error', 1100],
  ['auth', 'auth_error', null, { isMendable: true }],
  ['overflow', 'context_overflow', null, { isOverflow: true }],
  ['api', 'api_error', null],
  ['cancelled', 'cancelled', null],
])('PRV-05 a failure of kind %s is %s and is retried at %s', (kind, code, retryAt, more = {}) => {
  const { attempted, told } = attempt(kind)
  const error = { code, message: 'text' }
  expect(attempted).toEqual({ kind: 'failed', error, retryAt, ...more, at: 100 })
  expect(told).toEqual([{ type: 'model.failed', runId: 'r', at: 100, turn: 2, error, retryAt }])
})

test.each([
  [{ failures: 1 }, 2000],
  [{ failures: 2 }, 4000],
  [{ failures: 3 }, 8000],
  [{ failures: 5 }, 30_000],
  [{ failures: 5000 }, 30_000],
  [{ random: 0 }, 800],
  [{ random: 1 }, 1200],
  [{ retryAfterMs: 1001 }, 1001],
  [{ retryAfterMs: 999 }, 1000],
])('PRV-05 waits longer after each failure, with jitter, or as long as the server asks: %j', (more, delay) => {
  expect(attempt('network', more).attempted).toMatchObject({ retryAt: 100 + delay })
})

test('PRV-05 announces no further attempt after the last one', () => {
  expect(attempt('network', { failures: 2 }).told).toMatchObject([{ retryAt: 4100 }])
  expect(attempt('network', { failures: 3 }).told).toMatchObject([{ retryAt: null }])
})

test('PRV-05 offers to refresh credentials if that may help', () => {
  expect(attempt('auth', { isRefreshable: true }).attempted).toMatchObject({ isRefreshable: true })
  expect(attempt('api', { isRefreshable: true }).attempted).not.toHaveProperty('isRefreshable')
})

test('PRV-05 treats a failure as an API error if its class has an unknown kind', () => {
  class QuotaError extends ModelError {
    override readonly kind = 'quota' as ModelErrorKind
  }
  const context = { runId: 'r', clock: { now: () => 100 }, emit: () => undefined } as unknown as EffectContext
  const error = new QuotaError('api', 'spent')
  expect(failedAttempt(error, scripted([]), input, { ...retry, random: () => 0.5 }, {}, context)).toEqual({
    kind: 'failed',
    error: { code: 'api_error', message: 'spent' },
    retryAt: null,
    at: 100,
  })
})
