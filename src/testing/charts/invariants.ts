import type { Configuration, Move, Standing } from './exploration-types.ts'
import { type Facts, noFacts } from './facts.ts'
import type { Breach, Invariant, Observed } from './invariant.ts'
import { invariantsOfCalls } from './invariants-of-calls.ts'
import { invariantsOfMedia } from './invariants-of-media.ts'
import { invariantsOfMemory } from './invariants-of-memory.ts'
import { invariantsOfPermissions } from './invariants-of-permissions.ts'
import { invariantsOfMessages } from './invariants-of-messages.ts'
import { invariantsOfRounds } from './invariants-of-rounds.ts'
import { invariantsOfRuns } from './invariants-of-runs.ts'
import { invariantsOfStructure } from './invariants-of-structure.ts'
import { invariantsOfSummaries } from './invariants-of-summaries.ts'
import { watchHappening } from './watch-happening.ts'
import { watchMove } from './watch-move.ts'
import type { Step } from './live-chart.ts'

/** All rules of the oracle, written by hand from the requirements and never derived from a chart. */
export const invariants: readonly Invariant[] = [
  ...invariantsOfStructure,
  ...invariantsOfCalls,
  ...invariantsOfRounds,
  ...invariantsOfRuns,
  ...invariantsOfMessages,
  ...invariantsOfPermissions,
  ...invariantsOfSummaries,
  ...invariantsOfMemory,
  ...invariantsOfMedia,
]

/** The facts after a move, and the rules that it broke. */
export interface Judged {
  readonly facts: Facts
  readonly breaches: readonly Breach[]
}

/** One move to check: the facts and the state before it, and its step. */
export interface Witnessed {
  readonly configuration: Configuration
  /** Undefined for the start of a run. */
  readonly move?: Move
  readonly before?: Standing
  readonly facts?: Facts
  readonly step: Step
}

/** Watches one move and returns the new facts and the broken rules. */
export function judge({ configuration, move, before, facts: was = noFacts, step }: Witnessed): Judged {
  const { happenings, standing } = step
  const breaches: Breach[] = []
  let facts = move === undefined || before === undefined ? was : watchMove(was, move, before, configuration)
  const observed = (): Observed => ({ configuration, move, before, after: standing, happenings, was, facts })
  for (const seen of happenings) {
    for (const { name, atHappening } of invariants) note(breaches, name, atHappening?.(observed(), seen))
    facts = watchHappening(facts, seen, configuration)
  }
  for (const { name, atEnd } of invariants) note(breaches, name, atEnd?.(observed()))
  return { facts, breaches }
}

function note(breaches: Breach[], invariant: string, what: string | undefined): void {
  if (what !== undefined) breaches.push({ invariant, what })
}
