import { createHash } from 'node:crypto'
import { randomFrom } from '../support/random.ts'

/** Returns the requested number of items, chosen by a seed and in their old order. */
export function sampleOf<Item>(items: readonly Item[], size: number, seed: number): readonly Item[] {
  const random = randomFrom(seed)
  const ranked = items.map((item, index) => ({ item, index, rank: random() }))
  const chosen = ranked.toSorted((left, right) => left.rank - right.rank).slice(0, size)
  return chosen.toSorted((left, right) => left.index - right.index).map(({ item }) => item)
}

/** A seed that stays while the names do: one state of the charts is always judged by one sample. */
export function seedOf(names: readonly string[]): number {
  return createHash('sha256').update(names.join('\n')).digest().readUInt32BE()
}
