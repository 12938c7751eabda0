import type { CommitReceipt, CommitRefused } from '../../../core/ports/store.ts'
import {
  changesRun,
  checkHead,
  checkSequence,
  type CommitHead,
  type EncodedCommit,
  noSuchSlot,
  receiptOf,
} from '../../../core/stores/rows/encode-commit.ts'
import { inboxOfRun } from './inbox.ts'
import { forgetGivenFiles, keepFiles } from './files.ts'
import { logSpan, ofRun, seqColumn, transcriptOfRun } from './schema.ts'
import type { RunHead, RunHeads } from './heads.ts'
import { headRow, inboxRow, number, optionalNumber } from '../../../core/stores/rows/columns.ts'
import type { SqliteRecords } from './records.ts'
import type { Session } from './session.ts'
import { runUnknown } from '../../../core/stores/rows/store-errors.ts'
import { textOf } from '../../../core/stores/rows/json-text.ts'
import { type InboxTextRow, refusedForInbox } from '../../../core/stores/rows/stored-rows.ts'
import { readsInbox, consumeRows } from '../../../core/stores/rows/consume-rows.ts'

interface PreparedCommit {
  readonly commit: EncodedCommit
  readonly packed: string | Uint8Array | null
}

/** Prepares a commit's writes before its transaction begins, because other processes wait for the transaction. */
export function prepareCommit({ pack }: Session, commit: EncodedCommit): PreparedCommit {
  const document = commit.rows.findLast(({ kind }) => kind === 'checkpoint')?.document ?? null
  return { commit, packed: document === null ? null : pack(document) }
}

/** Applies one commit in an open transaction. After a throw, the caller rolls back and forgets the heads. */
export function applyCommit(
  session: Session,
  { heads, records }: { readonly heads: RunHeads; readonly records: SqliteRecords },
  prepared: PreparedCommit,
): CommitReceipt | CommitRefused {
  const { commit, packed } = prepared
  const head = heads.of(commit.runId) ?? headOf(session, commit.runId)
  checkHead(commit, head)
  const taken = consumeRows(inboxOf(session, commit), commit)
  if (taken === 'refused') return refusedForInbox
  checkSequence(commit, head.lastSeq)
  records.apply(commit.records)

  writeLog(session, commit, { ...head, packed })
  for (const { id, consumed, suspensionId, body } of taken.values())
    session.sql(updateInbox).run(consumed, suspensionId, textOf(body), id)
  if (changesRun(commit, head) || commit.release) writeRun(session, commit, head)
  if (commit.input !== undefined) session.sql(writeInput).run(head.number, textOf(commit.input))
  keepFiles(session, commit.runId, commit.files)
  if (commit.input !== undefined || commit.emptied.length > 0) forgetGivenFiles(session, commit.runId, head.number)
  if (commit.prompt !== undefined) session.sql(writePrompt).run(commit.prompt, commit.runId)
  if (commit.timers !== undefined) writeTimers(session, commit, commit.timers)
  if (commit.release) heads.forget(commit.runId)
  else heads.keep(commit.runId, headAfter(commit, head))
  return receiptOf(commit)
}

function headAfter(commit: EncodedCommit, head: RunHead): RunHead {
  const { version, status, rows, outcome } = commit
  return { ...head, ...outcome, version, status, lastSeq: head.lastSeq + rows.length }
}

/** The columns of a run that nobody holds, and that no worker claims before a time. */
export const freeUntil = 'owner = NULL, host = NULL, pid = NULL, pid_start = NULL, lease_expires = ?'
/** The columns of a run that nobody holds. */
export const free = freeUntil.replace('?', '0')
/** Stores the input of a run, by its number. */
export const writeInput = 'INSERT OR REPLACE INTO inputs (number, body) VALUES (?, ?)'

const writePrompt = 'UPDATE runs SET prompt = ? WHERE id = ?'

const selectHead = `
  SELECT number, ${transcriptOfRun} * ${logSpan} AS base, fence, owner, status, reason, code, error, runs.version,
    first_seq, log.version AS tail_version, ${seqColumn}
  FROM runs LEFT JOIN log ON log.id = (SELECT max(id) FROM log WHERE ${ofRun})
  WHERE runs.id = ?`
