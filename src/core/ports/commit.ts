import type { CallRecord } from '../domain/call.ts'
import type { PostedItem } from '../domain/inbox.ts'
import type { Json } from '../domain/text/json.ts'
import type { LogEntry } from '../domain/log.ts'
import type { CheckpointName, Outcome, RunStatus } from '../domain/outcome.ts'
import type { RunRecord } from '../domain/run-record.ts'
import type { QueuedItem } from '../domain/session-state.ts'
import type { RecordChange } from '../domain/records/record-change.ts'

/** A run as it is stored before its first step. */
export interface NewRun extends Pick<
  RunRecord,
  'id' | 'agent' | 'agentVersion' | 'forkedFrom' | 'session' | 'subject' | 'labels' | 'prompt'
> {
  /** The input from which the engine can start the run again. A commit may replace it. */
  readonly input: Json
  /** Unix milliseconds. */
  readonly at: number
  /**
   * The run whose transcript this one continues, after its entry `seq`; default: its last entry. The entries up to
   * there are read and not copied, and must not change any more. The run's own entries are numbered from `seq + 1`.
   */
  readonly continues?: { readonly runId: string; readonly seq?: number }
  /** Changes of records that are made in the same write, such as that of its session. What they throw undoes it. */
  readonly records?: readonly RecordChange<unknown>[]
  /** Rows of the run's inbox from its first moment, in order, after those of a `QueuedStart`. They are not judged. */
  readonly posted?: readonly QueuedItem[]
  /**
   * Unix milliseconds by the caller's clock before which `claimNext` does not return the run. Such a run has no driver:
   * its lease from `create` is already released, and watchers of all runs are notified of work.
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
   * Messages, call slots, state documents, values, marks and at most one checkpoint, in order of `seq`. Where an
   * entry, or one of `calls`, is frozen, it is frozen at every depth. The document of a checkpoint is made when
   * somebody reads it: a store that keeps the entry may read it later, and gets the same text.
   */
  readonly append: readonly LogEntry[]
  /** Rows of earlier slots that changed, and snapshots of live calls. */
  readonly calls: readonly { readonly record: CallRecord; readonly document: string | null }[]
  /** JSON text of the run's state; null when the appended checkpoint holds it. */
  readonly document: string | null
  /**
   * The inbox rows that this commit processes. `suspensionId` names the suspension that a kept decision answers; an
   * earlier commit may have processed the decision.
   */
  readonly consumed: readonly { readonly id: number; readonly suspensionId?: string }[]
  /** Rows of steering and follow-ups that a filter refused. The store deletes their messages. */
  readonly emptied?: readonly number[]
  /** All due times of pending timers; undefined when they are unchanged. */
  readonly timers?: readonly Timer[]
  /** Replaces the input that the run was created with, e.g. by one without what the log now has; undefined keeps it. */
  readonly input?: Json
  /** Replaces the line of the prompt that the run is found by, null with none; undefined if it stays. */
  readonly prompt?: string | null
  /** Changes of records, made one after the other in the same write. Each one sees the writes of the earlier ones. */
  readonly records?: readonly RecordChange<unknown>[]
  /** True if the driver is done with the run. A store that can gives the lease back in the same write. */
  readonly release?: boolean
}

/** The commit with which a run is created, in the same write. So the run has version 1 from the first moment. */
export type FirstCommit = Omit<
  Commit,
  'runId' | 'owner' | 'fence' | 'expectedVersion' | 'input' | 'prompt' | 'release' | 'emptied'
>

/** A new run with queued messages: rows of its inbox, and the commit that refers to them, in one write. */
export interface QueuedStart {
  /** The items of the rows in order, each with Unix milliseconds of receipt. They are not checked. */
  readonly posted: readonly { readonly item: PostedItem; readonly at: number }[]
  /** Makes the commit from the ids of these rows. A store that tries the write again asks again. */
  readonly commit: (ids: readonly number[]) => FirstCommit
}

/** A commit that was written. The next commit has to expect `version`. */
export interface CommitReceipt {
  readonly version: number
  /** True if the lease was returned, as `Commit.release` asks; otherwise it is still held. Default false. */
  readonly released?: boolean
}

/**
 * The store refused the commit, and nothing was written: `inbox`, because the inbox has rows that the driver has not
 * seen, or `record`, because a change of records refuses it. `answers` has the answers of the changes up to that one.
 * The same commit would be refused again.
 */
export type CommitRefused =
  | { readonly refused: 'inbox' }
  | { readonly refused: 'record'; readonly answers: readonly unknown[] }

/** A checkpoint as `checkpoints` lists it. */
export interface CheckpointInfo {
  /** The commit that carried it; names the checkpoint in `checkpoint` and `fork`. */
  readonly version: number
  readonly seq: number
  readonly names: readonly CheckpointName[]
  /** Unix milliseconds. */
  readonly at: number
}

/** Runs to be deleted at once: all runs of a session, the named runs, or both. */
export interface RunsToDelete {
  /** Default: no session. */
  readonly session?: string
  /** Ids of runs; those that are gone are left out. Default: none. */
  readonly runs?: readonly string[]
  /** The effect on entries that runs of others read: `refuse` throws `session_is_read`, and `keep` (default) keeps them. */
  readonly whereRead?: 'refuse' | 'keep'
  /** Changes of records that are made in the same write, before anything is deleted. Default: none. */
  readonly records?: readonly RecordChange<unknown>[]
}

/** The deleted runs. */
export interface DeletedRuns {
  /** Ids of the runs, the newest first. */
  readonly runs: readonly string[]
  /** Runs that continue from the deleted run's entries, which are kept for them: at most 100, the nearest first. */
  readonly readers: readonly string[]
}
