import type { CallRecord } from '../domain/call.ts'
import type { Decision, DecisionReceipt } from '../domain/decision.ts'
import type { InboxRow, PostedItem, PostReceipt } from '../domain/inbox.ts'
import type { Json } from '../domain/json.ts'
import type { EventsEntry } from '../domain/kept-events.ts'
import type { LogEntry } from '../domain/log.ts'
import type { CheckpointName, Outcome, RunStatus } from '../domain/outcome.ts'
import type { Owner } from '../domain/owner.ts'
import type { RunRecord } from '../domain/run-record.ts'
import type { QueuedItem } from '../domain/session-state.ts'
import type { FoundLease } from '../domain/store-error.ts'
import type { CallRow, Lease, StoredRun } from './stored-run.ts'
import type { OutboxStore, OutgoingItem } from './outbox.ts'
import type { WorkStore } from './work.ts'
import type { SessionChange, SessionRows } from './session-rows.ts'
import type { DamagedRun, ListedRun, RunFilter, SuspendedFilter, SuspendedRun } from './store-lists.ts'

export type { CallRow, Lease, StoredRun }

/** A run as it is stored before its first step. */
export interface NewRun {
  readonly id: string
  readonly agent: string
  /** What the engine needs to start the run again from nothing. A commit may replace it. */
  readonly input: Json
  /** Unix milliseconds. */
  readonly at: number
  readonly forkedFrom?: { readonly runId: string; readonly version: number }
  /**
   * The run whose transcript this one goes on with, behind entry `seq` of it; default: its last entry. The entries up to
   * there are read and not copied, and must not change any more. The run's own entries are numbered from `seq + 1`.
   */
  readonly continues?: { readonly runId: string; readonly seq?: number }
  /**
   * The session that the run belongs to, as it is to be stored with the run where its version is `expected` (0: it is
   * not stored yet). `session_conflict` where it is another, and then nothing is stored. The time `at` is an activity of it.
   * `rotatedFrom` is a change of another session in the same write: of the one that this session goes on from.
   */
  readonly session?: SessionChange & { readonly rotatedFrom?: SessionChange }
  /** Rows of the run's inbox from its first moment, in their order, behind those of a `QueuedStart`. Nothing of it is judged. */
  readonly posted?: readonly QueuedItem[]
  /** What the run is found by. */
  readonly subject?: string
  readonly labels?: { readonly [name: string]: string }
  /** The first line of the prompt, at most 200 characters. */
  readonly prompt?: string
  /**
   * Unix milliseconds, by the clock of whoever asks for work, before which `claimNext` does not give the run. Nobody
   * holds such a run: the lease that `create` gives is given back already.
   */
  readonly notBefore?: number
}

/** A timer of a run, which other processes can find; `due` in Unix milliseconds. */
export interface Timer {
  /** Key of the effect that sleeps. */
  readonly key: string
  readonly due: number
}

/** Everything that one durable write changes. A store applies all of it or nothing. */
export interface Commit {
  readonly runId: string
  /**
   * Id of the lease's owner. The fence alone is not enough: a new run under a deleted run's id starts at the same
   * fence.
   */
  readonly owner: string
  readonly fence: number
  /** Version of the previous commit; 0 before the first. The new version is one more. */
  readonly expectedVersion: number
  /** Unix milliseconds. */
  readonly at: number
  readonly status: RunStatus
  /** Default: the outcome before, while the run rests; a run that is driven has none. */
  readonly outcome?: Outcome
  /**
   * Messages, call slots, state documents, values, events and at most one checkpoint, in order of `seq`. Where an
   * entry, or one of `calls`, is frozen, it is frozen at every depth. The document of a checkpoint is made when
   * somebody reads it: a store that keeps the entry may read it later, and gets the same text.
   */
  readonly append: readonly LogEntry[]
  /** Rows of earlier slots that changed, and snapshots of live calls. */
  readonly calls: readonly { readonly record: CallRecord; readonly document: string | null }[]
  /** JSON text of the run's state; null when the appended checkpoint holds it. */
  readonly document: string | null
  /**
   * The inbox rows that this commit takes in. `suspensionId` names the suspension that a kept decision came to answer;
   * an earlier commit may have taken this decision in.
   */
  readonly consumed: readonly { readonly id: number; readonly suspensionId?: string }[]
  /** Rows of steering and follow-ups that a filter refused. The store keeps nothing of their messages. */
  readonly emptied?: readonly number[]
  /** All due times of pending timers; undefined when they are unchanged. */
  readonly timers?: readonly Timer[]
  /**
   * Replaces the input that the run was created with, e.g. by one without what the log now holds; undefined where it
   * stays.
   */
  readonly input?: Json
  /** Replaces the line of the prompt that the run is found by, null with none; undefined where it stays. */
  readonly prompt?: string | null
  /** What is to leave the process, in its order. Only a store with the methods of an `OutboxStore` takes any. */
  readonly outgoing?: readonly OutgoingItem[]
  /** True where the driver is done with the run. A store that can gives the lease back in the same write. */
  readonly release?: boolean
}

/** The commit that a run is created with, in the same write. So the run stands at version 1 from the first moment. */
export type FirstCommit = Omit<
  Commit,
  'runId' | 'owner' | 'fence' | 'expectedVersion' | 'input' | 'prompt' | 'release' | 'emptied'
>

/**
 * What a run is created with that has messages queued from its first moment: rows of its inbox, and the commit that
 * names them. All of it is one write.
 */
