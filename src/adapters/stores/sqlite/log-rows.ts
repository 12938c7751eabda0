import { isInherited } from '../../../core/stores/rows/decode-log.ts'
import { checkInherited, isWhole, type Writer, writerOf, writersIn } from '../../../core/stores/rows/inherited.ts'
import { runUnknown } from '../../../core/stores/rows/store-errors.ts'
import type { LogRow, ReadRows } from '../../../core/stores/rows/stored-rows.ts'
import { logRowOf } from '../../../core/stores/rows/columns.ts'
import { placeColumns, placeOf, type RunPlace, type Span, spansIn } from '../../../core/stores/rows/run-place.ts'
import { seqColumn, logSpan } from './schema.ts'
import type { Session } from './session.ts'

/** The columns of a log row without its document. */
export const bareColumns = `${seqColumn}, log.version, kind, body, log.at, turn, place`
const callColumns = `
  ${seqColumn}, log.version, kind, CASE WHEN kind = 'mark' THEN '' ELSE body END AS body, CASE WHEN kind = 'call' THEN log.document END AS document,
  log.at, turn, place`
/** The log rows between two ids. */
export const ofIds = 'FROM log WHERE id BETWEEN ? AND ?'
/** The log rows of several ranges of ids, given as JSON text, in the order of the ranges. */
export const ofRanges = `
  FROM json_each(?) AS span CROSS JOIN log
  ON log.id BETWEEN json_extract(span.value, '$[0]') AND json_extract(span.value, '$[1]')`
const selectLog = `SELECT ${callColumns} ${ofIds} ORDER BY id`
const selectLogs = `SELECT ${callColumns} ${ofRanges}`
const selectPlace = `SELECT ${placeColumns} FROM runs WHERE id = ?`

/** Returns the place of a run's log rows. */
export function placeOfRun({ sql }: Session, runId: string): RunPlace {
  const row = sql(selectPlace).get(runId)
  if (row === undefined) throw runUnknown(runId)
  return placeOf(runId, row)
}

/** Returns the rows of a run's log, up to one of its own entries; call it inside a transaction. */
export function logRows(session: Session, runId: string, place: RunPlace, to = place.last): ReadRows {
  const spans = spansOf(session, runId, place, to)
  const ranges = spans.map(idsOf)
  const [only] = ranges
  const rows =
    only !== undefined && ranges.length === 1
      ? rowsOf(session, runId, selectLog, only)
      : inOrder(rowsOf(session, runId, selectLogs, [JSON.stringify(ranges)]))
  const begin = rows.findIndex(({ seq }) => seq >= place.first)
  const before = begin === -1 ? rows : rows.slice(0, begin)
  const part = { runId, place, rows: before }
  if (!isWhole(part)) checkInherited(part, writersOf(session, spans))
  return {
    own: begin === -1 ? [] : begin === 0 ? rows : rows.slice(begin),
    inherited: {
      rows: before.filter(isInherited),
      writerOf: (seq) => session.read(() => writerOf(writersOf(session, spans), seq)),
    },
  }
}

/** Returns the rows of a statement with these parameters. */
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

const selectWriters = (matches: string) => `
  SELECT runs.id, ${placeColumns.replace('number', 'runs.number')}, json_extract(span.value, '$[1]') AS from_seq, json_extract(span.value, '$[2]') AS to_seq
  FROM json_each(?) AS span CROSS JOIN runs ON ${matches}`
const transcriptIn = "json_extract(span.value, '$[0]')"
const selectFirst = selectWriters(`runs.number = ${transcriptIn} AND runs.transcript IS NULL`)
const selectJoined = selectWriters(`runs.transcript = ${transcriptIn}`)

function writersOf({ sql }: Session, spans: readonly Span[]): readonly Writer[] {
  const asked = JSON.stringify(spans.map((span) => [span.transcript, span.from, span.to]))
  return writersIn([...sql(selectFirst).all(asked), ...sql(selectJoined).all(asked)])
}

/** Returns the ids of the log rows that the run wrote, up to an entry. */
export function ownIds({ transcript, first, last }: RunPlace, to = last): IdRange {
  const base = transcript * logSpan
  return [base + first, base + to]
}

/** The first and the last of some ids. */
export type IdRange = readonly [first: number, last: number]

/** Each transcript continues an earlier place of the previous one, so that even a damaged chain ends. */
const selectChain = `
  WITH RECURSIVE chain (number, to_seq) AS (
    VALUES (?, ${logSpan})
    UNION ALL
    SELECT parent, at_seq FROM chain JOIN transcripts USING (number) WHERE at_seq < to_seq
  )
  SELECT chain.number, to_seq, at_seq FROM chain LEFT JOIN transcripts USING (number)`

/** Returns the spans of the log that a run reads, oldest first, up to `to`. A span may be empty. */
export function spansOf({ sql }: Session, runId: string, place: RunPlace, to = place.last): readonly Span[] {
  if (place.first === 1) return [{ transcript: place.transcript, from: 1, to }]
  return spansIn(runId, place, sql(selectChain).all(place.transcript), to)
}

/** Returns the ids of the log rows of a part of a transcript. */
export function idsOf({ transcript, from, to }: Span): IdRange {
  return [transcript * logSpan + from, transcript * logSpan + to]
}
