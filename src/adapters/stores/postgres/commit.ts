import type { CommitReceipt, CommitRefused } from '../../../core/ports/store.ts'
import { blindWrites } from '../../../core/domain/records/record-change.ts'
import { StoreError } from '../../../core/domain/store-error.ts'
import { headRow, inboxRow, number, type SqlRow } from '../../../core/stores/rows/columns.ts'
import {
  checkHead,
  checkSequence,
  type CommitHead,
  type EncodedCommit,
  noSuchSlot,
  receiptOf,
} from '../../../core/stores/rows/encode-commit.ts'
import { refusedByRecords } from '../../../core/stores/rows/records-refused.ts'
import { runUnknown } from '../../../core/stores/rows/store-errors.ts'
import { refusedForInbox } from '../../../core/stores/rows/stored-rows.ts'
import { consumeRows } from '../../../core/stores/rows/consume-rows.ts'
import { createCommitGroups } from './commit-groups.ts'
import { keepCommittedFiles } from './files.ts'
import type { PostgresRecords } from './records.ts'
import type { Doubt, Session, Sql } from './session.ts'
import { writeCommit } from './write-commit.ts'
import { isStep } from './write-steps.ts'

/** Applies commits, each in one statement if no row of it must be judged by itself. */
export function createCommits(
  { statement, write }: Session,
  records: PostgresRecords,
): (commit: EncodedCommit) => Promise<CommitReceipt | CommitRefused> {
  /** Commits that may or may not be stored, by run, fence and version. */
  const doubts = new Map<string, Doubt>()
  const inGroup = createCommitGroups({ statement })

  return async (commit) => {
    const key = JSON.stringify([commit.runId, commit.owner, commit.fence, commit.version])
    const doubt = doubts.get(key) ?? { isOpen: false }
    const writes = isPlain(commit) ? blindWrites(commit.records) : undefined
    try {
      const isWritten = await (isStep(commit) && !doubt.isOpen
        ? inGroup(commit, doubt)
        : writes !== undefined && statement((sql) => writeCommit(sql, commit, { writes }), doubt))
      const receipt = isWritten
        ? receiptOf(commit)
        : await write((sql, isRepeat) => applyLocked(sql, commit, { records, isRepeat }), doubt).catch(refusedByRecords)
      doubts.delete(key)
      return receipt
    } catch (error) {
      if (doubt.isOpen && error instanceof StoreError && error.code === 'store_unavailable') doubts.set(key, doubt)
      throw error
    }
  }
}

/** Returns true if the statement's conditions include everything that can refuse the commit. */
function isPlain({ consumed, emptied: refused, settled, files }: EncodedCommit): boolean {
  if (files.length > 0) return false
  if (settled.length > 0 && consumed.length > 0) return false
  const ids = new Set(consumed.map(({ id }) => id))
  return refused.length === 0 && ids.size === consumed.length && consumed.every((row) => row.suspensionId === undefined)
}

const lockHead = `
  SELECT number, coalesce(transcript, number) AS transcript, first_seq, fence, owner, status, reason, code, error, version,
    written_seq
  FROM @.runs WHERE id = $1 FOR UPDATE`
const selectInbox = `
  SELECT id, kind, decision_id, call_id, suspension_id, body, at, consumed FROM @.inbox
  WHERE run = $1 AND (consumed IS NULL OR id = ANY ($2::bigint[]) OR suspension_id = ANY ($3::text[])) ORDER BY id`
const selectSlots = "SELECT seq FROM @.log WHERE transcript = $1 AND seq = ANY ($2::int[]) AND kind = 'call'"

/** Applies one commit in an open transaction. A commit that may be stored already is recognized by its version. */
export async function applyLocked(
  sql: Sql,
  commit: EncodedCommit,
  { records, isRepeat = false }: { readonly records: PostgresRecords; readonly isRepeat?: boolean },
): Promise<CommitReceipt | CommitRefused> {
  const { runId } = commit
  const [row] = await sql(lockHead, runId)
  if (row === undefined) throw runUnknown(runId)
  const head: CommitHead = { ...headRow(runId, row), lastSeq: number(runId, row, 'written_seq') }
  if (isRepeat && isStored(commit, head)) return receiptOf(commit)
  if (isRepeat && head.fence !== commit.fence && head.version >= commit.version) throw lostInDoubt(commit)
  checkHead(commit, head)
  const ids = [...commit.consumed.map(({ id }) => id), ...commit.emptied]
  const suspensions = commit.consumed.flatMap(({ suspensionId }) => suspensionId ?? [])
  const found = await sql(selectInbox, number(runId, row, 'number'), ids, suspensions)
  const taken = consumeRows(
    found.map((one) => inboxRow(runId, one)),
    commit,
  )
  if (taken === 'refused') return refusedForInbox
  checkSequence(commit, head.lastSeq)
  await checkSlots(sql, commit, row)
  await records.apply(sql, commit.records)
  if (!(await writeCommit(sql, commit, { judged: [...taken.values()] })))
    throw new Error(`The row of run "${runId}" changed under its lock.`)
  await keepCommittedFiles(sql, commit)
  return receiptOf(commit)
}

/** Returns true for the commit after this one's version by the same hand, given back or not. */
function isStored(commit: EncodedCommit, { version, fence, owner }: CommitHead): boolean {
  return version === commit.version && fence === commit.fence && owner === (commit.release ? null : commit.owner)
}

function lostInDoubt({ runId, version }: EncodedCommit): StoreError {
  const what = `The connection was cut while version ${version} was committed, and another driver has continued since.`
  return new StoreError('fence_conflict', `Run "${runId}" is no longer yours to drive. ${what} Read the run again.`)
}

async function checkSlots(sql: Sql, commit: EncodedCommit, row: SqlRow): Promise<void> {
  const asked = commit.calls.map(({ seq }) => seq)
  if (asked.length === 0) return
  const found = await sql(selectSlots, number(commit.runId, row, 'transcript'), asked)
  const appended = commit.rows.filter(({ kind }) => kind === 'call')
  const slots = new Set([...found.map((one) => number(commit.runId, one, 'seq')), ...appended.map(({ seq }) => seq)])
  const first = number(commit.runId, row, 'first_seq')
  const missing = asked.find((seq) => seq < first || !slots.has(seq))
  if (missing !== undefined) throw noSuchSlot(commit, missing)
}
