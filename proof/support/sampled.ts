/** True where the tests play everything they have; the gate plays a sample of what is long and alike. */
export const isWhole = process.env['STATEWRIGHT_WHOLE'] === 'true'

/** One of so many of a list, from a position on; all of it under STATEWRIGHT_WHOLE=true. */
export function sampled<Item>(items: readonly Item[], every: number, first = 0): readonly Item[] {
  return isWhole ? items : items.filter((_, index) => index % every === first % every)
}
