import type { DecisionAnswer } from '../../src/core/domain/decision.ts'
import type { RunStatus } from '../../src/core/domain/outcome.ts'
import type { StoreErrorCode } from '../../src/core/domain/store-error.ts'

/** An order that both processes get for one moment; who approves or denies drives the run at the same time. */
export type Raced = 'start' | 'drive' | 'approve' | 'deny'

/** What a process does with a run at a moment. */
export interface Order {
  readonly runId: string
  readonly what: Raced
  /** Unix milliseconds. */
  readonly at: number
}

/** How one process fared. */
export interface Outcome {
  /** Where its drive left the run, or the code of the error it was refused with. */
  readonly drive: RunStatus | StoreErrorCode
  readonly answer?: DecisionAnswer
}
