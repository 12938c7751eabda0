import { longestTimerMs } from '../domain/timer.ts'
import { letProcessEnd } from '../domain/text/platform.ts'

/** A clock, injected so that tests need no sleeps. */
export interface Clock {
  /** Unix milliseconds. */
  now(): number
  /** Milliseconds of a monotonic clock that stops while the computer sleeps, for differences. Default: `now()`. */
  monotonic?(): number
  /** Resolves when `now()` has reached `due`, or at once when the signal fires. */
  sleepUntil(due: number, signal: AbortSignal): Promise<void>
  /**
   * Calls `act` every `ms` milliseconds of `monotonic()` until the returned function is called. It does not keep the
   * process alive. Default: a timer of the platform.
   */
  every?(ms: number, act: () => void): () => void
}

/**
 * Resolves when `now()` has reached `due`, when as many milliseconds have passed by `monotonic()`, or when the signal
 * fires, whichever comes first. So a clock that is set back makes nobody wait longer.
 */
export async function waitUntil(due: number, clock: Clock, signal: AbortSignal): Promise<void> {
  if (clock.monotonic === undefined) return clock.sleepUntil(due, signal)
  const over = new AbortController()
  const end = () => over.abort()
  const ms = Math.min(Math.max(due - clock.now(), 1), longestTimerMs)
  const stop = repeat(clock, ms, end)
  const forget = onAbort(signal, end)
  await clock.sleepUntil(due, over.signal)
  stop()
  forget()
}

/** Calls a function when a signal fires, or at once if it has fired. Returns the function that cancels this. */
export function onAbort(signal: AbortSignal, act: () => void): () => void {
  if (signal.aborted) act()
  else signal.addEventListener('abort', act, { once: true })
  return () => signal.removeEventListener('abort', act)
}

/** Resolves when a signal fires. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => void onAbort(signal, resolve))
}

/** Calls `act` every `ms` milliseconds by a clock. Returns the function that stops it. */
export function repeat(clock: Pick<Clock, 'every'>, ms: number, act: () => void): () => void {
  if (clock.every !== undefined) return clock.every(ms, act)
  const timer = setInterval(act, ms)
  letProcessEnd(timer)
  return () => clearInterval(timer)
}

/**
 * Returns the result of work that has `ms` milliseconds. If they are over first, or `signal` fires, rejects with the
 * error of `late`, and the work is left to itself. Only then the signal of the work fires.
 */
export async function inTime<Result>(
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
  ms: number,
  work: (signal: AbortSignal) => Promise<Result>,
  late: () => Error,
): Promise<Result> {
  if (ms === Infinity) return work(signal)
  const done = new AbortController()
  const over = new AbortController()
  const tooLate = clock.sleepUntil(clock.now() + ms, AbortSignal.any([signal, done.signal])).then((): never => {
    if (!done.signal.aborted) over.abort(late())
    throw over.signal.reason
  })
  try {
    return await Promise.race([work(AbortSignal.any([signal, over.signal])), tooLate])
  } finally {
    tooLate.catch(() => undefined)
    done.abort()
  }
}