const selectInbox = inboxOfRun(`(consumed IS NULL OR id IN (SELECT value FROM json_each(?))
  OR suspension_id IN (SELECT value FROM json_each(?)))`)
const updateInbox = 'UPDATE inbox SET consumed = ?, suspension_id = ?, body = ? WHERE id = ?'
const insertLog = ['', ...[1, 2, 3, 4, 5].map(insertOf)]
const updateCall = "UPDATE log SET version = ?, body = ?, document = ?, place = ? WHERE id = ? AND kind = 'call'"
const commitColumns = 'status = ?, reason = ?, code = ?, error = ?, version = ?, document = ?, updated_at = ?'
const updateRun = `UPDATE runs SET ${commitColumns} WHERE id = ?`
const releaseRun = `UPDATE runs SET ${commitColumns}, ${free} WHERE id = ?`
const deleteTimers = 'DELETE FROM timers WHERE run_id = ?'
const insertTimer = `
  INSERT OR REPLACE INTO timers (run_id, key, agent, due) SELECT id, ?, agent, ? FROM runs WHERE id = ?`

/** One statement for several rows: each statement costs more than its row. */
function insertOf(count: number): string {
  const values = Array.from({ length: count }, () => '(?, ?, ?, ?, ?, ?, ?, ?)').join(', ')
  return `INSERT INTO log (id, version, kind, body, document, at, turn, place) VALUES ${values}`
}

function headOf(session: Session, runId: string): RunHead {
  const row = session.sql(selectHead).get(runId)
  if (row === undefined) throw runUnknown(runId)
  const [head, first] = [headRow(runId, row), number(runId, row, 'first_seq')]
  return {
    ...head,
    number: number(runId, row, 'number'),
    base: number(runId, row, 'base'),
    first,
    version: Math.max(head.version, optionalNumber(runId, row, 'tail_version') ?? 0),
    lastSeq: optionalNumber(runId, row, 'seq') ?? first - 1,
  }
}

/** Returns the rows of the inbox that decide about a commit; none if no row can. */
function inboxOf({ sql }: Session, commit: EncodedCommit): readonly InboxTextRow[] {
  const { runId, consumed, emptied } = commit
  if (!readsInbox(commit)) return []
  const ids = JSON.stringify([...consumed.map(({ id }) => id), ...emptied])
  const suspensions = JSON.stringify(consumed.flatMap(({ suspensionId }) => suspensionId ?? []))
  return sql(selectInbox)
    .all(runId, ids, suspensions)
    .map((row) => inboxRow(runId, row))
}

interface LogPlace {
  readonly base: number
  readonly first: number
  readonly packed: string | Uint8Array | null
}

function writeLog(session: Session, commit: EncodedCommit, { base, first, packed }: LogPlace): void {
  const { version, rows } = commit
  for (let start = 0; start < rows.length; start += insertLog.length - 1) {
    const some = rows.slice(start, start + insertLog.length - 1)
    const values = some.flatMap((row) => [
      base + row.seq,
      version,
      row.kind,
      textOf(row.body),
      row.kind === 'checkpoint' ? packed : row.document,
      row.at,
      row.turn,
      row.place,
    ])
    session.sql(insertLog[some.length] ?? '').run(...values)
  }
  for (const { seq, body, document, place } of commit.calls) {
    if (seq < first) throw noSuchSlot(commit, seq)
    const { changes } = session.sql(updateCall).run(version, textOf(body), document, place, base + seq)
    if (changes === 0) throw noSuchSlot(commit, seq)
  }
}

function writeRun(session: Session, commit: EncodedCommit, head: CommitHead): void {
  const { reason, code, error } = commit.outcome ?? head
  const { runId, status, version, document, at, release } = commit
  session.sql(release ? releaseRun : updateRun).run(status, reason, code, error, version, document, at, runId)
}

function writeTimers(session: Session, { runId }: EncodedCommit, timers: NonNullable<EncodedCommit['timers']>): void {
  session.sql(deleteTimers).run(runId)
  for (const { key, due } of timers) session.sql(insertTimer).run(key, due, runId)
}
