import { longestTimerMs } from '../../../core/domain/timer.ts'
import { ModelError } from '../../../core/domain/model-error.ts'

/** Throws a `ModelError` of kind `cancelled` once the signal has fired. */
export function throwIfCancelled(signal: AbortSignal): void {
  if (signal.aborted) throw cancelled(signal)
}

/** Returns the `ModelError` for a call whose signal fired. */
export function cancelled(signal: AbortSignal): ModelError {
  return new ModelError('cancelled', 'The model call was cancelled: its signal fired before the answer was complete.', {
    cause: signal.reason,
  })
}

/** Returns the promise's value, or rejects with `why()` as soon as the signal fires. The promise itself continues. */
export function orStopped<T>(promise: Promise<T>, signal: AbortSignal, why: () => unknown): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(why())
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

/** Waits for one promise at a time, until it is stopped. */
export class Interruption {
  readonly #controller = new AbortController()
  #reject: (reason: unknown) => void = () => undefined

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Fires the signal and rejects pending waits; only the first reason counts. */
  stop(reason?: unknown): void {
    this.#controller.abort(reason)
    this.#reject(this.signal.reason)
  }

  /** The promise's value, or a rejection with the reason as soon as there is one; the promise is left to itself then. */
  wait<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      promise.then(resolve, reject)
      if (this.signal.aborted) reject(this.signal.reason)
      else this.#reject = reject
    })
  }
}

/**
 * Measures silence while it runs: it is started before a wait, touched by each byte, paused after the wait, and finally
 * stopped.
 */
export interface IdleTimer {
  /** Runs for `ms` milliseconds; `Infinity` never fires. */
  start(ms: number): void
  /** Restarts the timer if it runs. */
  touch(): void
  pause(): void
  stop(): void
}

/**
 * Returns a timer that calls `onIdle` if nothing touches it for the milliseconds with which it was started. Each piece
 * of an answer touches it: it notes the time, and checks again when it would have fired.
 */
export function idleTimer(onIdle: () => void): IdleTimer {
  let timer: ReturnType<typeof setTimeout> | undefined
  let firesAt = Number.POSITIVE_INFINITY
  let since = 0
  let limit: number | undefined
  const stop = () => {
    limit = undefined
    clearTimeout(timer)
    firesAt = Number.POSITIVE_INFINITY
  }
  const arm = (ms: number) => {
    clearTimeout(timer)
    firesAt = performance.now() + ms
    timer = setTimeout(look, ms)
  }
  const look = () => {
    firesAt = Number.POSITIVE_INFINITY
    if (limit === undefined) return
    const left = Math.ceil(since + limit - performance.now())
    if (left > 0) arm(left)
    else onIdle()
  }
  return {
    start(ms) {
      limit = ms
      since = performance.now()
      if (ms <= longestTimerMs && firesAt > since + ms) arm(ms)
    },
    touch() {
      since = performance.now()
    },
    pause() {
      limit = undefined
    },
    stop,
  }
}
