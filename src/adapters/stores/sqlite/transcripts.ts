import type { NewRun } from '../../../core/ports/store.ts'
import { maxSeq } from '../../../core/stores/rows/encode-commit.ts'
import { runUnknown } from '../../../core/stores/rows/store-errors.ts'
import { number, optionalNumber, type SqlRow, text } from '../../../core/stores/rows/columns.ts'
import {
  type Beginning,
  beginningBehind,
  noneBefore,
  placeColumns,
  placeOf,
  type RunPlace,
} from '../../../core/stores/rows/run-place.ts'
import { forgetGivenFiles } from './files.ts'
import { ownIds } from './log-rows.ts'
import { logSpan, ofRun } from './schema.ts'
import type { Session } from './session.ts'

const selectOriginal = `
  SELECT ${placeColumns}, status, (SELECT max(id) FROM log WHERE ${ofRun}) & ${logSpan - 1} AS own_last
  FROM runs WHERE id = ?`
const selectParent = 'SELECT parent, at_seq FROM transcripts WHERE number = ?'
const closeRun = 'UPDATE runs SET last_seq = ? WHERE number = ? AND last_seq IS NULL'
const insertTranscript = 'INSERT INTO transcripts (number, parent, at_seq) VALUES (?, ?, ?)'

/** Returns the place of a new run's log. Closes the run whose transcript the new run continues. */
export function beginningOf(session: Session, { continues, forkedFrom }: NewRun): Beginning {
  if (continues === undefined) return noneBefore
  const { sql } = session
  const { runId } = continues
  const row = sql(selectOriginal).get(runId)
  if (row === undefined) throw runUnknown(runId)
  const place = placeOf(runId, row)
  const last = optionalNumber(runId, row, 'own_last') ?? place.first - 1
  const { seq, first, callsFrom } = beginningBehind(continues, forkedFrom !== undefined, { ...place, last })
  if (seq === 0) return { transcript: null, first, callsFrom }
  if (text(runId, row, 'status') === 'done' && seq === last && isFree(session, place.transcript, seq)) {
    sql(closeRun).run(seq, place.number)
    return { transcript: place.transcript, first, callsFrom }
  }
  return { transcript: null, first, callsFrom, behind: { transcript: holderOf(session, runId, place, seq), seq } }
}

/** Stores the entry from which a new run continues a transcript. */
export function keepReference({ sql }: Session, own: number | bigint, { behind }: Beginning): void {
  if (behind !== undefined) sql(insertTranscript).run(own, behind.transcript, behind.seq)
}

const selectBehind = `
  SELECT EXISTS (SELECT 1 FROM log WHERE id BETWEEN ? AND ?)
    OR EXISTS (SELECT 1 FROM runs WHERE transcript = ? AND first_seq > ?)
    OR EXISTS (SELECT 1 FROM transcripts WHERE parent = ? AND at_seq > ?) AS found`

function isFree({ sql }: Session, transcript: number, seq: number): boolean {
  const base = transcript * logSpan
  const row = sql(selectBehind).get(base + seq + 1, base + maxSeq, transcript, seq, transcript, seq)
  return row?.['found'] === 0
}

function holderOf({ sql }: Session, runId: string, { transcript }: RunPlace, seq: number): number {
  for (let holder = transcript; ;) {
    const row = sql(selectParent).get(holder)
    const before =
      row === undefined ? undefined : { holder: number(runId, row, 'parent'), at: number(runId, row, 'at_seq') }
    if (before === undefined || seq > before.at || before.holder >= holder) return holder
    holder = before.holder
  }
}

const deleteRows = 'DELETE FROM log WHERE id BETWEEN ? AND ?'
const deleteFiles = 'DELETE FROM files WHERE place BETWEEN ? AND ?'
const deleteOthers = "DELETE FROM log WHERE id BETWEEN ? AND ? AND kind IN ('checkpoint', 'mark')"
const deleteDocuments = 'UPDATE log SET document = NULL WHERE id BETWEEN ? AND ? AND document IS NOT NULL'
const selectAny = 'SELECT 1 FROM log WHERE id BETWEEN ? AND ? LIMIT 1'

