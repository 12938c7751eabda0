import { ModelError } from '../../core/domain/model-error.ts'
import { callback, checkOptions, number, optional, type OptionShape } from '../../core/domain/text/option-shape.ts'
import type { Model, ModelEvent } from '../../core/ports/model.ts'
import { cancelled } from './wire/stop-early.ts'

/** The limits of a provider; all are optional. */
export interface LimiterOptions {
  /** Default: any number. */
  readonly callsAtOnce?: number
  /**
   * The maximum tokens of all kinds that the finished calls of the last minute have used when a call begins. Default:
   * no limit.
   */
  readonly tokensPerMinute?: number
  /** Unix milliseconds. Default `Date.now`. */
  readonly now?: () => number
}

/** Admits calls one after another. All models of a provider share it, so it limits all runs of a process. */
export interface Limiter {
  /** Resolves once the call may begin; rejects with a `ModelError` once the signal fires. */
  enter(signal: AbortSignal): Promise<void>
  /** Reports the end and the result of an admitted call. */
  leave(outcome: { readonly tokens?: number; readonly error?: unknown }): void
}

const most = optional(number('a number of 1 or more', (value) => value >= 1))
const shape: OptionShape<LimiterOptions> = { callsAtOnce: most, tokensPerMinute: most, now: optional(callback) }

/**
 * Returns a limiter for one provider. It limits the simultaneous calls and the tokens per minute, and one Retry-After
 * delays all calls.
 *
 * @example
 * const limiter = providerLimiter({ callsAtOnce: 4 })
 * const models = [anthropic('claude-opus-5-5', { limiter }), anthropic('claude-sonnet-5-5', { limiter })]
 */
export function providerLimiter(options: LimiterOptions = {}): Limiter {
  checkOptions('providerLimiter', options, shape)
  return new ProviderLimiter(options)
}

/**
 * Returns your own model with calls that start when the limiter admits them. The models of this package take the
 * limiter as an option.
 */
export function limited(model: Model, limiter: Limiter): Model {
  return { ...model, stream: (request) => inTurn(limiter, request.signal, () => model.stream(request)) }
}

/** Returns the events of a call that starts when the limiter admits it, and reports its result. */
export async function* inTurn(
  limiter: Limiter,
  signal: AbortSignal,
  begin: () => AsyncIterable<ModelEvent>,
): AsyncGenerator<ModelEvent, void, void> {
  await limiter.enter(signal)
  let outcome: Parameters<Limiter['leave']>[0] = {}
  try {
    for await (const event of begin()) {
      if (event.type === 'finished') outcome = { tokens: event.message.usage.totalTokens }
      yield event
    }
  } catch (error) {
    outcome = { error }
    throw error
  } finally {
    limiter.leave(outcome)
  }
}

const minute = 60_000

class ProviderLimiter implements Limiter {
  readonly #callsAtOnce: number
  readonly #tokensPerMinute: number
  readonly #now: () => number
  /** The waiting requests in order of arrival. */
  readonly #waiting: (() => void)[] = []
  #spent: { readonly at: number; readonly tokens: number }[] = []
  #running = 0
  #heldUntil = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor({ callsAtOnce = Infinity, tokensPerMinute = Infinity, now = Date.now }: LimiterOptions) {
    this.#callsAtOnce = callsAtOnce
    this.#tokensPerMinute = tokensPerMinute
    this.#now = now
  }

  enter(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(cancelled(signal))
      const admit = () => {
        signal.removeEventListener('abort', giveUp)
        this.#running++
        resolve()
      }
      const giveUp = () => {
        const place = this.#waiting.indexOf(admit)
        if (place >= 0) this.#waiting.splice(place, 1)
        reject(cancelled(signal))
        this.#admitNext()
      }
      signal.addEventListener('abort', giveUp, { once: true })
      this.#waiting.push(admit)
      this.#admitNext()
    })
  }

  leave({ tokens = 0, error }: { readonly tokens?: number; readonly error?: unknown }): void {
    this.#running--
    if (tokens > 0) this.#spent.push({ at: this.#now(), tokens })
    if (error instanceof ModelError && error.kind === 'rate_limit' && error.retryAfterMs !== undefined) {
      this.#heldUntil = Math.max(this.#heldUntil, this.#now() + error.retryAfterMs)
    }
    this.#admitNext()
  }

  /** Starts the calls that may begin now, and calls itself again when only time is missing. */
  #admitNext(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    while (this.#waiting.length > 0 && this.#running < this.#callsAtOnce) {
      const delay = this.#delay()
      if (delay > 0) {
        this.#timer = setTimeout(() => this.#admitNext(), Math.min(delay, minute))
        return
      }
      this.#waiting.shift()?.()
    }
  }

  /** Milliseconds until the hold is over and the last minute's tokens are few enough. */
  #delay(): number {
    const now = this.#now()
    this.#spent = this.#spent.filter(({ at }) => at > now - minute)
    let total = this.#spent.reduce((sum, { tokens }) => sum + tokens, 0)
    let free = now
    for (const { at, tokens } of this.#spent) {
      if (total < this.#tokensPerMinute) break
      total -= tokens
      free = at + minute
    }
    return Math.max(this.#heldUntil, free) - now
  }
}
