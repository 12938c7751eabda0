import type { DecisionAnswer } from '../../src/core/domain/decision.ts'
import type { Json } from '../../src/core/domain/text/json.ts'
import type { Outcome } from './orders.ts'

/** An answer to a question of a family. */
export interface FamilyAnswer {
  /** The run at which it is given: the root or the member that asks. */
  readonly runId: string
  readonly target: string
  readonly action: 'approve' | 'deny' | 'respond'
  /** The response. */
  readonly value?: Json
}

/** The action of a process on a family at one moment; who answers drives the root at the same time. */
export interface FamilyOrder {
  readonly root: string
  readonly what: 'start' | 'drive' | FamilyAnswer
  /** The tokens that the account of a started family begins with. */
  readonly cap: number
  /** Unix milliseconds. */
  readonly at: number
}

/** The result of one process. */
export interface FamilyOutcome extends Pick<Outcome, 'drive'> {
  readonly answer?: DecisionAnswer
}
