import type { CallRecord } from '../domain/call.ts'
import type { Json } from '../domain/text/json.ts'
import type { LogEntry } from '../domain/log.ts'
import type { Owner } from '../domain/owner.ts'
import type { RunRecord } from '../domain/run-record.ts'

/** The right to commit. `fence` rises with every claim. Every commit checks it, together with the owner's id. */
export interface Lease {
  readonly runId: string
  readonly owner: Owner
  readonly fence: number
}

/** A live call's row: its record, and its actor's snapshot if that is newer than the last checkpoint. */
export interface CallRow {
  readonly record: CallRecord
  /**
   * JSON text of the actor's snapshot; null once the call has settled, or when the checkpoint's document holds the
   * snapshot.
   */
  readonly document: string | null
  /** The commit that last wrote the row. */
  readonly version: number
}

/** The data that a driver needs to continue a run. */
export interface StoredRun {
  readonly record: RunRecord
  readonly input: Json
  /** The last checkpoint; null before the first. */
  readonly checkpoint: { readonly document: string; readonly version: number; readonly seq: number } | null
  /** The document of a later commit that carried no checkpoint; null otherwise. */
  readonly document: string | null
  /**
   * Messages, call slots, state documents and values in order of `seq`, without checkpoints and marks. In a run
   * that continues another one, the entries of other runs come first, as those wrote them. Frozen at every depth, or not
   * at all.
   */
  readonly log: readonly LogEntry[]
  /** The continued run. Its own entries begin after `seq`. */
  readonly continues?: { readonly runId: string; readonly seq: number }
  /** Rows of calls that have not settled, and of calls whose actor has a snapshot newer than the last checkpoint. */
  readonly calls: readonly CallRow[]
}
