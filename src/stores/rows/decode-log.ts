import { type CallRecord, isTerminal } from '../../domain/call.ts'
import { freezeDeep } from '../../domain/json.ts'
import type { LogEntry } from '../../domain/log.ts'
import type { RunRecord } from '../../domain/run-record.ts'
import type { CallRow, CheckpointInfo, StoredRun } from '../../ports/store.ts'
import {
  decodeCall,
  decodeCheckpoint,
  decodeInput,
  decodeMessage,
  decodeState,
  decodeValue,
  logRow,
} from './decode-rows.ts'
import { runDamaged } from './store-errors.ts'
import type { FullRunRow, LogRow } from './stored-rows.ts'

/** What a driver needs of a run, from all rows of its log; documents of checkpoints but the last may be left out. */
export function decodeRun(record: RunRecord, run: FullRunRow, rows: readonly LogRow[]): StoredRun {
  const last = rows.findLast((row) => row.kind === 'checkpoint')
  const checkpoint = last === undefined ? null : checkpointOf(run.id, last)
  const isNewer = run.version > (checkpoint?.version ?? 0)
  if (isNewer && run.document === null)
    throw runDamaged(run.id, 'its run row', `lacks the state of version ${run.version}`)
  const log = decodeEntries(run.id, rows)
  return {
    record,
    input: decodeInput(run),
    checkpoint,
    document: isNewer ? run.document : null,
    log,
    calls: callsOf(log, rows, checkpoint?.version ?? 0).filter(isLive),
  }
}

/** A call may have its result while its actor is still at work, e.g. on a review. */
function isLive({ record, document }: CallRow): boolean {
  return !isTerminal(record.status) || document !== null
}

/**
 * A run as a checkpoint found it, from the rows of its log up to that checkpoint. The log stops there, but the
 * record, and the slots of calls that a later commit wrote, are as stored now: rebuild them from the document.
 */
export function decodeCheckpointRun(
  record: RunRecord,
  run: FullRunRow,
  rows: readonly LogRow[],
  at: LogRow,
): StoredRun {
  const checkpoint = checkpointOf(run.id, at)
  const log = decodeEntries(run.id, rows)
  const calls = callsOf(log, rows, at.version)
    .map((call) => (call.version === at.version ? call : { ...call, document: null }))
    .filter(isLive)
  return { record, input: decodeInput(run), checkpoint, document: null, log, calls }
}

/** Call rows in order of `seq`; a snapshot older than the last checkpoint is left out: its document holds a newer one. */
export function decodeCalls(runId: string, rows: readonly LogRow[], checkpointVersion: number): readonly CallRow[] {
  const calls = rows.filter((row) => row.kind === 'call')
  return calls.map((row) => callRow(row, decodeCall(runId, row), checkpointVersion))
}

/** The same of a log that has been read. */
function callsOf(log: readonly LogEntry[], rows: readonly LogRow[], checkpointVersion: number): readonly CallRow[] {
  return log.flatMap((entry) => {
    const row = entry.kind === 'call' ? rows[entry.seq - 1] : undefined
    return entry.kind === 'call' && row !== undefined ? callRow(row, entry.call, checkpointVersion) : []
  })
}

function callRow({ version, document }: LogRow, record: CallRecord, checkpointVersion: number): CallRow {
  return { record, document: version >= checkpointVersion ? document : null, version }
}

/** A checkpoint as listed. */
export function decodeCheckpointInfo(runId: string, row: LogRow): CheckpointInfo {
  const { names, at } = decodeCheckpoint(runId, logRow(runId, row.seq).row, row.body)
  return { version: row.version, seq: row.seq, names, at }
}

function checkpointOf(runId: string, { seq, version, document }: LogRow): NonNullable<StoredRun['checkpoint']> {
  if (document === null) throw runDamaged(runId, logRow(runId, seq).row, 'is a checkpoint without its document')
  return { document, version, seq }
}

/** What was just read is nobody else's: it is frozen, so that whoever keeps it needs no copy. */
function decodeEntries(runId: string, rows: readonly LogRow[]): readonly LogEntry[] {
  const entries: LogEntry[] = []
  for (const [index, row] of rows.entries()) {
    if (row.seq !== index + 1) throw runDamaged(runId, logRow(runId, index + 1).row, 'is missing')
    if (!isLeftOut(row)) entries.push(freezeDeep(decodeEntry(runId, row)))
  }
  return entries
}

/** Single entries of a log, frozen. */
export function decodeSome(runId: string, rows: readonly LogRow[]): readonly LogEntry[] {
  return rows.flatMap((row) => (isLeftOut(row) ? [] : freezeDeep(decodeEntry(runId, row))))
}

/** What is read on its own, and not with the log. */
function isLeftOut({ kind }: LogRow): boolean {
  return kind === 'checkpoint' || kind === 'events'
}

function decodeEntry(runId: string, row: LogRow): LogEntry {
  switch (row.kind) {
    case 'message':
      return { kind: 'message', seq: row.seq, ...decodeMessage(runId, row) }
    case 'call':
      return { kind: 'call', seq: row.seq, call: decodeCall(runId, row) }
    case 'state':
      return { kind: 'state', seq: row.seq, state: decodeState(runId, row) }
    case 'value':
      return { kind: 'value', seq: row.seq, ...decodeValue(runId, row) }
    default:
      throw runDamaged(runId, logRow(runId, row.seq).row, `has the unknown kind "${row.kind}"`)
  }
}
