/**
 * Returns the median of `rounds` ratios of one measurement to another. The two alternate, so that both see the same
 * load of the machine.
 */
export function medianRatio(rounds: number, measure: () => number, base: () => number): number {
  const ratios = Array.from({ length: rounds }, () => measure() / base()).toSorted((left, right) => left - right)
  const middle = ratios[ratios.length >> 1]
  if (middle === undefined) throw new Error('There is no median of no rounds.')
  return middle
}
