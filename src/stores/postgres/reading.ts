import type { Json } from '../../domain/json.ts'
import type { EventsEntry } from '../../domain/kept-events.ts'
import type { LogEntry } from '../../domain/log.ts'
import type { RunRecord } from '../../domain/run-record.ts'
import type { CallRow, CheckpointInfo, StoredRun } from '../../ports/store.ts'
import { fullRunRow, logRowOf, number, runRow, type SqlRow, text } from '../rows/columns.ts'
import { decodeCalls, decodeCheckpointInfo, decodeCheckpointRun, decodeRun, decodeSome } from '../rows/decode-log.ts'
import { decodeEvents, decodeInput, decodeRecord } from '../rows/decode-rows.ts'
import { maxSeq } from '../rows/encode-commit.ts'
import { placeColumns, placeOf, type RunPlace } from '../rows/run-place.ts'
import { checkpointUnknown, runUnknown } from '../rows/store-errors.ts'
import type { LogRow } from '../rows/stored-rows.ts'
import { arraysOf, bareColumns, logRows, ofSpans, ofTranscript, placeOfRun, spansOf } from './log-rows.ts'
import type { Session, Sql } from './session.ts'

/** The columns of a run's record. */
export const recordColumns = `
  id, agent, status, reason, code, error, created_at, updated_at, version, forked_run, forked_version`
const selectRecord = `SELECT ${recordColumns} FROM @.runs WHERE id = $1`
const selectRun = `
  SELECT ${recordColumns}, document, continued_run, ${placeColumns}, inputs.body AS input
  FROM @.runs LEFT JOIN @.inputs USING (number) WHERE id = $1`
const selectInput = 'SELECT inputs.body AS input FROM @.runs LEFT JOIN @.inputs USING (number) WHERE id = $1'
const selectCalls = `SELECT ${bareColumns}, log.document ${ofSpans} AND log.kind = 'call'`
const selectSomeCalls = `
  ${selectCalls} AND EXISTS (SELECT FROM unnest($4::text[]) AS part WHERE strpos(log.body, part) > 0) ORDER BY log.seq`
const selectAllCalls = `${selectCalls} ORDER BY log.seq`
const selectCheckpoint = `SELECT ${bareColumns}, log.document ${ofTranscript} AND kind = 'checkpoint' AND version = $4`
const selectLastCheckpoint = `
  SELECT ${bareColumns}, log.document ${ofTranscript} AND kind = 'checkpoint' ORDER BY seq DESC LIMIT 1`
const selectCheckpoints = `SELECT ${bareColumns}, NULL AS document ${ofTranscript} AND kind = 'checkpoint' ORDER BY seq`
const selectEntries = `
  SELECT ${bareColumns}, NULL AS document
  FROM unnest($1::bigint[], $2::int[]) AS wanted (transcript, seq) JOIN @.log USING (transcript, seq) ORDER BY log.seq`
/** Halves the places at which the events after a number may begin: numbers rise with places. */
const selectEvents = `
  WITH RECURSIVE run AS (
    SELECT coalesce(transcript, number) AS transcript, greatest(first_seq, $3::int + 1) AS first,
      coalesce(last_seq, written_seq) AS last
    FROM @.runs WHERE id = $1
  ), look (low, high) AS (
    SELECT first, CASE WHEN $3::int > 0 THEN first ELSE last + 1 END FROM run
    UNION ALL
    SELECT CASE WHEN found.last > $2::bigint THEN low ELSE (low + high) / 2 + 1 END,
      CASE WHEN found.last > $2::bigint THEN found.seq ELSE high END
    FROM look CROSS JOIN run LEFT JOIN LATERAL (
      SELECT log.seq, log.document::bigint AS last FROM @.log
      WHERE log.transcript = run.transcript AND log.seq BETWEEN low AND (low + high) / 2 AND log.kind = 'events'
      ORDER BY log.seq DESC LIMIT 1) AS found ON true
    WHERE low < high
  )
  SELECT ${bareColumns}, log.document FROM run JOIN @.log
    ON log.transcript = run.transcript AND log.seq BETWEEN (SELECT max(low) FROM look) AND run.last
  WHERE log.kind = 'events' AND log.document::bigint > $2::bigint ORDER BY log.seq LIMIT $4`
const selectDue = 'SELECT id FROM @.runs WHERE next_due <= $1 ORDER BY next_due, number'
const selectStatus = 'SELECT status FROM @.runs WHERE id = $1'

/** The record that a row of `recordColumns` tells: each commit writes it. */
export function recordIn(row: SqlRow): RunRecord {
  return decodeRecord(runRow(text('', row, 'id'), row), { version: 0, checkpoint: null })
}

/** The status of a run that is there. */
export async function statusOf(sql: Sql, runId: string): Promise<string> {
  const [row] = await sql(selectStatus, runId)
  if (row === undefined) throw runUnknown(runId)
  return text(runId, row, 'status')
}

/** A run with its log, of rows that nobody changes meanwhile. */
export async function fetchRun(sql: Sql, runId: string): Promise<StoredRun> {
  const row = await rowOf(sql, selectRun, runId)
  const place = placeOf(runId, row)
  const last = await lastCheckpoint(sql, runId, place)
  const log = await logRows(sql, runId, place)
  const own = log.own.map((entry) => (entry.seq === last?.seq ? last : entry))
  return decodeRun(recordIn(row), fullRunRow(runId, row), own, log.inherited)
}

