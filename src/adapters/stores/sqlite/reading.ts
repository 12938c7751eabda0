import type { Json } from '../../../core/domain/text/json.ts'
import type { EmittingEntry } from '../../../core/domain/log.ts'
import type { RunRecord } from '../../../core/domain/run-record.ts'
import type { CallRow, CheckpointInfo, StoredRun } from '../../../core/ports/store.ts'
import {
  decodeCalls,
  decodeCheckpointInfo,
  decodeCheckpointRun,
  decodeEmitting,
  decodeRun,
} from '../../../core/stores/rows/decode-log.ts'
import { decodeInput, decodeRecord } from '../../../core/stores/rows/decode-rows.ts'
import { maxSeq, pageBytes } from '../../../core/stores/rows/encode-commit.ts'
import { bodiesOf, wholeBody, wholeRows } from '../../../core/stores/rows/files.ts'
import { filesOf } from './files.ts'
import {
  bareColumns,
  logRows,
  ofIds,
  ofRanges,
  placeOfRun,
  rowsOf,
  type IdRange,
  idsOf,
  ownIds,
  spansOf,
} from './log-rows.ts'
import { placeColumns, placeOf, type RunPlace } from '../../../core/stores/rows/run-place.ts'
import { logSpan, seqColumn, transcriptOfRun } from './schema.ts'
import { fullRunRow, logRowOf, number, runRow, type SqlRow, text } from '../../../core/stores/rows/columns.ts'
import type { Session } from './session.ts'
import { checkpointUnknown, runDamaged, runUnknown } from '../../../core/stores/rows/store-errors.ts'
import type { FullRunRow, LogRow, ReadRows } from '../../../core/stores/rows/stored-rows.ts'

const selectRun = `
  SELECT id, agent, agent_version, status, reason, code, error, created_at, updated_at, version, forked_run, forked_version, fence, owner,
    host, pid, pid_start, lease_expires, document, continued_run, session, subject, labels, prompt, ${placeColumns}
  FROM runs WHERE id = ?`
const selectInput = 'SELECT body AS input FROM inputs WHERE number = ?'
const selectInputOf = 'SELECT body AS input FROM runs LEFT JOIN inputs USING (number) WHERE id = ?'
/** Distinguishes a run without rows of another kind from an unknown run. */
export const selectStatus = 'SELECT status FROM runs WHERE id = ?'
const callColumns = `
  ${bareColumns}, log.document, (SELECT held.body FROM log AS held
    WHERE held.id = log.id - (log.id & ${logSpan - 1}) + log.place) AS result`
const selectCalls = `SELECT ${callColumns} ${ofRanges} AND kind = 'call'`
const callsThat = (holds: string) => `
  SELECT ${callColumns} ${ofRanges} AND kind = 'call' AND (${holds})`
const selectCallsOfOne = callsThat('instr(body, ?)')
/** Takes any number of texts, and longer to prepare. */
const selectCallsOfSome = callsThat('EXISTS (SELECT 1 FROM json_each(?) WHERE instr(body, value))')
const checkpoints = `${ofIds} AND kind = 'checkpoint'`
const selectCheckpoint = `SELECT ${bareColumns}, log.document ${checkpoints} AND log.version = ?`
const lastCheckpoint = `${checkpoints} ORDER BY id DESC LIMIT 1`
const selectLastCheckpoint = `SELECT ${bareColumns}, log.document ${lastCheckpoint}`
const selectLastVersion = `SELECT ${bareColumns}, NULL AS document ${lastCheckpoint}`
const selectCheckpoints = `SELECT ${bareColumns}, NULL AS document ${checkpoints} ORDER BY id`
/** The bodies of a page are read once their lengths are summed up. */
const selectEntries = `
  WITH page AS (
    SELECT log.id, sum(octet_length(body)) OVER (ORDER BY log.id) - octet_length(body) AS before
    FROM runs CROSS JOIN log
    ON log.id BETWEEN ${transcriptOfRun} * ${logSpan} + max(runs.first_seq, ?1 + 1)
      AND ${transcriptOfRun} * ${logSpan} + min(coalesce(runs.last_seq, ${maxSeq}), max(runs.first_seq - 1, ?1) + ?3)
    WHERE runs.id = ?2
  )
  SELECT ${seqColumn}, log.version, kind, CASE WHEN kind IN ('call', 'checkpoint') THEN '' ELSE body END AS body,
    NULL AS document, log.at, turn, place
  FROM page CROSS JOIN log USING (id) WHERE before < ${pageBytes} ORDER BY log.id`
