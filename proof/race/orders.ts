import type { DecisionAnswer } from '../../src/core/domain/decision.ts'
import type { RunStatus } from '../../src/core/domain/outcome.ts'
import type { StoreErrorCode } from '../../src/core/domain/store-error.ts'

/** An order that both processes get for one moment; who approves or denies drives the run at the same time. */
export type Raced = 'start' | 'drive' | 'approve' | 'deny'

/** What a process does with a run at a moment; who says yes or no only stores it. */
export interface Order {
  readonly runId: string
  readonly what: Raced | 'say yes' | 'say no'
  /** Unix milliseconds. */
  readonly at: number
}

/** How one process fared. */
export interface Outcome {
  /** Where its drive left the run, or the code of the error it was refused with. Who only decides drives nothing. */
  readonly drive: RunStatus | StoreErrorCode | 'none'
  readonly answer?: DecisionAnswer
}
