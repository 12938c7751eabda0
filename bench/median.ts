/** The middle value; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** The value that the best tenth of them reaches, which is the best one of up to ten; NaN of none. */
export function quietOf(values: readonly number[], better: 'less' | 'more' = 'less'): number {
  const sorted = values.toSorted((left, right) => (better === 'less' ? left - right : right - left))
  return sorted[Math.ceil(sorted.length / 10) - 1] ?? Number.NaN
}

/** The value that so large a part of them does not exceed; NaN of none. */
export function percentileOf(values: readonly number[], part: number): number {
  const sorted = values.toSorted((left, right) => left - right)
  return sorted[Math.min(Math.floor(sorted.length * part), sorted.length - 1)] ?? Number.NaN
}
