import type { DecisionRecord } from '../domain/audit-entry.ts'
import type { Decision, DecisionReceipt } from '../domain/decision.ts'
import type { InboxItem, InboxRow, PostedItem, PostReceipt } from '../domain/inbox.ts'

/** The stored items that were sent to runs. Times are Unix milliseconds by the sender's clock. */
export interface InboxRows {
  /**
   * Judges and stores decisions, all in one transaction, with `judgeDecision`. Stores no decision for a call whose
   * cancel is stored. `records` has what is stored with each decision that is, by the decision's place: an entry of the
   * audit, and a grant.
   */
  decide(
    runId: string,
    decisions: readonly Decision[],
    now: number,
    records?: readonly (DecisionRecord | undefined)[],
  ): Promise<readonly DecisionReceipt[]>
  /**
   * Judges any other item with `judgePost`, and stores it for the run's driver if the answer is `applied`, in one
   * transaction. A cancel leaves no row if its target has ended, or if an unconsumed cancel of it is stored
   * already.
   */
  post(runId: string, item: PostedItem, now: number): Promise<PostReceipt>
  /** The rows of a run's inbox that a filter asks for, oldest first. */
  inbox(runId: string, filter?: InboxFilter): Promise<readonly InboxRow[]>
  /**
   * Calls `changed` after another writer, in this or another process, may have posted to the run; without a run, after
   * one may have made something to do for any run. Several changes may cause one call. Returns the function that stops
   * it.
   */
  watch(runId: string | undefined, changed: () => void): () => void
}

/** A filter of inbox rows. An absent field excludes no row. */
export interface InboxFilter {
  /** True: only rows that no commit has consumed. */
  readonly isOpen?: boolean
  /** Only rows with a higher id. */
  readonly after?: number
  readonly kinds?: readonly InboxItem['kind'][]
  readonly decisionId?: string
}
