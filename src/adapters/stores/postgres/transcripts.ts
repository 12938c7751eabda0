import type { NewRun } from '../../../core/ports/store.ts'
import { number, optionalNumber, type SqlRow, text } from '../../../core/stores/rows/columns.ts'
import { maxSeq } from '../../../core/stores/rows/encode-commit.ts'
import {
  type Beginning,
  beginningBehind,
  noneBefore,
  placeColumns,
  placeOf,
  type RunPlace,
} from '../../../core/stores/rows/run-place.ts'
import { runExists, runUnknown } from '../../../core/stores/rows/store-errors.ts'
import { forgetGivenFiles } from './files.ts'
import type { Sql } from './session.ts'

/** Continuing runs are stored in parallel, and no run is deleted meanwhile, because its rows are being read. */
const shareLock = `
  SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 0)), EXISTS (SELECT FROM @.runs WHERE id = $2) AS exists`
const takeLock = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))'
const selectOriginal = `SELECT ${placeColumns}, status, written_seq FROM @.runs WHERE id = $1 FOR UPDATE`
const selectParent = 'SELECT parent, at_seq FROM @.transcripts WHERE number = $1'
const closeRun = 'UPDATE @.runs SET last_seq = $1 WHERE number = $2 AND last_seq IS NULL'

/** Returns the place of a new run's log. Closes the run whose transcript the new run continues. */
export async function beginningOf(sql: Sql, { id, continues, forkedFrom }: NewRun, lock: string): Promise<Beginning> {
  if (continues === undefined) return noneBefore
  const [other] = await sql(shareLock, lock, id)
  if (other?.['exists'] === true) throw runExists(id)
  const { runId } = continues
  const [row] = await sql(selectOriginal, runId)
  if (row === undefined) throw runUnknown(runId)
  const place = placeOf(runId, row)
  const last = number(runId, row, 'written_seq')
  const { seq, first, callsFrom } = beginningBehind(continues, forkedFrom !== undefined, { ...place, last })
  if (seq === 0) return { transcript: null, first, callsFrom }
  if (text(runId, row, 'status') === 'done' && seq === last && (await isFree(sql, place.transcript, seq))) {
    await sql(closeRun, seq, place.number)
    return { transcript: place.transcript, first, callsFrom }
  }
  return { transcript: null, first, callsFrom, behind: { transcript: await holderOf(sql, runId, place, seq), seq } }
}

const selectBehind = `
  SELECT EXISTS (SELECT FROM @.log WHERE transcript = $1 AND seq > $2)
    OR EXISTS (SELECT FROM @.runs WHERE transcript = $1 AND first_seq > $2)
    OR EXISTS (SELECT FROM @.transcripts WHERE parent = $1 AND at_seq > $2) AS found`

async function isFree(sql: Sql, transcript: number, seq: number): Promise<boolean> {
  const [row] = await sql(selectBehind, transcript, seq)
  return row?.['found'] === false
}

async function holderOf(sql: Sql, runId: string, { transcript }: RunPlace, seq: number): Promise<number> {
  for (let holder = transcript; ;) {
    const [row]: readonly SqlRow[] = await sql(selectParent, holder)
    const before =
      row === undefined ? undefined : { holder: number(runId, row, 'parent'), at: number(runId, row, 'at_seq') }
    if (before === undefined || seq > before.at || before.holder >= holder) return holder
    holder = before.holder
  }
}

/** Prevents continuing runs from being stored until the transaction ends. */
export async function lockTranscripts(sql: Sql, lock: string): Promise<void> {
  await sql(takeLock, lock)
}

const deleteBehind = `
  WITH file AS (DELETE FROM @.files WHERE transcript = $1 AND seq > $2) DELETE FROM @.log WHERE transcript = $1 AND seq > $2`
const ofRun = 'transcript = $1 AND seq BETWEEN $2 AND $3'
const isOther = "kind IN ('checkpoint', 'mark')"
const forgetOwn = `
  WITH others AS (DELETE FROM @.log WHERE ${ofRun} AND ${isOther}),
    documents AS (UPDATE @.log SET document = NULL WHERE ${ofRun} AND NOT ${isOther} AND document IS NOT NULL)
  SELECT 1 AS found FROM @.log WHERE ${ofRun} AND NOT ${isOther} LIMIT 1`

