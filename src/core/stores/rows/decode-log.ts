import { type CallRecord, isTerminal } from '../../domain/call.ts'
import { freezeDeep } from '../../domain/text/json.ts'
import { type EmittingEntry, type LogEntry, withResults } from '../../domain/log.ts'
import type { RunRecord } from '../../domain/run-record.ts'
import { StoreError } from '../../domain/store-error.ts'
import type { CallRow, CheckpointInfo, StoredRun } from '../../ports/store.ts'
import {
  decodeCall,
  decodeCheckpoint,
  decodeInput,
  decodeMark,
  decodeMessage,
  decodeState,
  decodeValue,
  logRow,
} from './decode-rows.ts'
import { inheritedDamage, runDamaged } from './store-errors.ts'
import type { FullRunRow, InheritedRows, LogRow } from './stored-rows.ts'

const none: InheritedRows = { rows: [], writerOf: () => undefined }

/** Decodes a run from all rows of its log; only the last checkpoint needs its document. */
export function decodeRun(
  record: RunRecord,
  run: FullRunRow,
  rows: readonly LogRow[],
  inherited: InheritedRows = none,
): StoredRun {
  const last = rows.findLast((row) => row.kind === 'checkpoint')
  const checkpoint = last === undefined ? null : checkpointOf(run.id, last)
  const isNewer = run.version > (checkpoint?.version ?? 0)
  if (isNewer && run.document === null)
    throw runDamaged(run.id, 'its run row', `lacks the state of version ${run.version}`)
  const own = withResults(decodeOwn(run, rows))
  return {
    record,
    input: decodeInput(run),
    ...continuesOf(run),
    checkpoint,
    document: isNewer ? run.document : null,
    log: [...withResults(decodeInherited(run.id, inherited)), ...own],
    calls: callsOf(own, rows, checkpoint?.version ?? 0).filter(isLive),
  }
}

/** A call may have its result while its actor still works, e.g. on a review. */
function isLive({ record, document }: CallRow): boolean {
  return !isTerminal(record.status) || document !== null
}

/**
 * Decodes a run in its state at a checkpoint. The record, and slots that later commits wrote, have their current state.
 */
export function decodeCheckpointRun(
  record: RunRecord,
  run: FullRunRow,
  rows: readonly LogRow[],
  at: LogRow,
  inherited: InheritedRows = none,
): StoredRun {
  const checkpoint = checkpointOf(run.id, at)
  const own = withResults(decodeOwn(run, rows))
  const calls = callsOf(own, rows, at.version)
    .map((call) => (call.version === at.version ? call : { ...call, document: null }))
    .filter(isLive)
  const log = [...withResults(decodeInherited(run.id, inherited)), ...own]
  return { record, input: decodeInput(run), ...continuesOf(run), checkpoint, document: null, log, calls }
}

/**
 * Returns call rows in order of `seq`, without snapshots older than the last checkpoint, whose document has newer ones.
 */
export function decodeCalls(runId: string, rows: readonly LogRow[], checkpointVersion: number): readonly CallRow[] {
  const calls = rows.filter((row) => row.kind === 'call')
  return calls.map((row) => callRow(row, decodeCall(runId, row), checkpointVersion))
}

function callsOf(log: readonly LogEntry[], rows: readonly LogRow[], checkpointVersion: number): readonly CallRow[] {
  const first = rows[0]?.seq ?? 1
  return log.flatMap((entry) => {
    const row = entry.kind === 'call' ? rows[entry.seq - first] : undefined
    return entry.kind === 'call' && row !== undefined ? callRow(row, entry.call, checkpointVersion) : []
  })
}

function callRow({ version, document }: LogRow, record: CallRecord, checkpointVersion: number): CallRow {
  return { record, document: version >= checkpointVersion ? document : null, version }
}

/** Returns a checkpoint as lists contain it. */
export function decodeCheckpointInfo(runId: string, row: LogRow): CheckpointInfo {
  const { names, at } = decodeCheckpoint(runId, row)
  return { version: row.version, seq: row.seq, names, at }
}

/** Checks the names and the time of the checkpoint too, so that a damaged checkpoint is found. */
function checkpointOf(runId: string, row: LogRow): NonNullable<StoredRun['checkpoint']> {
  const { version, seq } = decodeCheckpointInfo(runId, row)
  const { document } = row
  if (document === null) throw runDamaged(runId, logRow(runId, seq).row, 'is a checkpoint without its document')
  return { document, version, seq }
}

function continuesOf({ continuedRun, firstSeq }: FullRunRow): Pick<StoredRun, 'continues'> {
  return continuedRun === null ? {} : { continues: { runId: continuedRun, seq: firstSeq - 1 } }
}

/** Freezes the entries, so that no caller needs a copy. */
function decodeOwn({ id, firstSeq }: FullRunRow, rows: readonly LogRow[]): readonly LogEntry[] {
  const entries: LogEntry[] = []
  for (const [index, row] of rows.entries()) {
    const seq = firstSeq + index
    if (row.seq !== seq) throw runDamaged(id, logRow(id, seq).row, 'is missing')
    if (isInherited(row)) entries.push(freezeDeep(decodeEntry(id, row)))
  }
  return entries
}

/** Damage in another run's entries names that run. */
function decodeInherited(runId: string, { rows, writerOf }: InheritedRows): readonly LogEntry[] {
  return rows.map((row) => {
    try {
      return freezeDeep(decodeEntry(runId, row))
    } catch (error) {
      if (!(error instanceof StoreError)) throw error
      throw inheritedDamage(runId, { seq: row.seq, writer: writerOf(row.seq), cause: error })
    }
  })
}

/** Returns the frozen entries of a log from which events are derived. */
export function decodeEmitting(runId: string, rows: readonly LogRow[]): readonly EmittingEntry[] {
  return rows.map((row): EmittingEntry => {
    const { kind, seq } = row
    return kind === 'call' || kind === 'checkpoint' ? { kind, seq } : freezeDeep(decodeEntry(runId, row))
  })
}

/** Returns true for a row that is read with the log, and by runs that continue it. */
export function isInherited({ kind }: Pick<LogRow, 'kind'>): boolean {
  return kind !== 'checkpoint' && kind !== 'mark'
}

function decodeEntry(runId: string, row: LogRow): LogEntry {
  switch (row.kind) {
    case 'message':
      return decodeMessage(runId, row)
    case 'call':
      return { kind: 'call', seq: row.seq, call: decodeCall(runId, row) }
    case 'state':
      return decodeState(runId, row)
    case 'value':
      return decodeValue(runId, row)
    case 'mark':
      return decodeMark(runId, row)
    default:
      throw runDamaged(runId, logRow(runId, row.seq).row, `has the unknown kind "${row.kind}"`)
  }
}
