import type { Json } from '../../../core/domain/text/json.ts'
import type { EmittingEntry } from '../../../core/domain/log.ts'
import type { RunRecord } from '../../../core/domain/run-record.ts'
import type { CallRow, CheckpointInfo, StoredRun } from '../../../core/ports/store.ts'
import {
  fullRunRow,
  logRowOf,
  number,
  optionalNumber,
  optionalText,
  runRow,
  type SqlRow,
  text,
} from '../../../core/stores/rows/columns.ts'
import {
  decodeCalls,
  decodeCheckpointInfo,
  decodeCheckpointRun,
  decodeEmitting,
  decodeRun,
} from '../../../core/stores/rows/decode-log.ts'
import { decodeInput, decodeRecord } from '../../../core/stores/rows/decode-rows.ts'
import { maxSeq, pageBytes } from '../../../core/stores/rows/encode-commit.ts'
import { placeColumns, placeOf, type RunPlace } from '../../../core/stores/rows/run-place.ts'
import { checkpointUnknown, runUnknown } from '../../../core/stores/rows/store-errors.ts'
import { bodiesOf, wholeBody, wholeRows } from '../../../core/stores/rows/files.ts'
import type { FullRunRow, LogRow, ReadRows } from '../../../core/stores/rows/stored-rows.ts'
import { filesOf } from './files.ts'
import { arraysOf, bareColumns, logRows, ofSpans, ofTranscript, placeOfRun, spansOf } from './log-rows.ts'
import type { Session, Sql, SqlValue } from './session.ts'

/** The columns of a run's record. */
export const recordColumns = `
  id, agent, agent_version, status, reason, code, error, created_at, updated_at, version, forked_run, forked_version, session, subject,
  labels, prompt`
/** The last checkpoint is stored with the run, so that two statements read most runs. */
const selectRun = `
  SELECT ${recordColumns}, runs.document, continued_run, ${placeColumns}, inputs.body AS input,
    checkpoint_seq, last_version, last_body, last_document, last_at
  FROM @.runs LEFT JOIN @.inputs USING (number) LEFT JOIN LATERAL (
    SELECT seq AS checkpoint_seq, log.version AS last_version, body AS last_body, log.document AS last_document,
      log.at AS last_at FROM @.log
    WHERE log.transcript = coalesce(runs.transcript, runs.number)
      AND seq BETWEEN runs.first_seq AND coalesce(runs.last_seq, runs.written_seq) AND kind = 'checkpoint'
    ORDER BY seq DESC LIMIT 1) AS last ON true
  WHERE id = $1`
const selectInput = 'SELECT inputs.body AS input FROM @.runs LEFT JOIN @.inputs USING (number) WHERE id = $1'
const selectLastVersion = `
  (SELECT log.version ${ofTranscript.replace('$1', '$4').replace('$2', '$5').replace('$3', '$6')} AND kind = 'checkpoint' ORDER BY seq DESC LIMIT 1)`
const selectResult = `
  (SELECT held.body FROM @.log AS held WHERE held.transcript = log.transcript AND held.seq = log.place)`
const selectCalls = `SELECT ${bareColumns}, log.document, ${selectResult} AS result, ${selectLastVersion} AS last_version ${ofSpans} AND log.kind = 'call'`
const selectSomeCalls = `
  ${selectCalls} AND EXISTS (SELECT FROM unnest($7::text[]) AS part WHERE strpos(log.body, part) > 0) ORDER BY log.seq`
const selectAllCalls = `${selectCalls} ORDER BY log.seq`
const selectCheckpoint = `SELECT ${bareColumns}, log.document ${ofTranscript} AND kind = 'checkpoint' AND version = $4`
const selectCheckpoints = `
  SELECT ${bareColumns}, NULL AS document FROM @.runs JOIN @.log
    ON log.transcript = coalesce(runs.transcript, runs.number)
      AND seq BETWEEN runs.first_seq AND coalesce(runs.last_seq, runs.written_seq) AND kind = 'checkpoint'
  WHERE id = $1 ORDER BY seq`