/** Removes the log rows of a run that is already deleted, except those that other runs read. Returns these runs. */
export async function forgetRows(sql: Sql, place: RunPlace): Promise<readonly string[]> {
  await sweep(sql, place.transcript)
  await forgetGivenFiles(sql, place)
  const own = [place.transcript, place.first, place.last] as const
  const left = await sql(forgetOwn, ...own)
  return left.length === 0 ? [] : readersOf(sql, place)
}

const selectEnds = `
  SELECT (SELECT max(at_seq) FROM @.transcripts WHERE parent = $1) AS read_to,
    (SELECT parent FROM @.transcripts WHERE number = $1) AS parent, writer.number AS writer, writer.last_seq
  FROM (SELECT 1) AS one LEFT JOIN LATERAL (
    (SELECT number, last_seq, 1 AS place FROM @.runs WHERE transcript = $1
      ORDER BY first_seq DESC, number DESC LIMIT 1)
    UNION ALL SELECT number, last_seq, 2 FROM @.runs WHERE number = $1 AND transcript IS NULL
    ORDER BY place LIMIT 1) AS writer ON true`
const deleteTranscript = 'DELETE FROM @.transcripts WHERE number = $1'

/**
 * Removes unread rows at the end of a transcript, and if nothing is left, also those of the transcript that it
 * continues.
 */
async function sweep(sql: Sql, from: number): Promise<void> {
  for (let transcript: number | null = from; transcript !== null;) {
    const [row = {}]: readonly SqlRow[] = await sql(selectEnds, transcript)
    const readTo = optionalNumber('', row, 'read_to')
    const isWritten = row['writer'] !== null
    const end = isWritten ? (optionalNumber('', row, 'last_seq') ?? maxSeq) : 0
    await sql(deleteBehind, transcript, Math.max(readTo ?? 0, end))
    if (readTo !== null || isWritten) return
    await sql(deleteTranscript, transcript)
    transcript = optionalNumber('', row, 'parent')
  }
}

const mostReaders = 100
/** The offsets keep the server from reading all transcripts and runs at once. */
const selectReaders = `
  WITH RECURSIVE branches (number) AS (
    SELECT number FROM @.transcripts WHERE parent = $1 AND at_seq >= $2
    UNION
    SELECT found.number FROM branches
    CROSS JOIN LATERAL (SELECT number FROM @.transcripts WHERE parent = branches.number OFFSET 0) AS found
  )
  SELECT id FROM (
    SELECT id, 0 AS nearness, first_seq, number FROM @.runs WHERE transcript = $1 AND first_seq > $2
    UNION ALL
    SELECT id, 1, first_seq, found.number FROM branches CROSS JOIN LATERAL (
      SELECT id, first_seq, number FROM @.runs WHERE transcript = branches.number
      UNION ALL SELECT id, first_seq, number FROM @.runs WHERE number = branches.number AND transcript IS NULL
      OFFSET 0) AS found
  ) AS readers ORDER BY nearness, first_seq, number LIMIT ${mostReaders}`

async function readersOf(sql: Sql, { transcript, first }: RunPlace): Promise<readonly string[]> {
  const rows = await sql(selectReaders, transcript, first)
  return rows.map((row) => text('', row, 'id'))
}

/** The transcript that began the one of a run: each continues one with a lower number. */
const firstOf = (run: string) => `(
  WITH RECURSIVE line (number) AS (
    SELECT coalesce(${run}.transcript, ${run}.number) UNION SELECT parent FROM line JOIN @.transcripts USING (number)
  )
  SELECT min(number) FROM line)`
/** The session is a value, not a join: then the server reads its runs from the newest on, and stops at the first that is one. */
const selectSuccessor = `
  SELECT other.id FROM @.runs AS other
  WHERE other.session = (SELECT session FROM @.runs WHERE id = $1 AND continued_run IS NOT NULL) AND other.id <> $1
    AND ${firstOf('other')} = (SELECT ${firstOf('gone')} FROM @.runs AS gone WHERE gone.id = $1)
  ORDER BY other.created_at DESC, other.number DESC LIMIT 1`

/**
 * Returns the newest other run of a run's session that began with the same transcript, or undefined if the run
 * continued none.
 */
export async function successorOf(sql: Sql, runId: string): Promise<string | undefined> {
  const [row] = await sql(selectSuccessor, runId)
  return row && text(runId, row, 'id')
}
