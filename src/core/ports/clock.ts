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
}
