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
