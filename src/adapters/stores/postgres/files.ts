import type { StoredFile } from '../../../core/domain/stored-media.ts'
import { text } from '../../../core/stores/rows/columns.ts'
import type { EncodedCommit, PlacedFile } from '../../../core/stores/rows/encode-commit.ts'
import { type FileData, filesNamedIn } from '../../../core/stores/rows/files.ts'
import type { KeptJson } from '../../../core/stores/rows/json-text.ts'
import type { RunPlace } from '../../../core/stores/rows/run-place.ts'
import { arraysOf, placeOfRun, spansOf } from './log-rows.ts'
import type { Sql } from './session.ts'

const inSpans = `
  FROM unnest($1::bigint[], $2::int[], $3::int[]) AS span (transcript, from_seq, to_seq) JOIN @.files
    ON files.transcript = span.transcript AND files.seq BETWEEN span.from_seq AND span.to_seq
  WHERE files.sha256 = ANY ($4::text[])`
const selectFiles = `SELECT sha256, data ${inSpans}`
const selectHashes = `SELECT sha256 ${inSpans}`
const insertFile = `
  INSERT INTO @.files (transcript, seq, sha256, data) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`

/** The conditions of files that were given to a run and that no row of it names any more; what a statement changes is not seen. */
export const isUnnamed = (number: string, transcript: string, first: string) => `
  files.transcript = ${transcript} AND files.seq = ${first}
    AND NOT EXISTS (SELECT FROM @.inbox WHERE run = ${number} AND strpos(body, sha256) > 0)
    AND NOT EXISTS (SELECT FROM @.log WHERE log.transcript = files.transcript AND log.seq >= files.seq AND strpos(body, sha256) > 0)`
const forgetUnnamed = `
  DELETE FROM @.files WHERE ${isUnnamed('$1', '$2', '$3')}
    AND NOT EXISTS (SELECT FROM @.inputs WHERE number = $1 AND strpos(body, sha256) > 0)`

/** Reads the files that texts of a run refer to, among those of the entries that the run reads. */
export async function filesOf(
  sql: Sql,
  runId: string,
  bodies: readonly (KeptJson | null | undefined)[],
  known?: RunPlace,
): Promise<FileData> {
  const hashes = filesNamedIn(bodies)
  if (hashes.length === 0) return new Map()
  const spans = await spansOf(sql, runId, known ?? (await placeOfRun(sql, runId)))
  const rows = await sql(selectFiles, ...arraysOf(spans), hashes)
  return new Map(rows.map((row) => [text(runId, row, 'sha256'), text(runId, row, 'data')]))
}

/** Stores files that a run does not read already; those of its input and inbox at the place of its first entry. */
export async function keepFiles(sql: Sql, runId: string, files: readonly (StoredFile | PlacedFile)[]): Promise<void> {
  if (files.length === 0) return
  const place = await placeOfRun(sql, runId)
  const hashes = files.map(({ sha256 }) => sha256)
  const there = await sql(selectHashes, ...arraysOf(await spansOf(sql, runId, place)), hashes)
  const known = new Set(there.map((row) => text(runId, row, 'sha256')))
  for (const { sha256, data, ...row } of files) {
    if (known.has(sha256)) continue
    known.add(sha256)
    await sql(insertFile, place.transcript, ('seq' in row && row.seq) || place.first, sha256, data)
  }
}

/** Stores the files of a commit, and lets go of those that nothing of the run names any more. */
export async function keepCommittedFiles(sql: Sql, { runId, files, input, emptied }: EncodedCommit): Promise<void> {
  await keepFiles(sql, runId, files)
  if (input !== undefined || emptied.length > 0) await forgetGivenFiles(sql, await placeOfRun(sql, runId))
}

/** Lets go of files that were given to a run, and that none of its rows names any more. */
export async function forgetGivenFiles(sql: Sql, { number, transcript, first }: RunPlace): Promise<void> {
  await sql(forgetUnnamed, number, transcript, first)
}
