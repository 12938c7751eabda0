import type {
  CheckpointInfo,
  Commit,
  CommitReceipt,
  CommitRefused,
  DeleteReceipt,
  FirstCommit,
  NewRun,
  QueuedStart,
  Timer,
} from './commit.ts'
import type { EventRows } from './event-rows.ts'
import type { InboxRows } from './inbox-rows.ts'
import type { ClaimedRun, Leases } from './leases.ts'
import type { Records } from './records.ts'
import type { RunRows } from './run-rows.ts'
import type { SessionRows } from './session-rows.ts'
import type { CallRow, Lease, StoredRun } from './stored-run.ts'
import type { WorkStore } from './work.ts'

export type { CallRow, Lease, StoredRun }
export type { CheckpointInfo, Commit, CommitReceipt, CommitRefused, DeleteReceipt, FirstCommit, NewRun }
export type { ClaimedRun, QueuedStart, Timer }

/**
 * Keeps runs. Each method is one transaction. Errors are `StoreError` with a literal `code`:
 * `run_exists`, `run_unknown`, `run_is_driven`, `version_conflict`, `fence_conflict`, `run_damaged`,
 * `store_unavailable`, `store_foreign`, and of sessions `session_conflict`, `session_unknown`, `session_is_read`,
 * `session_damaged`, and of records `record_damaged`.
 */
export interface Store extends RunRows, InboxRows, Leases, EventRows, SessionRows, WorkStore, Records {
  close(): Promise<void>
}
