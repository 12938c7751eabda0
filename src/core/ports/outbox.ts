import type { Json } from '../domain/text/json.ts'

/** Something that is to leave the process, written with the state that wants it. */
export interface OutgoingItem {
  /** Names it for its receiver. It may arrive more than once, always under this id. */
  readonly id: string
  /** Which senders take it. */
  readonly kind: string
  /** Where it goes. What one run sends of one kind to one destination leaves in its order. */
  readonly destination: string
  readonly body: Json
}

/** Where an outgoing item stands: it is to be sent, was sent, or nobody tries any more until it is retried. */
export type OutgoingState = 'pending' | 'sent' | 'aside'

/** An outgoing item as a store keeps it. The body of one that was sent is kept no longer, and is null. */
export interface OutgoingRow extends OutgoingItem {
  /** Rising within a store, and never given again. */
  readonly number: number
  readonly runId: string
  readonly state: OutgoingState
  /** When its commit was made, in Unix milliseconds. */
  readonly at: number
  /** How often it was taken to be sent. */
  readonly attempts: number
  /** Unix milliseconds before which nobody takes it; only where it is pending. */
  readonly due?: number
  /** Why it was not sent the last time. */
  readonly problem?: string
}

/** What a publisher takes. Times are Unix milliseconds by the clock of whoever asks. */
export interface OutgoingQuery {
  readonly kinds: readonly string[]
  readonly now: number
  readonly limit: number
  /** Milliseconds for which nobody else is given the same rows. */
  readonly holdMs: number
}

/** Which outgoing rows are meant. A field that is left out excludes none. */
export interface OutgoingFilter {
  readonly runId?: string
  readonly state?: OutgoingState
  /** Default 100. */
  readonly limit?: number
}

/**
 * The part of a store that keeps what is to leave the process. Each method is one transaction. `delete` of a run removes what
 * was sent; the rest stays until it is sent or dropped.
 */
export interface OutboxStore {
  /**
   * Takes rows that are due, the oldest first, and counts an attempt of each. A row is held back while an earlier one of
   * its run, kind and destination is pending. Whoever takes a row and ends leaves it to the next once `holdMs` are over.
   */
  takeOutgoing(query: OutgoingQuery): Promise<readonly OutgoingRow[]>
  /** A row has arrived; of a run that was deleted meanwhile nothing is kept. */
  markSent(number: number, now: number): Promise<void>
  /**
   * A row could not be sent. It is due again at `until`, or set aside without. Nothing changes where somebody else has taken it
   * since, or where it was sent.
   */
  failOutgoing(
    row: Pick<OutgoingRow, 'number' | 'attempts'>,
    failure: { readonly problem: string; readonly until?: number },
  ): Promise<void>
  /**
   * The earliest time at which `takeOutgoing` gives a row of these kinds; it may be past. A row behind another of its run,
   * kind and destination waits for that one. Undefined if no row is pending.
   */
  nextOutgoing(kinds: readonly string[]): Promise<number | undefined>
  /** Rows as they stand, the oldest first. */
  outgoing(filter?: OutgoingFilter): Promise<readonly OutgoingRow[]>
  /** Has a row sent at once that is set aside or waits, its attempts forgotten; false where there is none. */
  retryOutgoing(number: number): Promise<boolean>
  /** Forgets a row, whatever its state; false where there is none. */
  dropOutgoing(number: number): Promise<boolean>
}
