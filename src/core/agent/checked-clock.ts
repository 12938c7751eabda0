import { UsageError } from '../domain/text/usage-error.ts'
import type { Clock } from '../ports/clock.ts'

/** Returns a clock that checks that its readings are finite, because no store accepts other numbers. */
export function checkedClock(clock: Clock): Clock {
  return {
    now: () => checked(clock.now()),
    ...(clock.monotonic === undefined ? {} : { monotonic: () => checked(clock.monotonic?.() ?? clock.now()) }),
    sleepUntil: (due, signal) => clock.sleepUntil(due, signal),
    ...(clock.every === undefined ? {} : { every: clock.every.bind(clock) }),
  }
}

function checked(reading: number): number {
  if (Number.isFinite(reading)) return reading
  throw new UsageError('bad_number', `The clock reads ${String(reading)}. Expected milliseconds, a finite number.`)
}