/** What the text of every call that waits holds. */
const suspended = '"status":"suspended"'

/**
 * The call rows of a run, in order; with `wanted`, at least those that are suspended or have one of these texts as an id.
 * What a body holds is found in its text, so that a run of many calls is not read whole for a few.
 */
export async function callRows(sql: Sql, runId: string, wanted?: readonly string[]): Promise<readonly LogRow[]> {
  const place = await placeOfRun(sql, runId)
  const isFork = place.callsFrom !== place.first
  const own = { transcript: place.transcript, from: place.first, to: place.last }
  const spans = isFork ? await spansOf(sql, runId, place) : [own]
  const read = spans
    .filter(({ to }) => to >= place.callsFrom)
    .map((span) => ({ ...span, from: Math.max(span.from, place.callsFrom) }))
  const found =
    wanted === undefined
      ? await sql(selectAllCalls, ...arraysOf(read))
      : await sql(selectSomeCalls, ...arraysOf(read), [suspended, ...wanted.map((id) => JSON.stringify(id))])
  const rows = found.map((row) => logRowOf(runId, row))
  // The snapshot of an actor is one of the run that wrote it.
  return rows.map((row) => (row.seq < place.first ? { ...row, document: null } : row))
}

/** The part of the store that answers what is stored. */
export function createReading({ look, read }: Session) {
  return {
    record: (runId: string): Promise<RunRecord> => look(async (sql) => recordIn(await rowOf(sql, selectRecord, runId))),

    input: (runId: string): Promise<Json> =>
      look(async (sql) => {
        const row = await rowOf(sql, selectInput, runId)
        return decodeInput({ id: runId, input: text(runId, row, 'input') })
      }),

    read: (runId: string): Promise<StoredRun> => read((sql) => fetchRun(sql, runId)),

    calls: (runId: string, wanted?: readonly string[]): Promise<readonly CallRow[]> =>
      read(async (sql) => {
        const calls = await callRows(sql, runId, wanted)
        const hasDocument = calls.some(({ document }) => document !== null)
        const last = hasDocument ? await lastCheckpoint(sql, runId, await placeOfRun(sql, runId)) : undefined
        return decodeCalls(runId, calls, last?.version ?? 0)
      }),

    events: (runId: string, after: number, limit: number, from = 0): Promise<readonly EventsEntry[]> =>
      look(async (sql) => {
        const found = await sql(selectEvents, runId, Math.trunc(after), from, limit)
        if (found.length === 0) await statusOf(sql, runId)
        return found.map((row) => decodeEvents(runId, logRowOf(runId, row)))
      }),

    entries: (runId: string, seqs: readonly number[]): Promise<readonly LogEntry[]> =>
      read(async (sql) => {
        const spans = await spansOf(sql, runId, await placeOfRun(sql, runId))
        const places = [...new Set(seqs)].filter(Number.isSafeInteger).flatMap((seq) => {
          const span = spans.find(({ from, to }) => from <= seq && seq <= to)
          return span === undefined ? [] : [{ transcript: span.transcript, seq }]
        })
        const found = await sql(
          selectEntries,
          places.map(({ transcript }) => transcript),
          places.map(({ seq }) => seq),
        )
        return decodeSome(
          runId,
          found.map((row) => logRowOf(runId, row)),
        )
      }),

    checkpoints: (runId: string): Promise<readonly CheckpointInfo[]> =>
      read(async (sql) => {
        const rows = await sql(selectCheckpoints, ...ownOf(await placeOfRun(sql, runId)))
        return rows.map((row) => decodeCheckpointInfo(runId, logRowOf(runId, row)))
      }),

    checkpoint: (runId: string, version: number): Promise<StoredRun> =>
      read(async (sql) => {
        const row = await rowOf(sql, selectRun, runId)
        const place = placeOf(runId, row)
        const isVersion = Number.isSafeInteger(version) && Math.abs(version) < 2 ** 31
        const [at] = isVersion ? await sql(selectCheckpoint, ...ownOf(place), version) : []
        if (at === undefined) {
          const known = await sql(selectCheckpoints, ...ownOf(place))
          throw checkpointUnknown(
            runId,
            version,
            known.map((one) => number(runId, one, 'version')),
          )
        }
        const checkpoint = logRowOf(runId, at)
        const log = await logRows(sql, runId, place, checkpoint.seq - 1)
        return decodeCheckpointRun(recordIn(row), fullRunRow(runId, row), log.own, checkpoint, log.inherited)
      }),

    due: (now: number): Promise<readonly string[]> =>
      look(async (sql) => (await sql(selectDue, now)).map((row) => text('', row, 'id'))),
  }
}

async function rowOf(sql: Sql, statement: string, runId: string): Promise<SqlRow> {
  const [row] = await sql(statement, runId)
  if (row === undefined) throw runUnknown(runId)
  return row
}

async function lastCheckpoint(sql: Sql, runId: string, place: RunPlace): Promise<LogRow | undefined> {
  const [row] = await sql(selectLastCheckpoint, ...ownOf(place))
  return row && logRowOf(runId, row)
}

/** The rows a run wrote, as values of a statement. */
function ownOf({ transcript, first, last }: RunPlace): readonly [number, number, number] {
  return [transcript, first, Math.min(last, maxSeq)]
}
