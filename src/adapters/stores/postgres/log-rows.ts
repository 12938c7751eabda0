import { isInherited } from '../../../core/stores/rows/decode-log.ts'
import { logRowOf, type SqlRow } from '../../../core/stores/rows/columns.ts'
import { maxSeq } from '../../../core/stores/rows/encode-commit.ts'
import { checkInherited, isWhole, type Writer, writerOf, writersIn } from '../../../core/stores/rows/inherited.ts'
import { placeColumns, placeOf, type RunPlace, type Span, spansIn } from '../../../core/stores/rows/run-place.ts'
import { runUnknown } from '../../../core/stores/rows/store-errors.ts'
import type { ReadRows } from '../../../core/stores/rows/stored-rows.ts'
import type { Sql } from './session.ts'

/** The columns of a log row without its document. */
export const bareColumns = 'log.seq, log.version, log.kind, log.body, log.at, log.turn, log.place'
/** The log rows of one transcript, from one entry to another. */
export const ofTranscript = 'FROM @.log WHERE transcript = $1 AND seq BETWEEN $2 AND $3'
/** The log rows of several parts of transcripts. */
export const ofSpans = `
  FROM unnest($1::bigint[], $2::int[], $3::int[]) AS span (transcript, from_seq, to_seq)
  JOIN @.log ON log.transcript = span.transcript AND log.seq BETWEEN span.from_seq AND span.to_seq`
const columns = `
  log.seq, log.version, log.kind, CASE WHEN log.kind = 'mark' THEN '' ELSE log.body END AS body,
  CASE WHEN log.kind = 'call' THEN log.document END AS document, log.at, log.turn, log.place`
const selectLog = `SELECT ${columns} ${ofTranscript} ORDER BY seq`
const selectLogs = `SELECT ${columns} ${ofSpans} ORDER BY seq`
const selectPlace = `SELECT ${placeColumns} FROM @.runs WHERE id = $1`

/** Returns the place of a run's log rows. */
export async function placeOfRun(sql: Sql, runId: string): Promise<RunPlace> {
  const [row] = await sql(selectPlace, runId)
  if (row === undefined) throw runUnknown(runId)
  return placeOf(runId, row)
}

/** Each transcript continues an earlier place of the previous one, so that even a damaged chain ends. */
const selectChain = `
  WITH RECURSIVE chain (number, to_seq) AS (
    VALUES ($1::bigint, ${maxSeq + 1})
    UNION ALL
    SELECT parent, at_seq FROM chain JOIN @.transcripts USING (number) WHERE at_seq < to_seq
  )
  SELECT chain.number, to_seq, at_seq FROM chain LEFT JOIN @.transcripts USING (number) ORDER BY to_seq DESC`

/** Returns the parts of transcripts that a run reads, the oldest first. Parts may be empty. */
export async function spansOf(sql: Sql, runId: string, place: RunPlace, to = place.last): Promise<readonly Span[]> {
  if (place.first === 1) return [{ transcript: place.transcript, from: 1, to }]
  return spansIn(runId, place, await sql(selectChain, place.transcript), to)
}

/** Returns spans as values of a statement. */
export function arraysOf(spans: readonly Span[]): readonly [readonly number[], readonly number[], readonly number[]] {
  return [spans.map(({ transcript }) => transcript), spans.map(({ from }) => from), spans.map(({ to }) => to)]
}

interface WantedLog {
  readonly runId: string
  readonly place: RunPlace
  readonly to?: number
  readonly isNamed: boolean
}

/** Returns the rows of a run's log, up to one of its own entries, without checkpoint documents. */
export async function logRows(sql: Sql, { runId, place, to = place.last, isNamed }: WantedLog): Promise<ReadRows> {
  const spans = await spansOf(sql, runId, place, to)
  const [only] = spans
  const found: readonly SqlRow[] =
    only !== undefined && spans.length === 1
      ? await sql(selectLog, only.transcript, only.from, only.to)
      : await sql(selectLogs, ...arraysOf(spans))
  const rows = found.map((row) => logRowOf(runId, row))
  const begin = rows.findIndex(({ seq }) => seq >= place.first)
  const before = begin === -1 ? rows : rows.slice(0, begin)
  const part = { runId, place, rows: before }
  const writers = isNamed || !isWhole(part) ? await writersOf(sql, spans) : []
  if (!isWhole(part)) checkInherited(part, writers)
  return {
    own: begin === -1 ? [] : rows.slice(begin),
    inherited: { rows: before.filter(isInherited), writerOf: (seq) => writerOf(writers, seq) },
  }
}

const selectWriters = (matches: string) => `
  SELECT runs.id, ${placeColumns.replaceAll(/\w+/g, 'runs.$&')}, span.from_seq, span.to_seq
  FROM unnest($1::bigint[], $2::int[], $3::int[]) AS span (transcript, from_seq, to_seq) JOIN @.runs ON ${matches}`
const selectAllWriters = `
  ${selectWriters('runs.number = span.transcript AND runs.transcript IS NULL')}
  UNION ALL
  ${selectWriters('runs.transcript = span.transcript AND runs.first_seq <= span.to_seq')}`

async function writersOf(sql: Sql, spans: readonly Span[]): Promise<readonly Writer[]> {
  return writersIn(await sql(selectAllWriters, ...arraysOf(spans)))
}
