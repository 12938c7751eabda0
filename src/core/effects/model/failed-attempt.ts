import type { Attempted, CallModelInput } from '../../../../machines/model-call/model-call.types.ts'
import { refusalReason } from '../../domain/media-refusal.ts'
import { errorCodeOf, isOfKeyOrModel, isRefusedRequest, type ModelError } from '../../domain/model-error.ts'
import { thrownText } from '../../domain/text/thrown-text.ts'
import type { EffectContext } from '../../ports/effect-handler.ts'
import type { Model } from '../../ports/model.ts'
import type { RetryOptions } from '../../ports/retry-options.ts'
import { newMedia } from '../../prompt/new-media.ts'
import { backoffMs } from '../backoff.ts'
import { LimitReached } from './limit-reached.ts'
import type { RunMemory } from './run-memory.ts'

/** Reports a failed attempt. Returns the time of the next attempt, or that new credentials may help. */
export function failedAttempt(
  failure: ModelError,
  model: Model,
  input: CallModelInput,
  retry: RetryOptions,
  memory: Pick<RunMemory, 'fit'>,
  context: EffectContext,
): Attempted {
  const at = context.clock.now()
  if (failure instanceof LimitReached) {
    const { limit, isAsked, message } = failure
    const asked = isAsked ? { isAsked } : {}
    return { kind: 'failed', error: { code: limit, message }, retryAt: null, limit, ...asked, at }
  }
  const mayRetry = failure.kind === 'rate_limit' || failure.kind === 'network'
  const error = { code: errorCodeOf(failure), message: thrownText(failure) }
  const retryAt = mayRetry ? at + delayOf(failure, input.failures, retry) : null
  const isLast = input.failures >= retry.maxRetries
  context.emit({
    type: 'model.failed',
    runId: context.runId,
    at,
    turn: input.turn,
    error,
    retryAt: isLast ? null : retryAt,
  })
  const isRefreshable = failure.kind === 'auth' && model.refreshCredentials !== undefined
  const hasNewMedia = isRefusedRequest(failure) && newMedia(memory.fit?.sent.messages ?? [], context.view).length > 0
  return {
    kind: 'failed',
    error,
    retryAt,
    ...(isRefreshable ? { isRefreshable } : {}),
    ...(failure.kind === 'overflow' ? { isOverflow: true } : {}),
    ...(hasNewMedia ? { refusal: refusalReason(error.message) } : {}),
    ...(isOfKeyOrModel(failure) ? { isMendable: true } : {}),
    at,
  }
}

/** Never less than the server's wait. */
function delayOf({ retryAfterMs = 0 }: ModelError, failures: number, retry: RetryOptions): number {
  return Math.max(retryAfterMs, backoffMs(failures, retry))
}