/** The bodies of a page are read once their lengths are summed up. */
const selectEntries = `
  WITH page AS (
    SELECT log.transcript, log.seq, sum(octet_length(log.body)) OVER (ORDER BY seq) - octet_length(log.body) AS before
    FROM @.runs JOIN @.log ON log.transcript = coalesce(runs.transcript, runs.number)
      AND seq BETWEEN greatest(runs.first_seq, $2::int + 1)
        AND least(coalesce(runs.last_seq, runs.written_seq), greatest(runs.first_seq - 1, $2::int) + $3::bigint)
    WHERE id = $1
  )
  SELECT log.seq, log.version, log.kind, CASE WHEN log.kind IN ('call', 'checkpoint') THEN '' ELSE log.body END AS body,
    NULL AS document, log.at, log.turn, log.place
  FROM page JOIN @.log USING (transcript, seq) WHERE before < ${pageBytes} ORDER BY log.seq`
const selectDue = 'SELECT id FROM @.runs WHERE next_due <= $1 ORDER BY next_due, number'
const selectStatus = 'SELECT status FROM @.runs WHERE id = $1'

/** Returns the record in a row of `recordColumns`, which each commit writes. */
export function recordIn(row: SqlRow): RunRecord {
  return decodeRecord(runRow(text('', row, 'id'), row), { version: 0, at: null })
}

/** Returns the status of an existing run. */
export async function statusOf(sql: Sql, runId: string): Promise<string> {
  const [row] = await sql(selectStatus, runId)
  if (row === undefined) throw runUnknown(runId)
  return text(runId, row, 'status')
}

/**
 * Reads a run with its log, whose rows nobody changes meanwhile. `isNamed` also reads the writers of inherited rows.
 */
export async function fetchRun(sql: Sql, runId: string, how: Fetching = {}): Promise<StoredRun> {
  return runOf(sql, runId, await rowOf(sql, selectRun, runId), how)
}

/** `isBare` leaves out the bytes of large media in messages. */
interface Fetching {
  readonly isNamed?: boolean
  readonly isBare?: boolean
}

/** Reads a run that a statement changes while it reads the row. The statement's `$1` is the run's id. */
export async function fetchChanged(
  sql: Sql,
  change: string,
  ...values: readonly [string, ...SqlValue[]]
): Promise<StoredRun> {
  const [runId] = values
  const [row] = await sql(`WITH changed AS (${change}) ${selectRun}`, ...values)
  if (row === undefined) throw runUnknown(runId)
  return runOf(sql, runId, row, { isBare: true })
}

async function runOf(sql: Sql, runId: string, row: SqlRow, how: Fetching): Promise<StoredRun> {
  const { isNamed = false, isBare = false } = how
  const place = placeOf(runId, row)
  const found = await logRows(sql, { runId, place, isNamed })
  const { run, log } = await wholeOf(sql, fullRunRow(runId, row), found, { place, isBare })
  try {
    const last = lastCheckpoint(runId, row)
    const own = log.own.map((entry) => (entry.seq === last?.seq ? last : entry))
    return decodeRun(recordIn(row), run, own, log.inherited)
  } catch (error) {
    if (isNamed || place.first === 1) throw error
    return fetchRun(sql, runId, { ...how, isNamed: true })
  }
}

/** Puts the bytes of files back: into everything, or if `isBare` into everything but messages. */
async function wholeOf(
  sql: Sql,
  run: FullRunRow,
  { own, inherited }: ReadRows,
  { place, isBare = false }: Pick<Fetching, 'isBare'> & { readonly place: RunPlace },
) {
  const bodies = [run.input, ...bodiesOf(inherited.rows, isBare), ...bodiesOf(own, isBare)]
  const files = await filesOf(sql, run.id, bodies, place)
  const log = { own: wholeRows(own, files), inherited: { ...inherited, rows: wholeRows(inherited.rows, files) } }
  return { run: { ...run, input: wholeBody(run.input, files) }, log }
}

const suspended = '"status":"suspended"'

/**
 * Reads the calls of a run: all calls, those that have one of the wanted texts as an id, or the suspended ones if the
 * list is empty.
 */
