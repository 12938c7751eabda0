import type { DecisionAnswer } from '../../src/core/domain/decision.ts'
import type { RunStatus } from '../../src/core/domain/outcome.ts'
import type { StoreErrorCode } from '../../src/core/domain/store-error.ts'

/** An order that both processes get for one moment; who approves or denies drives the run at the same time. */
export type Raced = 'start' | 'drive' | 'approve' | 'deny'

/** An order to one process: the run, the action and its moment. */
export interface Order {
  readonly runId: string
  readonly what: Raced
  /** Unix milliseconds. */
  readonly at: number
}

/** The result of one process. */
export interface Outcome {
  /** The run's status after the drive, or the code of the error that refused the drive. */
  readonly drive: RunStatus | StoreErrorCode
  readonly answer?: DecisionAnswer
}
