import type { DecisionRecord } from '../domain/audit-entry.ts'
import type { Decision, DecisionReceipt } from '../domain/decision.ts'
import type { InboxRow, PostedItem, PostReceipt } from '../domain/inbox.ts'

/** What a store keeps of what was sent to runs. Times are Unix milliseconds by the clock of whoever sends it. */
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
   * Judges any other item with `judgePost`, and stores it for the run's driver where the answer is `applied`, in one
   * transaction. A cancel leaves no row where its target has ended, or where an unconsumed cancel of it is stored
   * already.
   */
  post(runId: string, item: PostedItem, now: number): Promise<PostReceipt>
  /** Rows not yet consumed with an id above `after`, oldest first. */
  inbox(runId: string, after: number): Promise<readonly InboxRow[]>
  /** One stored decision by its id, consumed or not. */
  decision(runId: string, decisionId: string): Promise<InboxRow | undefined>
  /** Every decision stored for the run, consumed or not, oldest first. */
  decisions(runId: string): Promise<readonly InboxRow[]>
  /** All steering and follow-ups stored for the run, taken in or not, oldest first. */
  said(runId: string): Promise<readonly InboxRow[]>
  /**
   * Calls `changed` after another writer, in this or another process, may have posted. Returns the function that stops
   * it.
   */
  watch(runId: string, changed: () => void): () => void
}
