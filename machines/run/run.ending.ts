import type { Outcome } from '../../src/core/domain/outcome.ts'
import type { Ending, PlannedOutcome, RunContext } from './run.types.ts'

type Made = Extract<Ending, { kind: 'made' }>

/** The state in which no end is known. It is one shared value, so that a stored document can omit it. */
export const noEnding: Ending = Object.freeze({ kind: 'none' })

/** Returns a planned end, which must still pass the resume gate. */
export function planned(plan: PlannedOutcome): Ending {
  return { kind: 'planned', plan }
}

/** Returns an end, or a wait, that is certain. */
export function made(outcome: Outcome, note?: string): Made {
  return { kind: 'made', outcome, ...(note === undefined ? {} : { note }) }
}

/** Returns the end of the run, or its wait; null while neither is certain. */
export function outcomeOf({ ending }: Pick<RunContext, 'ending'>): Outcome | null {
  return ending.kind === 'made' ? ending.outcome : null
}

/** Returns the planned end of the run, once the resume gate allows it; null without a plan. */
export function planOf({ ending }: Pick<RunContext, 'ending'>): PlannedOutcome | null {
  return ending.kind === 'planned' ? ending.plan : null
}

/** Returns the note that is written with the end, or undefined. */
export function noteOf({ ending }: Pick<RunContext, 'ending'>): string | undefined {
  return ending.kind === 'made' ? ending.note : undefined
}

/** Returns the ending with another plan. A wait keeps the plan for later; a certain end stays as it is. */
export function withPlan(ending: Ending, plan: PlannedOutcome): Ending {
  if (ending.kind !== 'made') return planned(plan)
  return ending.outcome.reason === 'suspended' ? { ...ending, plan } : ending
}

/** Returns the ending of a run that leaves its wait. */
export function resumed(ending: Ending): Ending {
  return ending.kind === 'made' && ending.plan !== undefined ? planned(ending.plan) : noEnding
}

/** Turns a certain end back into a plan, if a message may defer it. */
export function reopened(ending: Ending): Ending {
  if (ending.kind !== 'made') return ending
  const { reason } = ending.outcome
  return reason === 'natural_end' || reason === 'plugin_requested' ? planned({ reason }) : ending
}
