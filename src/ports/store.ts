import type { CallRecord } from '../domain/call.ts'
import type { Decision, DecisionReceipt } from '../domain/decision.ts'
import type { InboxRow, PostedItem, PostReceipt } from '../domain/inbox.ts'
import type { Json } from '../domain/json.ts'
import type { EventsEntry } from '../domain/kept-events.ts'
import type { LogEntry } from '../domain/log.ts'
import type { CheckpointName, Outcome, RunStatus } from '../domain/outcome.ts'
import type { Owner } from '../domain/owner.ts'
import type { RunRecord } from '../domain/run-record.ts'

/** The right to commit; `fence` rises with every claim and is checked, with the owner's id, by every commit. */
export interface Lease {
  readonly runId: string
  readonly owner: Owner
  readonly fence: number
}

/** A run to be stored before its first step. */
export interface NewRun {
  readonly id: string
  readonly agent: string
  /** Whatever the engine needs to start the run again from nothing; a commit may put another in its place. */
  readonly input: Json
  /** Unix milliseconds. */
  readonly at: number
  readonly forkedFrom?: { readonly runId: string; readonly version: number }
}

/** A live call's row: its record and, where newer than the last checkpoint, its actor's snapshot. */
export interface CallRow {
  readonly record: CallRecord
  /** JSON text of the actor's snapshot; null once settled or when the checkpoint's document holds it. */
  readonly document: string | null
  /** The commit that last wrote the row. */
  readonly version: number
}

/** A timer of a run, for others to find; `due` in Unix milliseconds. */
export interface Timer {
  /** Key of the effect that sleeps. */
  readonly key: string
  readonly due: number
}

/** Everything one durable write changes; applied whole or not at all. */
export interface Commit {
  readonly runId: string
  /** Id of the lease's owner: a run created anew under a deleted one's id starts at the same fence. */
  readonly owner: string
  readonly fence: number
  /** Version of the previous commit; 0 before the first. The new version is one more. */
  readonly expectedVersion: number
  /** Unix milliseconds. */
  readonly at: number
  readonly status: RunStatus
  /** Default: the one before, while the run rests; a run that is driven has none. */
  readonly outcome?: Outcome
  /**
   * Messages, call slots, state documents, values, events and at most one checkpoint, in order of `seq`. What is frozen of
   * them, and of `calls`, is frozen at every depth. The document of a checkpoint is made when it is read: a store that keeps
   * the entry may read it later, and gets the same text.
   */
  readonly append: readonly LogEntry[]
  /** Rows of earlier slots that changed, and snapshots of live calls. */
  readonly calls: readonly { readonly record: CallRecord; readonly document: string | null }[]
  /** JSON text of the run's state; null when the appended checkpoint holds it. */
  readonly document: string | null
  /** Inbox rows taken in by this commit. `suspensionId` says what a kept decision, maybe taken in before, came to answer. */
  readonly consumed: readonly { readonly id: number; readonly suspensionId?: string }[]
  /** Due times of pending timers, whole; undefined when unchanged. */
  readonly timers?: readonly Timer[]
  /** In place of the input the run was created with, e.g. without what the log now holds; undefined where it stays. */
  readonly input?: Json
  /** True where the driver is done with the run: a store that can gives the lease back in the same write. */
  readonly release?: boolean
}

/** The commit a run is created with, in the same write: the run stands at version 1 from the first moment. */
export type FirstCommit = Omit<Commit, 'runId' | 'owner' | 'fence' | 'expectedVersion' | 'input' | 'release'>

/** A commit that was written; `version` is what the next one has to expect. */
export interface CommitReceipt {
  readonly version: number
  /** Whether the lease was given back, as `Commit.release` asks for; else it is still held. Default false. */
  readonly released?: boolean
}

/** Refused because inbox rows exist that the driver has not seen; nothing was written. */
export interface CommitRefused {
  readonly refused: 'inbox'
}

/** What a driver needs to go on with a run. */
export interface StoredRun {
  readonly record: RunRecord
  readonly input: Json
  /** The last checkpoint; null before the first. */
  readonly checkpoint: { readonly document: string; readonly version: number; readonly seq: number } | null
  /** The document of a later commit that carried no checkpoint; null otherwise. */
  readonly document: string | null
  /**
   * Messages, call slots, state documents and values in order of `seq`; checkpoints and events left out. Frozen at every
   * depth, or not at all.
   */
  readonly log: readonly LogEntry[]
  /** Rows of calls that have not settled, or whose actor has a snapshot newer than the last checkpoint. */
  readonly calls: readonly CallRow[]
}

/** A run as whoever claims it finds it, read in the same transaction. */
export interface ClaimedRun {
  /** Absent where the run is done: nobody drives it any more, and nothing was written. */
  readonly lease?: Lease
  readonly run: StoredRun
}

/** A checkpoint as `checkpoints` lists it. */
export interface CheckpointInfo {
  /** The commit that carried it; names the checkpoint in `checkpoint` and `fork`. */
  readonly version: number
  readonly seq: number
  readonly names: readonly CheckpointName[]
  /** Unix milliseconds. */
  readonly at: number
}

