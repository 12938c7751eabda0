import { createHash } from 'node:crypto'

/**
 * Mutants in an order that a seed determines. Each has its rank from its own name, so that a changed line elsewhere
 * does not deal the sample anew.
 */
export function rankMutants<Item extends { readonly id: string }>(
  mutants: readonly Item[],
  seed: number,
): readonly Item[] {
  const ranked = mutants.map((mutant) => ({ mutant, rank: rankOf(mutant.id, seed) }))
  return ranked.toSorted((left, right) => left.rank.localeCompare(right.rank)).map(({ mutant }) => mutant)
}

function rankOf(id: string, seed: number): string {
  return createHash('sha256').update(`${seed} ${id}`).digest('hex')
}
