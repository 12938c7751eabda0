import { UsageError } from './text/usage-error.ts'

/** A number of 0 or more, `Infinity` included; anything else is refused by the option's name. */
function checkedAmount(option: string, value: number): number {
  if (typeof value === 'number' && value >= 0) return value
  throw new UsageError(
    'bad_number',
    `Option ${option} is ${String(value)}, which is refused. Expected a number of 0 or more.`,
  )
}

/** A number of 0 or more; undefined for `Infinity`, which JSON cannot hold and which stands for no limit. */
export function checkedLimit(option: string, value: number | undefined): number | undefined {
  if (value === undefined) return undefined
  const amount = checkedAmount(option, value)
  return Number.isFinite(amount) ? amount : undefined
}

/** A number of 0 or more; `Infinity` becomes a number nothing reaches. */
export function checkedMost(option: string, value: number): number {
  return Math.min(checkedAmount(option, value), Number.MAX_SAFE_INTEGER)
}

/** A finite number of 0 or more. */
export function checkedFinite(option: string, value: number): number {
  if (Number.isFinite(checkedAmount(option, value))) return value
  throw new UsageError('bad_number', `Option ${option} is Infinity, which is refused. Expected a finite number.`)
}
