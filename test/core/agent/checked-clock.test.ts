import { expect, test } from 'vitest'
import { fakeClock } from '../../../proof/support/fake-clock.ts'
import { checkedClock } from '../../../src/core/agent/checked-clock.ts'
import { UsageError } from '../../../src/index.ts'

test.each([Number.NaN, Infinity, -Infinity, '1'])(
  'CKP-09 refuses a clock that returns %s, and says what was expected',
  (reading) => {
    const odd = reading as number
    const problem = new UsageError(
      'bad_number',
      `The clock reads ${String(reading)}. Expected milliseconds, a finite number.`,
    )
    const clock = fakeClock()
    expect(() => checkedClock({ ...clock, now: () => odd }).now()).toThrow(problem)
    expect(() => checkedClock({ ...clock, monotonic: () => odd }).monotonic?.()).toThrow(problem)
    expect(checkedClock(clock).now()).toBe(clock.now())
    expect(checkedClock({ ...clock, monotonic: () => 7 }).monotonic?.()).toBe(7)
  },
)
