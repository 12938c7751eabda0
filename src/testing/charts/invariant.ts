import type { Configuration, Happening, Move, Standing } from './exploration-types.ts'
import type { Facts } from './facts.ts'

/** The input of an invariant: one move, its effects, and the facts. */
export interface Observed {
  readonly configuration: Configuration
  /** Undefined for the start of a run. */
  readonly move: Move | undefined
  readonly before: Standing | undefined
  readonly after: Standing
  readonly happenings: readonly Happening[]
  /** The facts before the move. */
  readonly was: Facts
  /** The current facts: at a happening, the facts before it; at the end, the facts after the move. */
  readonly facts: Facts
}

/** One rule of the requirements, checked on every move. A check returns a description of the breach, or undefined. */
export interface Invariant {
  readonly name: string
  /** The rule in one sentence, with the requirement it comes from. */
  readonly rule: string
  atHappening?(observed: Observed, happening: Happening): string | undefined
  atEnd?(observed: Observed): string | undefined
}

/** A rule that a move broke. */
export interface Breach {
  readonly invariant: string
  readonly what: string
}

/** Returns true if a call starts. A call that is skipped, or cancelled while it is new, does not start. */
export function isStart({ from, to }: Extract<Happening, { kind: 'hop' }>, verdict: string | null): boolean {
  return from === 'new' && to !== 'cancelled' && verdict !== 'skipped'
}

/** Returns true if two lists of words are equal. */
export function isEqual(left: readonly string[], right: readonly string[]): boolean {
  return left.join('\n') === right.join('\n')
}

/** Returns the path of a nested state value, as in a chart: `running.resumeGate.judging`. */
export function pathOf(value: unknown): string {
  if (typeof value === 'string') return value
  const [entry] = Object.entries(value as object)
  return entry === undefined ? '' : `${entry[0]}.${pathOf(entry[1])}`
}
