import { afterStep, type AtomValues, isKeptAtEnd } from './formula.ts'
import { type Atom, type Formula, moments } from './policy.ts'

/** The maximum number of different remainders that a policy may have. */
const mostStates = 100

/**
 * Returns whether every sequence of steps keeps a policy, none does, or `some`. Considers each value of the atoms that
 * one step can have, in each state that the policy can reach. Throws a `TypeError` if there are too many.
 */
export function meaningOf(formula: Formula, atoms: readonly Atom[]): 'everything' | 'nothing' | 'some' {
  const steps = stepsOf(atoms)
  const known = new Map([[JSON.stringify(formula), formula]])
  let [isKept, isBroken] = [false, false]
  for (const state of known.values()) {
    if (isKeptAtEnd(state)) isKept = true
    else isBroken = true
    for (const values of steps) {
      const next = afterStep(state, values)
      known.set(JSON.stringify(next), next)
    }
    if (known.size > mostStates) throw new TypeError('it is too complicated: split it into several policies')
  }
  if (isKept && isBroken) return 'some'
  return isKept ? 'everything' : 'nothing'
}

/** Returns the values that the atoms can have at one step: a step is of one kind. */
function stepsOf(atoms: readonly Atom[]): readonly AtomValues[] {
  return Array.from({ length: 2 ** atoms.length }, (_, bits) => {
    const held = atoms.filter((_atom, at) => (bits >> at) & 1)
    const kinds = new Set(held.map(({ kind }) => kind).filter((kind) => moments.some((moment) => moment === kind)))
    return kinds.size > 1 ? [] : [new Map(atoms.map((atom) => [atom.text, held.includes(atom)] as const))]
  }).flat()
}
