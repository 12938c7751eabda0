import { ModelError } from '../../domain/model-error.ts'

/** Throws a `ModelError` of kind `cancelled` once the signal has fired. */
export function throwIfCancelled(signal: AbortSignal): void {
  if (signal.aborted) throw cancelled(signal)
}

/** The `ModelError` of a call whose signal fired. */
export function cancelled(signal: AbortSignal): ModelError {
  return new ModelError('cancelled', 'The model call was cancelled: its signal fired before the answer was complete.', {
    cause: signal.reason,
  })
}

/** The promise's value, or a rejection with `why()` as soon as the signal fires; the promise is left to itself then. */
export function orStopped<T>(promise: Promise<T>, signal: AbortSignal, why: () => unknown): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(why())
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

/** Counts silence while it runs: started before a wait, touched by each byte, paused after. */
export interface IdleTimer {
  /** Runs for `ms` milliseconds; `Infinity` never fires. */
  start(ms: number): void
  /** Begins the count anew, where it runs. */
  touch(): void
  pause(): void
}

/** A timer that calls `onIdle` once nothing has touched it for the milliseconds it was started with. */
export function idleTimer(onIdle: () => void): IdleTimer {
  let timer: ReturnType<typeof setTimeout> | undefined
  let running: number | undefined
  const arm = (ms: number) => {
    clearTimeout(timer)
    timer = ms <= longestTimeout ? setTimeout(onIdle, ms) : undefined
  }
  return {
    start(ms) {
      running = ms
      arm(ms)
    },
    touch() {
      if (running !== undefined) arm(running)
    },
    pause() {
      running = undefined
      clearTimeout(timer)
    },
  }
}

/** The milliseconds `setTimeout` can count; it fires at once for more. */
export const longestTimeout = 2 ** 31 - 1