/** Removes the log rows of a deleted run, except the rows that other runs read. Returns these other runs. */
export function forgetRows(session: Session, runId: string, place: RunPlace): readonly string[] {
  const { sql } = session
  sweep(session, place.transcript)
  const ids = ownIds(place)
  forgetGivenFiles(session, runId, place.number)
  sql(deleteOthers).run(...ids)
  sql(deleteDocuments).run(...ids)
  return sql(selectAny).get(...ids) === undefined ? [] : readersOf(session, place)
}

const selectReadTo = 'SELECT max(at_seq) AS read_to FROM transcripts WHERE parent = ?'
const selectJoinedLast = `
  SELECT first_seq, last_seq FROM runs WHERE transcript = ? ORDER BY first_seq DESC, number DESC LIMIT 1`
const selectFirst = 'SELECT first_seq, last_seq FROM runs WHERE number = ? AND transcript IS NULL'
const deleteTranscript = 'DELETE FROM transcripts WHERE number = ?'

/**
 * Removes unread rows at the end of a transcript, and if nothing is left, also those of the transcript that it
 * continues.
 */
function sweep({ sql }: Session, from: number): void {
  for (let transcript: number | undefined = from; transcript !== undefined;) {
    const readTo: number | null = optionalNumber('', sql(selectReadTo).get(transcript) ?? {}, 'read_to')
    const writer = sql(selectJoinedLast).get(transcript) ?? sql(selectFirst).get(transcript)
    const base = transcript * logSpan
    const gone = [base + Math.max(readTo ?? 0, endOf(writer)) + 1, base + maxSeq] as const
    sql(deleteRows).run(...gone)
    sql(deleteFiles).run(...gone)
    if (readTo !== null || writer !== undefined) return
    const row: SqlRow | undefined = sql(selectParent).get(transcript)
    sql(deleteTranscript).run(transcript)
    transcript = row === undefined ? undefined : number('', row, 'parent')
  }
}

function endOf(writer: SqlRow | undefined): number {
  return writer === undefined ? 0 : (optionalNumber('', writer, 'last_seq') ?? maxSeq)
}

const mostReaders = 100
const selectLater = `SELECT id FROM runs WHERE transcript = ? AND first_seq > ? ORDER BY first_seq LIMIT ${mostReaders}`
const selectBranches = `
  WITH RECURSIVE branches (number) AS (
    SELECT number FROM transcripts WHERE parent = ? AND at_seq >= ?
    UNION
    SELECT transcripts.number FROM branches CROSS JOIN transcripts ON transcripts.parent = branches.number
  )
  SELECT id FROM branches CROSS JOIN runs ON runs.number = branches.number AND runs.transcript IS NULL
  UNION ALL
  SELECT id FROM branches CROSS JOIN runs ON runs.transcript = branches.number
  LIMIT ?`

function readersOf({ sql }: Session, { transcript, first }: RunPlace): readonly string[] {
  const later = sql(selectLater).all(transcript, first)
  const branches = sql(selectBranches).all(transcript, first, mostReaders - later.length)
  return [...later, ...branches].map((row) => text('', row, 'id'))
}

/** The transcript that began the one of a run: each continues one with a lower number. */
const firstOf = (run: string) => `(
  WITH RECURSIVE line (number) AS (
    SELECT coalesce(${run}.transcript, ${run}.number) UNION SELECT parent FROM line JOIN transcripts USING (number)
  )
  SELECT min(number) FROM line)`
const selectSuccessor = `
  SELECT other.id FROM runs AS gone CROSS JOIN runs AS other ON other.session = gone.session AND other.id <> gone.id
  WHERE gone.id = ? AND gone.continued_run IS NOT NULL AND ${firstOf('other')} = ${firstOf('gone')}
  ORDER BY other.created_at DESC, other.number DESC LIMIT 1`

/**
 * Returns the newest other run of a run's session that began with the same transcript, or undefined if the run
 * continued none.
 */
export function successorOf({ sql }: Session, runId: string): string | undefined {
  const row = sql(selectSuccessor).get(runId)
  return row && text(runId, row, 'id')
}