export interface QueuedStart {
  /** What the rows hold, in their order, each with Unix milliseconds of receipt. Nothing of it is judged. */
  readonly posted: readonly { readonly item: PostedItem; readonly at: number }[]
  /** Makes the commit from the ids of these rows. A store that tries the write again asks again. */
  readonly commit: (ids: readonly number[]) => FirstCommit
}

/** A commit that was written. The next commit has to expect `version`. */
export interface CommitReceipt {
  readonly version: number
  /** Whether the lease was given back, as `Commit.release` asks for; otherwise it is still held. Default false. */
  readonly released?: boolean
}

/** The store refused the commit, because the inbox has rows that the driver has not seen. Nothing was written. */
export interface CommitRefused {
  readonly refused: 'inbox'
}

/** A run as its claim finds it, read in the same transaction. */
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

/** What became of a run that was deleted. */
export interface DeleteReceipt {
  /** Runs that go on from what it wrote, which is kept for them: at most 100, the nearest first. */
  readonly readers: readonly string[]
}

/**
 * Keeps runs. Each method is one transaction. Errors are `StoreError` with a literal `code`:
 * `run_exists`, `run_unknown`, `run_is_driven`, `version_conflict`, `fence_conflict`, `run_damaged`,
 * `store_unavailable`, `store_foreign`, and of sessions `session_conflict`, `session_unknown`, `session_is_read`,
 * `session_damaged`.
 */
export interface Store extends SessionRows, Partial<WorkStore>, Partial<OutboxStore> {
  /**
   * Stores a new run with status `running` and version 0, held by `owner` at fence 1. With `first`, the run is as that
   * commit leaves it, and its inbox has the rows that `first` posts. Where anything is wrong with the run or with `first`, nothing is stored. `run_exists` comes
   * before any error of `first`.
   */
  create(run: NewRun, owner: Owner, ttlMs: number, first?: FirstCommit | QueuedStart): Promise<Lease>
  /**
   * Takes the lease where it is free, expired, or held by a dead process of this host, and raises the fence. It takes
   * no lease of a run that is done, whoever holds it, or of a run that cannot be read.
   *
   * Clocks differ. Where the owner is another process of this host and lives, an expired lease is refused with
   * `run_is_driven`, and the error has it as `expired`. Whoever gives that back as `found`, a whole time to live later by
   * a clock that nobody sets, takes the lease if nobody has renewed it.
   */
  claim(runId: string, owner: Owner, ttlMs: number, now: number, found?: FoundLease): Promise<ClaimedRun>
  /** Extends the lease; `fence_conflict` where it was lost. */
  renew(lease: Lease, ttlMs: number, now: number): Promise<void>
  /**
   * Throws a `StoreError` of code `store_replaced` where the store no longer writes to what it has open, such as a file
   * that was deleted. It is asked before an effect that must not be done twice; `renew` looks too.
   */
  verify?(): void
  /**
   * Whether a live owner holds the run at `now`, so that a claim would be refused. It takes and writes nothing. The
   * answer is out of date as soon as it is given. A store that cannot tell leaves this method out.
   */
  isDriven?(runId: string, now: number): Promise<boolean>
  /** Gives the lease back; no error where it was lost. */
  release(lease: Lease): Promise<void>

  /**
   * Applies one commit if owner, fence and version match. A commit with status `waiting` or `done` is refused (`{
   * refused: 'inbox' }`) while an unconsumed row of kind decision, cancel or cancelCall exists that it does not
   * consume. Rows of other kinds stay until a version of the charts takes them in.
   */
  commit(commit: Commit): Promise<CommitReceipt | CommitRefused>

  /**
   * Judges and stores decisions, all in one transaction, with `judgeDecision`. Stores no decision for a call whose
   * cancel is stored.
   */
  decide(runId: string, decisions: readonly Decision[], now: number): Promise<readonly DecisionReceipt[]>
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

  read(runId: string): Promise<StoredRun>
  record(runId: string): Promise<RunRecord>
  /** The input of a run alone. A store that can read it only with the run leaves this method out. */
  input?(runId: string): Promise<Json>
  /**
   * Every call row of the run, settled ones included, in order of `seq`. A fork has also the calls of the runs it was
   * forked from, up to where it was. With `wanted`, a store may leave some calls out: those that are not suspended and whose call id, provider's id and suspension's id are none of these texts.
   */
  calls(runId: string, wanted?: readonly string[]): Promise<readonly CallRow[]>
  /**
   * The events that the log keeps, in order, from the commit that holds the event after `after` on. It gives the events
   * of whole commits, at most `limit` events. `from` is the place of a log entry; no wanted event is before it, so the
   * store need not look there. A store that cannot read events back leaves this method and `entries` out.
   */
  events?(runId: string, after: number, limit: number, from?: number): Promise<readonly EventsEntry[]>
  /**
   * These entries of the log that `read` gives, as they stand now and in order of `seq`. What is not there is left out.
   */
  entries?(runId: string, seqs: readonly number[]): Promise<readonly LogEntry[]>
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
   * Removes the run and all its rows; refused with `run_is_driven` while a live lease holds it. Messages, calls, state
   * documents and values that other runs go on from stay for those alone, until the last of them is deleted.
   */
  delete(runId: string, now: number): Promise<DeleteReceipt>
  /** Runs whose earliest timer is due at or before `now`. */
  due(now: number): Promise<readonly string[]>
  close(): Promise<void>
}
