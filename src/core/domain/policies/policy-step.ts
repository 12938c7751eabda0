import type { Json } from '../text/json.ts'
import type { RuleFields } from '../match-rules.ts'
import { afterStep, type AtomValues } from './formula.ts'
import type { Atom, Formula, Moment, Policy } from './policy.ts'

/** The call that a step is about. */
export interface StepCall {
  readonly toolName: string
  readonly arguments: Json
  /** The persons who have approved the call up to this step; a null is a person without a name. */
  readonly approvedBy: readonly (string | null)[]
  readonly fields?: RuleFields
}

/** One step of a run, as policies read it. `answered` is an answer of the model, which has no call itself. */
export type PolicyStep = { readonly spent: number } & (
  | { readonly kind: 'answered' }
  | { readonly kind: Moment; readonly call: StepCall }
)

/** The rest of each policy that the run still has to keep, by the text of the policy. */
export type Standing = { readonly [policy: string]: Formula }

/** Returns the standing of policies at the start of a run. */
export function standingAtStart(policies: readonly Policy[]): Standing {
  return Object.fromEntries(policies.map(({ text, formula }) => [text, formula]))
}

/** Returns the standing after one step. A policy without a standing counts from this step on. */
export async function stand(policies: readonly Policy[], standing: Standing, step: PolicyStep): Promise<Standing> {
  const next: Record<string, Formula> = {}
  for (const { text, formula, atoms } of policies)
    next[text] = afterStep(standing[text] ?? formula, await valuesAt(step, atoms))
  return next
}

/** Returns the policies that the run has broken. */
export function brokenIn(policies: readonly Policy[], standing: Standing): readonly Policy[] {
  return policies.filter(({ text }) => standing[text] === false)
}

/** Returns true if one of these persons fits an atom. */
export function isApprovedBy(
  names: StepCall['approvedBy'],
  { by }: Extract<Atom, { readonly kind: 'approvedBy' }>,
): boolean {
  return names.some((name) => by === undefined || (name !== null && by.test(name)))
}

/** Returns the value of each atom at a step. */
export async function valuesAt(step: PolicyStep, atoms: readonly Atom[]): Promise<AtomValues> {
  const values = new Map<string, boolean | undefined>()
  for (const atom of atoms) values.set(atom.text, await valueAt(step, atom))
  return values
}

async function valueAt(step: PolicyStep, atom: Atom): Promise<boolean | undefined> {
  if (atom.kind === 'spent') return step.spent > atom.moreThan
  if (step.kind === 'answered') return false
  const { toolName, arguments: given, approvedBy, fields } = step.call
  if (atom.kind === 'approvedBy') return isApprovedBy(approvedBy, atom)
  if (atom.kind !== step.kind) return false
  const { matchRules } = await import('../match-rules.ts')
  const found = await matchRules([atom.rule], { toolName, arguments: given, ...(fields && { fields }) })
  if (found === undefined) return false
  return found.effect === 'deny' ? true : undefined
}
