import type { PermissionRule } from '../permission-rule.ts'
import type { Pattern } from '../text/linear-match.ts'

/** The kinds of steps that an atom may name. A step is of one kind. */
export const moments = ['called', 'ran', 'denied', 'refused', 'waited', 'crashed'] as const

/** The name of what happens to a call in one step. */
export type Moment = (typeof moments)[number]

/** A question about one step of a run, with its normalised text. */
export type Atom =
  | { readonly kind: Moment; readonly text: string; readonly rule: PermissionRule }
  /** `by` matches the name of the person; absent for anybody. */
  | { readonly kind: 'approvedBy'; readonly text: string; readonly by?: Pick<Pattern, 'test'> }
  | { readonly kind: 'spent'; readonly text: string; readonly moreThan: number }

/**
 * A policy as plain JSON. An atom is its text. `until` has two parts: the first must hold up to the step at which the
 * second does, or to the end of the run.
 */
export type Formula =
  | boolean
  | { readonly is: 'atom'; readonly text: string }
  | { readonly is: 'not' | 'always' | 'eventually'; readonly of: Formula }
  | { readonly is: 'and' | 'or'; readonly all: readonly Formula[] }
  | { readonly is: 'until'; readonly of: Formula; readonly end: Formula }

/** A parsed policy. */
export interface Policy {
  readonly text: string
  readonly formula: Formula
  readonly atoms: readonly Atom[]
}