export async function callRows(
  sql: Sql,
  runId: string,
  wanted?: readonly string[],
  known?: RunPlace,
): Promise<FoundCalls> {
  const place = known ?? (await placeOfRun(sql, runId))
  const isFork = place.callsFrom !== place.first
  const own = { transcript: place.transcript, from: place.first, to: place.last }
  const spans = isFork ? await spansOf(sql, runId, place) : [own]
  const read = spans
    .filter(({ to }) => to >= place.callsFrom)
    .map((span) => ({ ...span, from: Math.max(span.from, place.callsFrom) }))
  const asked = [...arraysOf(read), ...ownOf(place)] as const
  const found =
    wanted === undefined
      ? await sql(selectAllCalls, ...asked)
      : await sql(selectSomeCalls, ...asked, wanted.length === 0 ? [suspended] : wanted.map((id) => JSON.stringify(id)))
  const rows = found.map((row) => logRowOf(runId, row))
  return {
    // The snapshot of an actor is one of the run that wrote it.
    rows: rows.map((row) => (row.seq < place.first ? { ...row, document: null } : row)),
    lastVersion: optionalNumber(runId, found[0] ?? { last_version: null }, 'last_version') ?? 0,
  }
}

interface FoundCalls {
  readonly rows: readonly LogRow[]
  readonly lastVersion: number
}

/** Returns the part of the store that reads. */
export function createReading({ look, read }: Session) {
  return {
    input: (runId: string): Promise<Json> =>
      look(async (sql) => {
        const row = await rowOf(sql, selectInput, runId)
        const input = text(runId, row, 'input')
        return decodeInput({ id: runId, input: wholeBody(input, await filesOf(sql, runId, [input])) })
      }),

    read: (runId: string, isBare = false): Promise<StoredRun> => read((sql) => fetchRun(sql, runId, { isBare })),

    calls: (runId: string, wanted?: readonly string[]): Promise<readonly CallRow[]> =>
      look(async (sql) => {
        const { rows, lastVersion } = await callRows(sql, runId, wanted)
        return decodeCalls(runId, wholeRows(rows, await filesOf(sql, runId, bodiesOf(rows))), lastVersion)
      }),

    entries: (runId: string, after: number, limit: number): Promise<readonly EmittingEntry[]> =>
      look(async (sql) => {
        const found = await sql(selectEntries, runId, Math.min(after, maxSeq), limit)
        if (found.length === 0) await statusOf(sql, runId)
        const rows = found.map((row) => logRowOf(runId, row))
        return decodeEmitting(runId, wholeRows(rows, await filesOf(sql, runId, bodiesOf(rows))))
      }),

    checkpoints: (runId: string): Promise<readonly CheckpointInfo[]> =>
      look(async (sql) => {
        const rows = await sql(selectCheckpoints, runId)
        if (rows.length === 0) await statusOf(sql, runId)
        return rows.map((row) => decodeCheckpointInfo(runId, logRowOf(runId, row)))
      }),

    checkpoint: (runId: string, version: number): Promise<StoredRun> =>
      read(async (sql) => {
        const row = await rowOf(sql, selectRun, runId)
        const place = placeOf(runId, row)
        const isVersion = Number.isSafeInteger(version) && Math.abs(version) < 2 ** 31
        const [at] = isVersion ? await sql(selectCheckpoint, ...ownOf(place), version) : []
        if (at === undefined) {
          const known = await sql(selectCheckpoints, runId)
          throw checkpointUnknown(
            runId,
            version,
            known.map((one) => number(runId, one, 'version')),
          )
        }
        const checkpoint = logRowOf(runId, at)
        const found = await logRows(sql, { runId, place, to: checkpoint.seq - 1, isNamed: true })
        const { run, log } = await wholeOf(sql, fullRunRow(runId, row), found, { place })
        return decodeCheckpointRun(recordIn(row), run, log.own, checkpoint, log.inherited)
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

function lastCheckpoint(runId: string, row: SqlRow): LogRow | undefined {
  const seq = optionalNumber(runId, row, 'checkpoint_seq')
  if (seq === null) return undefined
  return {
    seq,
    version: number(runId, row, 'last_version'),
    kind: 'checkpoint',
    body: text(runId, row, 'last_body'),
    document: optionalText(runId, row, 'last_document'),
    at: optionalNumber(runId, row, 'last_at'),
    turn: null,
    place: null,
  }
}

function ownOf({ transcript, first, last }: RunPlace): readonly [number, number, number] {
  return [transcript, first, Math.min(last, maxSeq)]
}
