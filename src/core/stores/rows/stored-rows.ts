import type { CommitRefused } from '../../ports/store.ts'
import type { StoredFile } from '../../domain/stored-media.ts'
import type { KeptJson } from './json-text.ts'

/** The record of a run with JSON as text. Times are Unix milliseconds. */
export interface RunRow {
  readonly id: string
  readonly agent: string
  readonly agentVersion: string | null
  readonly status: string
  readonly reason: string | null
  readonly code: string | null
  readonly error: string | null
  readonly createdAt: number
  readonly updatedAt: number
  /** Version of the last commit without a checkpoint; the log's last row may be of a later one. */
  readonly version: number
  readonly forkedRun: string | null
  readonly forkedVersion: number | null
  readonly session: string | null
  readonly subject: string | null
  readonly labels: string | null
  readonly prompt: string | null
}

/** The whole row of a run without its lease. */
export interface FullRunRow extends RunRow {
  readonly input: KeptJson
  /** The run that this one continues, under its id at that time. */
  readonly continuedRun: string | null
  /** The `seq` of the first entry of its own. */
  readonly firstSeq: number
  /** The run's state as of `version`, if newer than the last checkpoint. */
  readonly document: string | null
}

/** The lease of a run. */
export interface LeaseRow {
  readonly fence: number
  readonly owner: string | null
  readonly host: string | null
  readonly pid: number | null
  readonly pidStart: string | null
  /** Unix milliseconds; for a run without a driver, the time from which workers may claim it. */
  readonly expires: number
}

/** The number of failed attempts to drive a run since one of its commits. */
export interface FailedRow {
  /** The run's version at that commit; a run of another version has not failed. */
  readonly version: number
  readonly failures: number
  /** Null if all that is known is that a driver died or hung. */
  readonly problem: string | null
}

/** One row of a run's log: a message, a call slot, a state document, a value, a mark or a checkpoint. */
export interface LogRow {
  readonly seq: number
  /** The commit that last wrote the row. */
  readonly version: number
  readonly kind: string
  readonly body: KeptJson
  /** A checkpoint's document, or the snapshot of a live call's actor. */
  readonly document: string | null
  /** Unix milliseconds; null in a row that emits nothing. */
  readonly at: number | null
  readonly turn: number | null
  /** The slot of the call whose result a message is; the message that holds the result of a call. */
  readonly place: number | null
  /** The body of the message that holds the result of a call, if it was read with the call. */
  readonly result?: KeptJson | null
}

/** The log rows that a run reads and other runs wrote. */
export interface InheritedRows {
  /** Without checkpoints and marks; numbers may be missing. */
  readonly rows: readonly LogRow[]
  /** The run that wrote a row; undefined for one that is no longer there. */
  readonly writerOf: (seq: number) => string | undefined
}

/** The rows that a run reads as its log. */
export interface ReadRows {
  /** Those it wrote itself, one for each number. */
  readonly own: readonly LogRow[]
  readonly inherited: InheritedRows
}

/** One row of an inbox. `consumed` is the version of the commit that consumed it. */
export interface InboxTextRow {
  readonly id: number
  readonly kind: string
  readonly decisionId: string | null
  readonly callId: string | null
  readonly suspensionId: string | null
  readonly body: KeptJson
  readonly at: number
  readonly consumed: number | null
}

/** The end of a run's log, which determines the run's version and time. */
export interface LogTail {
  readonly version: number
  /** The time of the last checkpoint; null if there is none. */
  readonly at: number | null
}

/** The answer to a commit that has not seen the inbox. */
export const refusedForInbox: CommitRefused = { refused: 'inbox' }

/** A stored item of an inbox, with the files to which it refers. */
export interface KeptItem<Body> {
  readonly body: Body
  readonly files: readonly StoredFile[]
}
