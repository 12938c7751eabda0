import { UsageError } from '../domain/usage-error.ts'
import type { Clock } from '../ports/clock.ts'

/** The clock, whose readings are refused where they are no finite number: nothing compares with one, and no store takes it. */
export function checkedClock(clock: Clock): Clock {
  return {
    now() {
      const now = clock.now()
      if (Number.isFinite(now)) return now
      throw new UsageError('bad_number', `The clock reads ${String(now)}. Expected unix milliseconds, a finite number.`)
    },
    sleepUntil: (due, signal) => clock.sleepUntil(due, signal),
  }
}
