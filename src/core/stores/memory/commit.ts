import {
  type FullRunRow,
  type FailedRow,
  type InboxTextRow,
  type LeaseRow,
  type LogTail,
  refusedForInbox,
} from '../rows/stored-rows.ts'
import type { RecordChange } from '../../domain/records/record-change.ts'
import { lastSeqOf, type MemoryLog } from './memory-log.ts'
import type { CommitReceipt, CommitRefused } from '../../ports/store.ts'
import {
  changesRun,
  checkHead,
  checkSequence,
  type CommitHead,
  type EncodedCommit,
  noSuchSlot,
  receiptOf,
} from '../rows/encode-commit.ts'
import { consumeRows } from '../rows/consume-rows.ts'

type ChangeRecords = (changes: readonly RecordChange<unknown>[]) => void

/** Applies one commit to a run. Everything that can fail happens before the first field changes. */
export function applyCommit(
  run: MemoryRun,
  commit: EncodedCommit,
  apply: ChangeRecords,
): CommitReceipt | CommitRefused {
  const head = headOf(run)
  checkHead(commit, head)
  const taken = consumeRows(run.inbox, commit)
  if (taken === 'refused') return refusedForInbox
  checkSequence(commit, head.lastSeq)
  checkSlots(run.log, commit)
  apply(commit.records)

  const { first, rows } = run.log
  for (const row of commit.rows) rows.push(row)
  for (const call of commit.calls) rows[call.seq - first] = call
  for (const [index, row] of taken) run.inbox[index] = row
  if (changesRun(commit, head)) {
    const { status, outcome, version, document, at } = commit
    run.row = { ...run.row, ...outcome, status, version, document, updatedAt: at }
  }
  if (commit.input !== undefined) run.row = { ...run.row, input: commit.input }
  if (commit.prompt !== undefined) run.row = { ...run.row, prompt: commit.prompt }
  if (commit.timers !== undefined) run.timers = commit.timers
  if (commit.release) run.lease = freed(run.lease)
  return receiptOf(commit)
}

function headOf(run: MemoryRun): CommitHead {
  const { fence, owner } = run.lease
  const { status, reason, code, error } = run.row
  const version = Math.max(run.row.version, run.log.rows.at(-1)?.version ?? 0)
  return { fence, owner, version, lastSeq: lastSeqOf(run.log), status, reason, code, error }
}

function checkSlots({ first, rows }: MemoryLog, commit: EncodedCommit): void {
  for (const { seq } of commit.calls) {
    const slot = rows[seq - first] ?? commit.rows.find((row) => row.seq === seq)
    if (slot?.kind !== 'call') throw noSuchSlot(commit, seq)
  }
}

/** Returns a released lease. It keeps its fence, so that the next fence is higher. */
export function freed({ fence }: LeaseRow): LeaseRow {
  return { fence, owner: null, host: null, pid: null, pidStart: null, expires: 0 }
}

/** The data of one run in the memory store. Rows are replaced, never changed. */
export interface MemoryRun {
  /** Rising within a store. */
  readonly number: number
  row: FullRunRow
  lease: LeaseRow
  readonly log: MemoryLog
  readonly inbox: InboxTextRow[]
  timers: readonly { readonly key: string; readonly due: number }[]
  /** The failures since a version of the run. */
  failed?: FailedRow
}

/** Returns the end of the run's log. */
export function tailOf({ log }: MemoryRun): LogTail {
  return {
    version: log.rows.at(-1)?.version ?? 0,
    at: log.rows.findLast((row) => row.kind === 'checkpoint')?.at ?? null,
  }
}

/** Returns the version of a run. */
export function versionOf(run: MemoryRun): number {
  return Math.max(run.row.version, tailOf(run).version)
}

/** Adds an unconsumed row. */
export function addInboxRow(run: MemoryRun, row: Omit<InboxTextRow, 'consumed'>): void {
  const { id, kind, decisionId, callId, suspensionId, body, at } = row
  run.inbox.push({ id, kind, decisionId, callId, suspensionId, body, at, consumed: null })
}
