import { isInherited } from '../rows/decode-log.ts'
import { inheritedDamage, runUnknown } from '../rows/store-errors.ts'
import type { InheritedRows, LogRow } from '../rows/stored-rows.ts'
import { logRowOf, number, text } from './rows.ts'
import { idsOf, placeColumns, placeOf, type RunPlace, type Span, spansOf } from './run-place.ts'
import { seqColumn } from './schema.ts'
import type { Session } from './session.ts'

/** Columns of a log row but its document. */
export const bareColumns = `${seqColumn}, log.version, kind, body`
const callColumns = `
  ${seqColumn}, log.version, kind, CASE WHEN kind = 'events' THEN '' ELSE body END AS body, CASE WHEN kind = 'call' THEN log.document END AS document`
/** The log rows between two ids. */
export const ofIds = 'FROM log WHERE id BETWEEN ? AND ?'
/** Those of several ranges of ids, a JSON text, in the order of the ranges. */
export const ofRanges = `
  FROM json_each(?) AS span CROSS JOIN log
  ON log.id BETWEEN json_extract(span.value, '$[0]') AND json_extract(span.value, '$[1]')`
const selectLog = `SELECT ${callColumns} ${ofIds} ORDER BY id`
const selectLogs = `SELECT ${callColumns} ${ofRanges}`
const selectPlace = `SELECT ${placeColumns} FROM runs WHERE id = ?`

/** Where the log rows of a run stand. */
export function placeOfRun({ sql }: Session, runId: string): RunPlace {
  const row = sql(selectPlace).get(runId)
  if (row === undefined) throw runUnknown(runId)
  return placeOf(runId, row)
}

/** The rows a run reads as its log. */
export interface RunRows {
  /** Those it wrote itself, one for each number. */
  readonly own: readonly LogRow[]
  readonly inherited: InheritedRows
}

/** The rows a run reads as its log, up to an entry of its own; to be called inside a transaction. */
export function logRows(session: Session, runId: string, place: RunPlace, to = place.last): RunRows {
  const spans = spansOf(session, runId, place, to)
  const ranges = spans.map(idsOf)
  const [only] = ranges
  const rows =
    only !== undefined && ranges.length === 1
      ? rowsOf(session, runId, selectLog, only)
      : inOrder(rowsOf(session, runId, selectLogs, [JSON.stringify(ranges)]))
  const begin = rows.findIndex(({ seq }) => seq >= place.first)
  const before = begin === -1 ? rows : rows.slice(0, begin)
  checkInherited(session, { runId, place, spans, rows: before })
  const writerOf = (seq: number) =>
    session.read(() => writersOf(session, spans).find(({ first, last }) => first <= seq && seq <= last)?.id)
  return {
    own: begin === -1 ? [] : begin === 0 ? rows : rows.slice(begin),
    inherited: { rows: before.filter(isInherited), writerOf },
  }
}

/** Rows that a statement with these parameters gives. */
export function rowsOf(
  { sql }: Session,
  runId: string,
  statement: string,
  parameters: readonly (number | string)[],
): readonly LogRow[] {
  return sql(statement)
    .all(...parameters)
    .map((row) => logRowOf(runId, row))
}

/** They come in order, which SQLite does not promise. */
function inOrder(rows: readonly LogRow[]): readonly LogRow[] {
  return rows.toSorted((left, right) => left.seq - right.seq)
}

interface CheckedRows {
  readonly runId: string
  readonly place: RunPlace
  readonly spans: readonly Span[]
  readonly rows: readonly LogRow[]
}

/** A number that is missing is one of a run that was deleted, or a row was lost. */
function checkInherited(session: Session, { runId, place, spans, rows }: CheckedRows): void {
  if (rows.length === place.first - 1) return
  const writers = writersOf(session, spans)
  let next = 1
  for (const seq of [...rows.map((row) => row.seq), place.first]) {
    const gap = [next, seq - 1] as const
    const writer = gap[0] > gap[1] ? undefined : writers.find((one) => one.first <= gap[1] && one.last >= gap[0])
    if (writer !== undefined) throw inheritedDamage(runId, { seq: Math.max(gap[0], writer.first), writer: writer.id })
    next = seq + 1
  }
}

interface Writer {
  readonly id: string
  /** Of what it wrote, the part that is read. */
  readonly first: number
  readonly last: number
}

const selectWriters = (matches: string) => `
  SELECT runs.id, ${placeColumns.replace('number', 'runs.number')}, json_extract(span.value, '$[1]') AS from_seq, json_extract(span.value, '$[2]') AS to_seq
  FROM json_each(?) AS span CROSS JOIN runs ON ${matches}`
const transcript = "json_extract(span.value, '$[0]')"
const selectFirst = selectWriters(`runs.number = ${transcript} AND runs.transcript IS NULL`)
const selectJoined = selectWriters(`runs.transcript = ${transcript}`)

/** The runs that are there of those that wrote these parts of transcripts. */
function writersOf({ sql }: Session, spans: readonly Span[]): readonly Writer[] {
  const asked = JSON.stringify(spans.map((span) => [span.transcript, span.from, span.to]))
  const writers = [...sql(selectFirst).all(asked), ...sql(selectJoined).all(asked)].map((row): Writer => {
    const id = text('', row, 'id')
    const { first, last } = placeOf(id, row)
    return {
      id,
      first: Math.max(first, number(id, row, 'from_seq')),
      last: Math.min(last, number(id, row, 'to_seq')),
    }
  })
  return writers.filter(({ first, last }) => first <= last)
}
