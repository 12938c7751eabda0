import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Mutants nobody can notice, with the reason why, written by hand. */
export interface Equivalents {
  readonly reason: string
  readonly mutants: readonly string[]
}

const path = join(import.meta.dirname, '../../test/golden/mutants-equivalent.json')

/** Reads the reviewed list; refuses an entry without a reason, and a mutant listed twice. */
export function readEquivalents(): ReadonlyMap<string, string> {
  const groups = JSON.parse(readFileSync(path, 'utf8')) as readonly Equivalents[]
  const reasons = new Map<string, string>()
  for (const { reason, mutants } of groups) {
    if (typeof reason !== 'string' || reason.length < 20)
      throw new Error(`No reason is given for: ${mutants.join('; ')}`)
    for (const id of mutants) {
      if (reasons.has(id)) throw new Error(`Listed twice: ${id}`)
      reasons.set(id, reason)
    }
  }
  return reasons
}