/** Selects due timers. The plus sign keeps SQLite from reading all timers in the order of their runs. */
export const selectDue = 'SELECT run_id FROM timers WHERE due <= ? GROUP BY +run_id ORDER BY min(due)'

/** The rows of a run at one moment. */
export interface FetchedRun {
  readonly row: SqlRow
  /** The log rows the run wrote. */
  readonly own: readonly LogRow[]
  /** Decodes the rows; throws `run_damaged` if that is impossible. */
  readonly decode: () => StoredRun
}

/**
 * Reads the calls of a run: all calls, those that have one of the wanted texts as an id, or the suspended ones if the
 * list is empty.
 */
export function callRows(session: Session, runId: string, wanted?: readonly string[]): readonly LogRow[] {
  const place = placeOfRun(session, runId)
  const ranges = JSON.stringify(callRanges(session, runId, place))
  const parts = wanted && (wanted.length === 0 ? [suspended] : wanted.map((id) => JSON.stringify(id)))
  const rows =
    parts === undefined
      ? rowsOf(session, runId, selectCalls, [ranges])
      : parts.length > 1
        ? rowsOf(session, runId, selectCallsOfSome, [ranges, JSON.stringify(parts)])
        : rowsOf(session, runId, selectCallsOfOne, [ranges, ...parts])
  // The snapshot of an actor is one of the run that wrote it.
  return rows.map((row) => (row.seq < place.first ? { ...row, document: null } : row))
}

function callRanges(session: Session, runId: string, place: RunPlace): readonly IdRange[] {
  if (place.callsFrom === place.first) return [ownIds(place)]
  return spansOf(session, runId, place)
    .filter(({ to }) => to >= place.callsFrom)
    .map((span) => idsOf({ ...span, from: Math.max(span.from, place.callsFrom) }))
}

const suspended = '"status":"suspended"'

