import { letProcessEnd } from '../domain/text/platform.ts'

/** Time, injected so that tests need no sleeps. */
export interface Clock {
  /** Unix milliseconds. */
  now(): number
  /**
   * Milliseconds of a clock that nobody sets and that stands still while the computer sleeps. Only differences count.
   * Default: `now()`.
   */
  monotonic?(): number
  /** Resolves once `now()` has reached `due`, or at once when the signal fires. */
  sleepUntil(due: number, signal: AbortSignal): Promise<void>
  /**
   * Calls `act` each `ms` milliseconds of `monotonic()`, until the function that it returns is called. It keeps no
   * process alive. Default: a timer of the platform.
   */
  every?(ms: number, act: () => void): () => void
}

/** Calls `act` each `ms` milliseconds by a clock. Returns the function that ends it. */
export function repeat(clock: Pick<Clock, 'every'>, ms: number, act: () => void): () => void {
  if (clock.every !== undefined) return clock.every(ms, act)
  const timer = setInterval(act, ms)
  letProcessEnd(timer)
  return () => clearInterval(timer)
}
