import { longestTimerMs } from './timer.ts'
import { UsageError } from './text/usage-error.ts'

/** Returns a number of 0 or more, including `Infinity`; throws an error with the option's name for other values. */
function checkedAmount(option: string, value: number): number {
  if (typeof value === 'number' && value >= 0) return value
  throw new UsageError(
    'bad_number',
    `Option ${option} is ${String(value)}, which is refused. Expected a number of 0 or more.`,
  )
}

/** Returns a number of 0 or more, or undefined for `Infinity`, which means no limit and which JSON cannot hold. */
export function checkedLimit(option: string, value: number | undefined): number | undefined {
  if (value === undefined) return undefined
  const amount = checkedAmount(option, value)
  return Number.isFinite(amount) ? amount : undefined
}

/** Returns a limit as `checkedLimit` does; throws for one above `most`, which could not be counted exactly. */
export function checkedCap(option: string, value: number | undefined, most: number): number | undefined {
  const limit = checkedLimit(option, value)
  if (limit === undefined || limit <= most) return limit
  const wish = `Expected at most ${most}, or Infinity for no limit.`
  throw new UsageError('bad_number', `Option ${option} is ${limit}, which is refused. ${wish}`)
}

/** Returns a number of 0 or more; `Infinity` becomes a number that nothing reaches. */
export function checkedMost(option: string, value: number): number {
  return Math.min(checkedAmount(option, value), Number.MAX_SAFE_INTEGER)
}

/** Returns a finite number of 0 or more; throws for other values. */
export function checkedFinite(option: string, value: number): number {
  if (Number.isFinite(checkedAmount(option, value))) return value
  throw new UsageError('bad_number', `Option ${option} is Infinity, which is refused. Expected a finite number.`)
}

/** Returns the duration of a lease in milliseconds; throws for one that no timer could renew. */
export function checkedLease(ms: number): number {
  if (ms > 0 && ms <= longestTimerMs) return ms
  const wish = `Expected more than 0 and at most ${longestTimerMs} milliseconds.`
  throw new UsageError('bad_option', `leaseMs is ${ms}. ${wish}`)
}