/** Returns the part of the store that reads. */
export function createReading(session: Session) {
  const { sql, look, read } = session
  const rows = (runId: string, statement: string, parameters: readonly number[]) =>
    rowsOf(session, runId, statement, parameters)

  function rowOf(runId: string): SqlRow {
    const row = sql(selectRun).get(runId)
    if (row === undefined) throw runUnknown(runId)
    return row
  }

  /** A commit with a checkpoint changes the row of its run only if the status changes; the checkpoint has the rest. */
  function recordOf(runId: string, row = rowOf(runId), last = lastVersion(runId, row)): RunRecord {
    return decodeRecord(runRow(runId, row), { version: last?.version ?? 0, at: last?.at ?? null })
  }

  function inputOf(row: SqlRow): SqlRow {
    return sql(selectInput).get(number('', row, 'number')) ?? {}
  }

  /** Reads the rows now, and decodes them after the transaction, because a long document takes a while to unpack. */
  function fetch(runId: string, isBare = false): FetchedRun {
    const row = rowOf(runId)
    const place = placeOf(runId, row)
    const run = fullRunRow(runId, { ...row, ...inputOf(row) })
    const last = sql(selectLastCheckpoint).get(...ownIds(place))
    const log = logRows(session, runId, place)
    const whole = wholeOf(runId, run, log, { place, isBare })
    const decode = () => {
      const checkpoint = last && checkpointRow(session, runId, last)
      const record = recordOf(runId, row, checkpoint)
      const { own, inherited } = whole.log
      const rest = own.map((entry) => (entry.seq === checkpoint?.seq ? checkpoint : entry))
      return decodeRun(record, whole.run, rest, inherited)
    }
    return { row, own: log.own, decode }
  }

  /** Puts the bytes of files back: into everything, or if `isBare` into everything but messages. */
  function wholeOf(runId: string, run: FullRunRow, log: ReadRows, { place, isBare = false }: WantedFiles) {
    const bodies = [run.input, ...bodiesOf(log.inherited.rows, isBare), ...bodiesOf(log.own, isBare)]
    const files = filesOf(session, runId, bodies, place)
    const inherited = { ...log.inherited, rows: wholeRows(log.inherited.rows, files) }
    return { run: { ...run, input: wholeBody(run.input, files) }, log: { own: wholeRows(log.own, files), inherited } }
  }

  function lastVersion(runId: string, run: SqlRow): LogRow | undefined {
    return rows(runId, selectLastVersion, ownIds(placeOf(runId, run)))[0]
  }

  return {
    record: (runId: string): RunRecord => read(() => recordOf(runId), runId),

    recordOf: (runId: string): RunRecord => recordOf(runId),

    input: (runId: string): Json =>
      look(() => {
        const row = sql(selectInputOf).get(runId)
        if (row === undefined) throw runUnknown(runId)
        const input = text(runId, row, 'input')
        return decodeInput({ id: runId, input: wholeBody(input, filesOf(session, runId, [input])) })
      }, runId),

    fetch,

    read: (runId: string, isBare?: boolean): StoredRun => read(() => fetch(runId, isBare), runId).decode(),

    calls: (runId: string, wanted?: readonly string[]): readonly CallRow[] =>
      read(() => {
        const found = callRows(session, runId, wanted)
        const calls = wholeRows(found, filesOf(session, runId, bodiesOf(found)))
        const hasDocument = calls.some(({ document }) => document !== null)
        const last = hasDocument ? lastVersion(runId, rowOf(runId)) : undefined
        return decodeCalls(runId, calls, last?.version ?? 0)
      }, runId),

    entries: (runId: string, after: number, limit: number): readonly EmittingEntry[] =>
      look(() => {
        const found = sql(selectEntries).all(after, runId, limit)
        if (found.length === 0 && sql(selectStatus).get(runId) === undefined) throw runUnknown(runId)
        const entries = found.map((row) => logRowOf(runId, row))
        return decodeEmitting(runId, wholeRows(entries, filesOf(session, runId, bodiesOf(entries))))
      }, runId),

    checkpoints(runId: string): readonly CheckpointInfo[] {
      return read(() => {
        const run = rowOf(runId)
        recordOf(runId, run)
        return rows(runId, selectCheckpoints, ownIds(placeOf(runId, run))).map((row) =>
          decodeCheckpointInfo(runId, row),
        )
      }, runId)
    },

    checkpoint: (runId: string, version: number): StoredRun =>
      read(() => {
        const stored = rowOf(runId)
        const record = recordOf(runId, stored)
        const row = fullRunRow(runId, { ...stored, ...inputOf(stored) })
        const place = placeOf(runId, stored)
        const at = sql(selectCheckpoint).get(...ownIds(place), version)
        if (at === undefined) {
          const known = rows(runId, selectCheckpoints, ownIds(place)).map((one) => one.version)
          throw checkpointUnknown(runId, version, known)
        }
        const found = logRows(session, runId, place, number(runId, at, 'seq') - 1)
        const { run, log } = wholeOf(runId, row, found, { place })
        return () => decodeCheckpointRun(record, run, log.own, checkpointRow(session, runId, at), log.inherited)
      }, runId)(),

    due: (now: number): readonly string[] =>
      read(() =>
        sql(selectDue)
          .all(now)
          .map((row) => text('', row, 'run_id')),
      ),
  }
}

interface WantedFiles {
  readonly place: RunPlace
  readonly isBare?: boolean
}

function checkpointRow({ unpack }: Session, runId: string, row: SqlRow): LogRow {
  const checkpoint = logRowOf(runId, { ...row, document: null })
  const document = unpack(row['document'])
  if (document === undefined) throw runDamaged(runId, `log row ${checkpoint.seq}`, 'does not give its document back')
  return { ...checkpoint, document }
}
