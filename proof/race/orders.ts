import type { DecisionAnswer } from '../../src/domain/decision.ts'
import type { RunStatus } from '../../src/domain/outcome.ts'
import type { StoreErrorCode } from '../../src/domain/store-error.ts'

/** What both processes do with a run at one moment; who decides drives it at the same time. */
export interface Order {
  readonly runId: string
  readonly what: 'start' | 'drive' | 'approve' | 'deny'
  /** Unix milliseconds. */
  readonly at: number
}

/** How one process fared. */
export interface Outcome {
  /** Where its drive left the run, or the code of the error it was refused with. */
  readonly drive: RunStatus | StoreErrorCode
  readonly answer?: DecisionAnswer
}
