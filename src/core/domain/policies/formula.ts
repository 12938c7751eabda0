import type { Formula } from './policy.ts'

/** The value of each atom at a step, by its text; undefined if it cannot be decided. */
export type AtomValues = ReadonlyMap<string, boolean | undefined>

/**
 * Returns the part of a policy that the rest of a run must keep after one step: false if the step certainly breaks the
 * policy, true if nothing is left to keep. An undecided atom counts as the value that is worse for the policy.
 */
export function afterStep(formula: Formula, values: AtomValues, isNegated = false): Formula {
  if (typeof formula === 'boolean') return formula
  const next = (part: Formula) => afterStep(part, values, isNegated)
  switch (formula.is) {
    case 'atom':
      return values.get(formula.text) ?? isNegated
    case 'not':
      return not(afterStep(formula.of, values, !isNegated))
    case 'and':
      return both(formula.all.map(next))
    case 'or':
      return anyOf(formula.all.map(next))
    case 'always':
      return both([next(formula.of), formula])
    case 'eventually':
      return anyOf([next(formula.of), formula])
    case 'until':
      return anyOf([next(formula.end), both([next(formula.of), formula])])
  }
}

/** Returns true if a run that ends here has kept the policy. */
export function isKeptAtEnd(formula: Formula): boolean {
  if (typeof formula === 'boolean') return formula
  switch (formula.is) {
    case 'atom':
    case 'eventually':
      return false
    case 'always':
    case 'until':
      return true
    case 'not':
      return !isKeptAtEnd(formula.of)
    case 'and':
      return formula.all.every(isKeptAtEnd)
    case 'or':
      return formula.all.some(isKeptAtEnd)
  }
}

export function always(of: Formula): Formula {
  return typeof of === 'boolean' ? of : { is: 'always', of }
}

export function eventually(of: Formula): Formula {
  return typeof of === 'boolean' ? of : { is: 'eventually', of }
}

export function until(of: Formula, end: Formula): Formula {
  return { is: 'until', of, end }
}

export function not(of: Formula): Formula {
  if (typeof of === 'boolean') return !of
  return of.is === 'not' ? of.of : { is: 'not', of }
}

export function both(parts: readonly Formula[]): Formula {
  return joined('and', parts, true)
}

export function anyOf(parts: readonly Formula[]): Formula {
  return joined('or', parts, false)
}

/** Joins parts without repetitions, in one order; `empty` changes nothing, and its opposite decides. */
function joined(is: 'and' | 'or', parts: readonly Formula[], empty: boolean): Formula {
  const known = new Map<string, Formula>()
  for (const part of parts) {
    if (part === !empty) return !empty
    const inner = typeof part === 'object' && part.is === is ? part.all : [part]
    for (const one of inner) if (one !== empty) known.set(JSON.stringify(one), one)
  }
  const kept = [...known]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .filter(([, one]) => !isAbsorbed(one, is, known))
  const all = kept.map(([, one]) => one)
  const [first = empty] = all
  return all.length < 2 ? first : { is, all }
}

/** Returns true for a part that another part makes needless: of `a and (a or b)` only `a` is left. */
function isAbsorbed(part: Formula, is: 'and' | 'or', known: ReadonlyMap<string, Formula>): boolean {
  const other = is === 'and' ? 'or' : 'and'
  return typeof part === 'object' && part.is === other && part.all.some((one) => known.has(JSON.stringify(one)))
}
