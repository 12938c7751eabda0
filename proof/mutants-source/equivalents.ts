/** Mutants that no test can notice, and those left alive on purpose, each group with its reason. */
export interface Explained {
  readonly reason: string
  readonly mutants: readonly string[]
}

/** Mutants that change nothing anybody could see; reviewed by hand, matched by file and text. */
export const equivalents: readonly Explained[] = []

/** Mutants that change something and are not worth a test. */
export const left: readonly Explained[] = []

/** Reasons by name of a mutant; refuses a short reason and a name listed twice. */
export function readExplained(groups: readonly Explained[]): ReadonlyMap<string, string> {
  const reasons = new Map<string, string>()
  for (const { reason, mutants } of groups) {
    if (reason.length < 20) throw new Error(`No reason is given for: ${mutants.join('; ')}`)
    for (const id of mutants) {
      if (reasons.has(id)) throw new Error(`Listed twice: ${id}`)
      reasons.set(id, reason)
    }
  }
  return reasons
}
