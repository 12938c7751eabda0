import type { NewRun } from '../../ports/commit.ts'
import { isInherited } from '../rows/decode-log.ts'
import { beginningBehind } from '../rows/run-place.ts'
import type { LogRow } from '../rows/stored-rows.ts'

/** The log rows of a run, and the log that they continue. Rows are replaced, never changed. */
export interface MemoryLog {
  /** The `seq` of the first row. */
  readonly first: number
  /** One for each number, until the run is deleted. */
  rows: LogRow[]
  /** The first entry whose call is one of the run's. */
  readonly callsFrom: number
  /** The log that this one continues, up to one of its entries. */
  readonly behind?: { readonly log: MemoryLog; readonly to: number }
}

/** Returns an empty log that continues another one after an entry, by default its last one. */
export function logBehind(continues: NonNullable<NewRun['continues']>, isFork: boolean, log: MemoryLog): MemoryLog {
  const { seq: to, first, callsFrom } = beginningBehind(continues, isFork, { ...log, last: lastSeqOf(log) })
  return { first, rows: [], callsFrom, ...(to === 0 ? {} : { behind: { log: holderOf(log, to), to } }) }
}

function holderOf(log: MemoryLog, seq: number): MemoryLog {
  let holder = log
  while (seq < holder.first && holder.behind !== undefined) holder = holder.behind.log
  return holder
}

/** Returns the number of the last entry that a run wrote, or the number before its first. */
export function lastSeqOf({ first, rows }: MemoryLog): number {
  return rows.at(-1)?.seq ?? first - 1
}

/** Returns the rows that other runs wrote and this log continues, in order, without checkpoints and marks. */
export function inheritedRows(log: MemoryLog): readonly LogRow[] {
  const parts = logsBehind(log).map(({ log: { rows }, to }) => rows.filter((row) => row.seq <= to && isInherited(row)))
  return parts.toReversed().flat()
}

/** Returns the log with which a transcript began. */
export function firstOf(log: MemoryLog): MemoryLog {
  return logsBehind(log).at(-1)?.log ?? log
}

function logsBehind(log: MemoryLog): readonly NonNullable<MemoryLog['behind']>[] {
  const logs: NonNullable<MemoryLog['behind']>[] = []
  for (let { behind } = log; behind !== undefined; { behind } = behind.log) logs.push(behind)
  return logs
}

function resultOf(log: MemoryLog, place: number): LogRow['body'] | null {
  const { first, rows } = holderOf(log, place)
  const row = rows[place - first]
  return (row?.seq === place ? row : rows.find(({ seq }) => seq === place))?.body ?? null
}

/** Returns the call rows of a run, after those of the runs from which it was forked. */
export function callRowsOf(log: MemoryLog): readonly LogRow[] {
  const earlier = log.callsFrom === log.first ? [] : inheritedRows(log).filter(({ seq }) => seq >= log.callsFrom)
  // The snapshot of an actor is one of the run that wrote it.
  const calls = [...earlier.map((row) => ({ ...row, document: null })), ...log.rows]
  const found = calls.filter(({ kind }) => kind === 'call')
  return found.map((row) => (row.place === null ? row : { ...row, result: resultOf(log, row.place) }))
}

/** Removes the log rows of a deleted run that no other run reads. `last` is the last entry that others read. */
export function forgetRows(log: MemoryLog, last: number): void {
  const read = log.rows.filter((row) => row.seq <= last && isInherited(row))
  log.rows = read.map((row) => ({ ...row, document: null }))
}

/**
 * Returns the last entry of another log that this one continues, or 0 if it continues none. A log begins after the
 * entries that it continues.
 */
export function readTo(log: MemoryLog, other: MemoryLog): number {
  let { behind } = log
  while (behind !== undefined && behind.log.first > other.first) ({ behind } = behind.log)
  return behind?.log === other ? behind.to : 0
}
