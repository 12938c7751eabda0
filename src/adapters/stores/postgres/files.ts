import type { FileData, StoredFile } from '../../../core/domain/stored-media.ts'
import { number, text } from '../../../core/stores/rows/columns.ts'
import type { EncodedCommit, PlacedFile } from '../../../core/stores/rows/encode-commit.ts'
import { filesNamedIn, foundFiles } from '../../../core/stores/rows/files.ts'
import type { KeptJson } from '../../../core/stores/rows/json-text.ts'
import type { RunPlace, Span } from '../../../core/stores/rows/run-place.ts'
import { arraysOf, placeOfRun, spansOf } from './log-rows.ts'
import type { Sql } from './session.ts'

const inSpans = `
  FROM unnest($1::bigint[], $2::int[], $3::int[]) AS span (transcript, from_seq, to_seq) JOIN @.files
    ON files.transcript = span.transcript AND files.seq BETWEEN span.from_seq AND span.to_seq
  WHERE files.sha256 = ANY ($4::text[])`
const selectFiles = `SELECT sha256, data ${inSpans}`
const selectPlaces = `SELECT sha256, files.seq ${inSpans}`
const insertFile = `
  INSERT INTO @.files (transcript, seq, sha256, data) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`

const moveFile = `
  UPDATE @.files SET transcript = $1, seq = $2 WHERE transcript = $4 AND seq = 0 AND sha256 = $3`

/** The conditions for files that were given to a run and that its inbox no longer names. */
export const isUnnamed = (run: string) => `
  files.transcript = ${run} AND files.seq = 0
    AND NOT EXISTS (SELECT FROM @.inbox WHERE run = ${run} AND strpos(body, sha256) > 0)`
const forgetUnnamed = `
  DELETE FROM @.files WHERE ${isUnnamed('$1')}
    AND NOT EXISTS (SELECT FROM @.inputs WHERE number = $1 AND strpos(body, sha256) > 0)`

/** Reads the files to which texts of a run refer, among those of the entries that the run reads. */
export async function filesOf(
  sql: Sql,
  runId: string,
  bodies: readonly (KeptJson | null | undefined)[],
  known?: RunPlace,
): Promise<FileData> {
  const hashes = filesNamedIn(bodies)
  if (hashes.length === 0) return new Map()
  const place = known ?? (await placeOfRun(sql, runId))
  const spans = [...(await spansOf(sql, runId, place)), givenSpan(place)]
  const rows = await sql(selectFiles, ...arraysOf(spans), hashes)
  return foundFiles(
    hashes,
    rows.map((row) => [text(runId, row, 'sha256'), text(runId, row, 'data')]),
  )
}

/** Files that the input or the inbox of a run refers to are before every entry: no other run reads that place. */
function givenSpan({ number: transcript }: RunPlace): Span {
  return { transcript, from: 0, to: 0 }
}

/**
 * Stores files that a run does not read yet. Files that were given to the run move to the entry that refers to them.
 */
export async function keepFiles(sql: Sql, runId: string, files: readonly (StoredFile | PlacedFile)[]): Promise<void> {
  if (files.length === 0) return
  const place = await placeOfRun(sql, runId)
  const spans = [...(await spansOf(sql, runId, place)), givenSpan(place)]
  const hashes = files.map(({ sha256 }) => sha256)
  const there = await sql(selectPlaces, ...arraysOf(spans), hashes)
  const known = new Map(there.map((row) => [text(runId, row, 'sha256'), number(runId, row, 'seq')]))
  for (const { sha256, data, ...row } of files) {
    const seq = 'seq' in row ? row.seq : 0
    const before = known.get(sha256)
    if (before !== undefined && (before > 0 || seq === 0)) continue
    known.set(sha256, seq)
    const at = [seq === 0 ? place.number : place.transcript, seq, sha256] as const
    if (before === undefined) await sql(insertFile, ...at, data)
    else await sql(moveFile, ...at, place.number)
  }
}

/** Stores the files of a commit, and removes those that the run no longer refers to. */
export async function keepCommittedFiles(sql: Sql, { runId, files, input, emptied }: EncodedCommit): Promise<void> {
  await keepFiles(sql, runId, files)
  if (input !== undefined || emptied.length > 0) await forgetGivenFiles(sql, await placeOfRun(sql, runId))
}

/** Removes files that were given to a run and that neither its input nor its inbox names any more. */
export async function forgetGivenFiles(sql: Sql, place: RunPlace): Promise<void> {
  await sql(forgetUnnamed, place.number)
}