/** Which runs `list` gives; a field left out leaves none of them out. */
export interface RunFilter {
  readonly status?: RunStatus
  readonly agent?: string
  /** Unix milliseconds: runs whose record was last updated before it, and damaged ones that may have been. */
  readonly updatedBefore?: number
  /** Newest first; default 100. */
  readonly limit?: number
}

/** A run that could not be read, so that one bad row hides no other. */
export interface DamagedRun {
  readonly id: string
  readonly damaged: string
}

/**
 * Keeps runs. Each method is one transaction. Errors are `StoreError` with a literal `code`:
 * `run_exists`, `run_unknown`, `run_is_driven`, `version_conflict`, `fence_conflict`, `run_damaged`,
 * `store_unavailable`, `store_foreign`.
 */
export interface Store {
  /**
   * Stores a new run with status `running` and version 0, held by `owner` at fence 1; with `first`, as that commit
   * leaves it. Whatever is wrong with either, nothing is stored; `run_exists` comes before anything wrong with `first`.
   */
  create(run: NewRun, owner: Owner, ttlMs: number, first?: FirstCommit): Promise<Lease>
  /**
   * Takes the lease if it is free, expired, or held by a dead process of this host; raises the fence. Takes none of a run
   * that is done, whoever holds it, nor of one that cannot be read.
   */
  claim(runId: string, owner: Owner, ttlMs: number, now: number): Promise<ClaimedRun>
  /** Extends the lease; `fence_conflict` where it was lost. */
  renew(lease: Lease, ttlMs: number, now: number): Promise<void>
  /**
   * Throws a `StoreError` of code `store_replaced` where what this store has open is no longer what it writes to, such
   * as a file that was deleted. Asked before an effect that must not be done twice; `renew` looks too.
   */
  verify?(): void
  /**
   * Whether somebody alive holds the run at `now`, so that a claim would be refused; takes and writes nothing, and is out of
   * date as soon as it is answered. Left out by a store that cannot tell.
   */
  isDriven?(runId: string, now: number): Promise<boolean>
  /** Gives the lease back; no error where it was lost. */
  release(lease: Lease): Promise<void>

  /**
   * Applies one commit if owner, fence and version match. A commit with status `waiting` or `done` is refused
   * (`{ refused: 'inbox' }`) while an unconsumed row of kind decision, cancel or cancelCall exists that it
   * does not consume. Rows of other kinds stay until a version of the charts takes them in.
   */
  commit(commit: Commit): Promise<CommitReceipt | CommitRefused>

  /** Judges and stores decisions, all in one transaction, with `judgeDecision`; none of a call whose cancel is stored. */
  decide(runId: string, decisions: readonly Decision[], now: number): Promise<readonly DecisionReceipt[]>
  /**
   * Judges any other item and stores it for the run's driver where the answer is `applied`, in one transaction, with
   * `judgePost`: a cancel of what has ended, or that is stored already and not consumed, leaves no row.
   */
  post(runId: string, item: PostedItem, now: number): Promise<PostReceipt>
  /** Rows not yet consumed with an id above `after`, oldest first. */
  inbox(runId: string, after: number): Promise<readonly InboxRow[]>
  /** One stored decision by its id, consumed or not. */
  decision(runId: string, decisionId: string): Promise<InboxRow | undefined>
  /** Every decision stored for the run, consumed or not, oldest first. */
  decisions(runId: string): Promise<readonly InboxRow[]>
  /** Calls `changed` after another writer, in this or another process, may have posted; returns the stop. */
  watch(runId: string, changed: () => void): () => void

  read(runId: string): Promise<StoredRun>
  record(runId: string): Promise<RunRecord>
  /** The input of a run alone. Left out by a store that reads it with the run only. */
  input?(runId: string): Promise<Json>
  /**
   * Every call row of the run, settled ones included, in order of `seq`. With `wanted`, a store may leave out calls that
   * are not suspended and of which none of these texts is the call id, the provider's id or the id of the suspension.
   */
  calls(runId: string, wanted?: readonly string[]): Promise<readonly CallRow[]>
  /**
   * Events the log keeps, in order: those of whole commits, at most `limit` of them, from the commit that holds the event
   * after `after` on. `from` is the place of an entry before which there is none of them, so that it need not be looked for.
   * Left out, with `entries`, by a store that can read no events back.
   */
  events?(runId: string, after: number, limit: number, from?: number): Promise<readonly EventsEntry[]>
  /** These entries of the log as they stand now, in order of `seq`; checkpoints, events and what is not there left out. */
  entries?(runId: string, seqs: readonly number[]): Promise<readonly LogEntry[]>
  list(filter?: RunFilter): Promise<readonly (RunRecord | DamagedRun)[]>
  checkpoints(runId: string): Promise<readonly CheckpointInfo[]>
  /** A checkpoint's document with the log and the decisions up to it. */
  checkpoint(runId: string, version: number): Promise<StoredRun>
  /** Removes the run and all its rows; refused with `run_is_driven` while a live lease holds it. */
  delete(runId: string, now: number): Promise<void>
  /** Runs whose earliest timer is due at or before `now`. */
  due(now: number): Promise<readonly string[]>
  close(): Promise<void>
}
