import { letProcessEnd } from '../domain/text/platform.ts'

/** A clock, injected so that tests need no sleeps. */
export interface Clock {
  /** Unix milliseconds. */
  now(): number
  /**
   * Milliseconds of a clock that nobody sets and that stops while the computer sleeps, for differences. Default:
   * `now()`.
   */
  monotonic?(): number
  /** Resolves when `now()` has reached `due`, or at once when the signal fires. */
  sleepUntil(due: number, signal: AbortSignal): Promise<void>
  /**
   * Calls `act` every `ms` milliseconds of `monotonic()` until the returned function is called. It does not keep the
   * process alive. Default: a timer of the platform.
   */
  every?(ms: number, act: () => void): () => void
}

/** Calls `act` every `ms` milliseconds of a clock. Returns the function that stops it. */
export function repeat(clock: Pick<Clock, 'every'>, ms: number, act: () => void): () => void {
  if (clock.every !== undefined) return clock.every(ms, act)
  const timer = setInterval(act, ms)
  letProcessEnd(timer)
  return () => clearInterval(timer)
}
