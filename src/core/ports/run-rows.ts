import type { Json } from '../domain/text/json.ts'
import type { Owner } from '../domain/owner.ts'
import type { RunRecord } from '../domain/run-record.ts'
import type { FoundLease } from '../domain/store-error.ts'
import type {
  CheckpointInfo,
  Commit,
  CommitReceipt,
  CommitRefused,
  DeletedRuns,
  FirstCommit,
  NewRun,
  QueuedStart,
  RunsToDelete,
} from './commit.ts'
import type { CallRow, Lease, StoredRun } from './stored-run.ts'
import type { DamagedRun, ListedRun, RunFilter, SuspendedFilter, SuspendedRun } from './store-lists.ts'

/** The stored runs. */
export interface RunRows {
  /**
   * Stores a new run with status `running` and version 0, held by `owner` at fence 1. With `first`, the run is as that
   * commit leaves it, and its inbox has the rows that `first` posts. Where anything is wrong with the run or with `first`,
   * nothing is stored. `run_exists` comes before any error of `first`.
   */
  create(run: NewRun, owner: Owner, ttlMs: number, first?: FirstCommit | QueuedStart): Promise<Lease>
  /**
   * Applies one commit if owner, fence and version match. A commit with status `waiting` or `done` is refused (`{
   * refused: 'inbox' }`) while an unconsumed row of kind decision, cancel or cancelCall exists that it does not
   * consume. So is any commit that settles a call, or in which a kept decision comes to answer a suspension, while such
   * a row for that call exists. Rows of other kinds stay until a version of the charts takes them in.
   */
  commit(commit: Commit): Promise<CommitReceipt | CommitRefused>
  /**
   * Reads a run. If `isBare`, a store may leave out the bytes of large media in messages, as `claim` may: what it reads then
   * is for an engine that asks for them when it needs them, by reading the run again.
   */
  read(runId: string, isBare?: boolean): Promise<StoredRun>
  /**
   * The record of a run. `isDriven` says whether a live owner holds it, so that a claim would be refused; that is out of date as
   * soon as it is given.
   */
  record(runId: string): Promise<RunRecord & { readonly isDriven: boolean }>
  /** The input of a run alone. */
  input(runId: string): Promise<Json>
  /**
   * Every call row of the run, settled ones included, in order of `seq`. A fork has also the calls of the runs it was
   * forked from, up to where it was. With `wanted`, a store may leave out calls of which the call id, the provider's id and
   * the suspension's id are none of these texts. If there are no texts, it may leave out calls that are not suspended.
   */
  calls(runId: string, wanted?: readonly string[]): Promise<readonly CallRow[]>
  list(filter?: RunFilter): Promise<readonly (ListedRun | DamagedRun)[]>
  /**
   * Runs that are not done and have a suspended call, the newest first, all read at one moment; those that cannot be read
   * are among them.
   */
  suspended(filter?: SuspendedFilter): Promise<readonly (SuspendedRun | DamagedRun)[]>
  checkpoints(runId: string): Promise<readonly CheckpointInfo[]>
  /** A checkpoint's document with the log and the decisions up to it. */
  checkpoint(runId: string, version: number): Promise<StoredRun>
  /**
   * Removes a run, or several at once, and all their rows; refused with `run_is_driven` while a live lease holds one. An
   * expired lease of a living process of this host counts as `claim` says, and `found` frees it in the same way. Messages,
   * calls, state documents and values that other runs go on from stay for those alone, until the last of them is deleted.
   */
  delete(what: string | RunsToDelete, found?: readonly FoundLease[]): Promise<DeletedRuns>
  /** Runs whose earliest timer is due at or before `now`, in Unix milliseconds by the caller's clock. */
  due(now: number): Promise<readonly string[]>
}
