import type { Result } from './results-file.ts'

/** The result of a sample, summed over every seed. */
export interface SourceReport {
  /** Mutants that compile. */
  readonly total: number
  readonly killed: number
  /** Survivors that a test could notice. */
  readonly survived: readonly string[]
  /** Survivors listed as equivalent. */
  readonly equivalent: readonly string[]
  /** Survivors that nobody has explained. */
  readonly unexplained: readonly string[]
  /** Mutants listed as survivors that were noticed after all. */
  readonly mistaken: readonly string[]
  /** Names on a list that no mutant has. */
  readonly unknown: readonly string[]
  /** Killed among those not equivalent, between 0 and 1. */
  readonly score: number
}

/** The two reviewed lists: reasons by name of a mutant. */
export interface Lists {
  readonly equivalents: ReadonlyMap<string, string>
  readonly left: ReadonlyMap<string, string>
}

/** Holds results against the lists; `known` are the names of all mutants there are, and others do not count. */
export function reportOn(results: readonly Result[], lists: Lists, known: ReadonlySet<string>): SourceReport {
  const { equivalents, left } = lists
  const own = results.filter(({ id }) => known.has(id))
  const ids = (kind: Result['kind']) => own.filter((result) => result.kind === kind).map(({ id }) => id)
  const [killed, alive] = [ids('killed'), ids('survived')]
  const survived = alive.filter((id) => !equivalents.has(id))
  const judged = killed.length + survived.length
  const listed = [...equivalents.keys(), ...left.keys()]
  return {
    total: killed.length + alive.length,
    killed: killed.length,
    survived,
    equivalent: alive.filter((id) => equivalents.has(id)),
    unexplained: survived.filter((id) => !left.has(id)),
    mistaken: killed.filter((id) => listed.includes(id)),
    unknown: listed.filter((id) => !known.has(id)),
    score: judged === 0 ? 1 : killed.length / judged,
  }
}

/** The share of mutants, those that are equivalent apart, that the tests must notice. */
const scoreWanted = 0.95

/** Whether a report holds: enough killed, and the lists are right. */
export function holds({ score, mistaken, unknown }: SourceReport): boolean {
  return score >= scoreWanted && mistaken.length + unknown.length === 0
}
