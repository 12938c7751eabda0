/** Returns the known name that is most similar to a misspelt one, or undefined if none is similar. */
export function nearestName(given: string, names: readonly string[]): string | undefined {
  const wanted = given.toLowerCase()
  const near = names
    .map((name) => ({ name, steps: stepsBetween(wanted, name.toLowerCase()) }))
    .filter(({ name, steps }) => steps <= Math.max(1, Math.floor(Math.min(given.length, name.length) * 0.4)))
    .sort((left, right) => left.steps - right.steps)
  return near[0]?.name
}

/** Returns the number of letters to insert, delete, change or swap to convert one text to the other. */
function stepsBetween(from: string, to: string): number {
  let before: readonly number[] = []
  let row: readonly number[] = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let at = 1; at <= from.length; at++) {
    const next = [at]
    for (let other = 1; other <= to.length; other++) {
      const isEqual = from[at - 1] === to[other - 1]
      const isSwap = at > 1 && other > 1 && from[at - 1] === to[other - 2] && from[at - 2] === to[other - 1]
      next.push(
        Math.min(
          (row[other] ?? 0) + 1,
          (next[other - 1] ?? 0) + 1,
          (row[other - 1] ?? 0) + (isEqual ? 0 : 1),
          isSwap ? (before[other - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
    before = row
    row = next
  }
  return row[to.length] ?? 0
}
