import type { CommitHead } from './encode-commit.ts'
import { runDamaged } from './store-errors.ts'
import type { FullRunRow, InboxTextRow, LeaseRow, LogRow, RunRow } from './stored-rows.ts'

/** A database row, by its columns. */
export type SqlRow = Readonly<Record<string, unknown>>

/** Returns a run's record. */
export function runRow(runId: string, row: SqlRow): RunRow {
  return {
    id: text(runId, row, 'id'),
    agent: text(runId, row, 'agent'),
    agentVersion: optionalText(runId, row, 'agent_version'),
    status: text(runId, row, 'status'),
    reason: optionalText(runId, row, 'reason'),
    code: optionalText(runId, row, 'code'),
    error: optionalText(runId, row, 'error'),
    createdAt: number(runId, row, 'created_at'),
    updatedAt: number(runId, row, 'updated_at'),
    version: number(runId, row, 'version'),
    forkedRun: optionalText(runId, row, 'forked_run'),
    forkedVersion: optionalNumber(runId, row, 'forked_version'),
    session: optionalText(runId, row, 'session'),
    subject: optionalText(runId, row, 'subject'),
    labels: optionalText(runId, row, 'labels'),
    prompt: optionalText(runId, row, 'prompt'),
  }
}

/** Returns a run's record, its input and its document. */
export function fullRunRow(runId: string, row: SqlRow): FullRunRow {
  return {
    ...runRow(runId, row),
    input: text(runId, row, 'input'),
    continuedRun: optionalText(runId, row, 'continued_run'),
    firstSeq: number(runId, row, 'first_seq'),
    document: optionalText(runId, row, 'document'),
  }
}

/** Returns a lease. */
export function leaseRow(runId: string, row: SqlRow): LeaseRow {
  return {
    fence: number(runId, row, 'fence'),
    owner: optionalText(runId, row, 'owner'),
    host: optionalText(runId, row, 'host'),
    pid: optionalNumber(runId, row, 'pid'),
    pidStart: optionalText(runId, row, 'pid_start'),
    expires: number(runId, row, 'lease_expires'),
  }
}

/** Returns the fields of a run by which a commit is judged. */
export function headRow(runId: string, row: SqlRow): Omit<CommitHead, 'lastSeq'> {
  return {
    fence: number(runId, row, 'fence'),
    owner: optionalText(runId, row, 'owner'),
    version: number(runId, row, 'version'),
    status: text(runId, row, 'status'),
    reason: optionalText(runId, row, 'reason'),
    code: optionalText(runId, row, 'code'),
    error: optionalText(runId, row, 'error'),
  }
}

/** Returns a row of a run's log. */
export function logRowOf(runId: string, row: SqlRow): LogRow {
  return {
    seq: number(runId, row, 'seq'),
    version: number(runId, row, 'version'),
    kind: text(runId, row, 'kind'),
    body: text(runId, row, 'body'),
    document: optionalText(runId, row, 'document'),
    at: optionalNumber(runId, row, 'at'),
    turn: optionalNumber(runId, row, 'turn'),
    place: optionalNumber(runId, row, 'place'),
    ...(row['result'] === undefined ? {} : { result: optionalText(runId, row, 'result') }),
  }
}

/** Returns a row of a run's inbox. */
export function inboxRow(runId: string, row: SqlRow): InboxTextRow {
  return {
    id: number(runId, row, 'id'),
    kind: text(runId, row, 'kind'),
    decisionId: optionalText(runId, row, 'decision_id'),
    callId: optionalText(runId, row, 'call_id'),
    suspensionId: optionalText(runId, row, 'suspension_id'),
    body: text(runId, row, 'body'),
    at: number(runId, row, 'at'),
    consumed: optionalNumber(runId, row, 'consumed'),
  }
}

/** Returns the text in a column. */
export function text(runId: string, row: SqlRow, column: string): string {
  const value = row[column]
  if (typeof value !== 'string') throw runDamaged(runId, `column ${column} of a row`, 'holds no text')
  return value
}

/** Returns the text in a column, or null. */
export function optionalText(runId: string, row: SqlRow, column: string): string | null {
  return row[column] === null ? null : text(runId, row, column)
}

/** Returns the number in a column. */
export function number(runId: string, row: SqlRow, column: string): number {
  const value = row[column]
  if (typeof value !== 'number') throw runDamaged(runId, `column ${column} of a row`, 'holds no number')
  return value
}

/** Returns the number in a column, or null. */
export function optionalNumber(runId: string, row: SqlRow, column: string): number | null {
  return row[column] === null ? null : number(runId, row, column)
}
