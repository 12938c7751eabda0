import type { Configuration, Happening, Move, Standing } from './exploration-types.ts'
import type { Facts } from './facts.ts'

/** What an invariant is asked about: one move, what it did, and what is known. */
export interface Observed {
  readonly configuration: Configuration
  /** Undefined for the start of a run. */
  readonly move: Move | undefined
  readonly before: Standing | undefined
  readonly after: Standing
  readonly happenings: readonly Happening[]
  /** Before the move. */
  readonly was: Facts
  /** So far: at a happening, what was known when it came; at the end, everything. */
  readonly facts: Facts
}

/** One rule of the requirements, checked on every move; answers what is wrong, or undefined. */
export interface Invariant {
  readonly name: string
  /** The rule in one sentence, with the requirement it comes from. */
  readonly rule: string
  atHappening?(observed: Observed, happening: Happening): string | undefined
  atEnd?(observed: Observed): string | undefined
}

/** A rule broken by a move. */
export interface Breach {
  readonly invariant: string
  readonly what: string
}

/** Whether a call starts. A call that is left out, or cancelled while it is new, does not start. */
export function isStart({ from, to }: Extract<Happening, { kind: 'hop' }>, verdict: string | null): boolean {
  return from === 'new' && to !== 'cancelled' && verdict !== 'skipped'
}

/** Whether two lists of words are the same. */
export function isEqual(left: readonly string[], right: readonly string[]): boolean {
  return left.join('\n') === right.join('\n')
}

/** A nested state value, written as in a chart: `running.resumeGate.judging`. */
export function pathOf(value: unknown): string {
  if (typeof value === 'string') return value
  const [entry] = Object.entries(value as object)
  return entry === undefined ? '' : `${entry[0]}.${pathOf(entry[1])}`
}
