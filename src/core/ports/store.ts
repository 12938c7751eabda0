import type {
  CheckpointInfo,
  Commit,
  CommitReceipt,
  CommitRefused,
  DeletedRuns,
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
import type { CallRow, Lease, StoredRun } from './stored-run.ts'
import type { WorkStore } from './work.ts'

export type { CallRow, Lease, StoredRun }
export type { CheckpointInfo, Commit, CommitReceipt, CommitRefused, DeletedRuns, FirstCommit, NewRun }
export type { ClaimedRun, QueuedStart, Timer }

/**
 * Keeps runs. Each method is one transaction. Errors are `StoreError` with a literal `code`:
 * `run_exists`, `run_unknown`, `run_is_driven`, `version_conflict`, `fence_conflict`, `run_damaged`,
 * `store_unavailable`, `store_foreign`, `record_damaged`, and of sessions `session_conflict`, `session_unknown` and
 * `session_is_read`.
 */
export interface Store extends RunRows, InboxRows, Leases, EventRows, WorkStore, Records {
  close(): Promise<void>
}
