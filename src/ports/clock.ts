/** Time, injected so that tests need no sleeps. */
export interface Clock {
  /** Unix milliseconds. */
  now(): number
  /** Resolves once `now()` has reached `due`, or at once when the signal fires. */
  sleepUntil(due: number, signal: AbortSignal): Promise<void>
}
