import { misuse } from '../terminal/cli-error.ts'
import type { OptionName } from './option-table.ts'
import { oneLine } from '../terminal/safe-text.ts'

/** Returns an option's whole number, or undefined if the option was left out. */
export function wholeNumber(
  option: OptionName,
  given: string | undefined,
  [least, most]: readonly [number, number?] = [1],
): number | undefined {
  if (given === undefined) return undefined
  const number = Number(given)
  const isThere = /^\d+$/.test(given) && number >= least && number <= (most ?? Number.MAX_SAFE_INTEGER)
  if (isThere) return number
  const range = most === undefined ? `${least} or more` : `${least} to ${most}`
  throw misuse('bad_option', `--${option} is ${shown(given)}.`, `Expected a whole number, ${range}.`)
}

const ages: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, min: 60_000 }

/** Returns the time of a date or an age, in Unix milliseconds. */
export function timeBefore(given: string, now: number): number {
  const [, count = '', unit = ''] = /^(\d{1,6})(d|h|min)$/.exec(given) ?? []
  if (count !== '') return now - Number(count) * (ages[unit] ?? 0)
  const at = /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2}))?$/.test(given) ? Date.parse(given) : Number.NaN
  if (Number.isFinite(at)) return at
  const wish = 'Expected a date such as 2026-03-01, or an age: 30d, 12h, 90min.'
  throw misuse('bad_option', `--before is ${shown(given)}.`, wish)
}

function shown(given: string): string {
  return oneLine(JSON.stringify(given), 100)
}
