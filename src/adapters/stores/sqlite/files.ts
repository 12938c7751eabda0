import type { StoredFile } from '../../../core/domain/stored-media.ts'
import { text } from '../../../core/stores/rows/columns.ts'
import { type EncodedCommit, maxSeq } from '../../../core/stores/rows/encode-commit.ts'
import { type FileData, filesNamedIn } from '../../../core/stores/rows/files.ts'
import type { KeptJson } from '../../../core/stores/rows/json-text.ts'
import type { RunPlace } from '../../../core/stores/rows/run-place.ts'
import type { RunHead } from './heads.ts'
import { type IdRange, idsOf, placeOfRun, spansOf } from './log-rows.ts'
import { logSpan } from './schema.ts'
import type { Session } from './session.ts'

const inSpans = `
  FROM json_each(?) AS span CROSS JOIN files
  ON files.place BETWEEN json_extract(span.value, '$[0]') AND json_extract(span.value, '$[1]')`
const selectFiles = `SELECT sha256, data ${inSpans} AND sha256 IN (SELECT value FROM json_each(?))`
const selectFile = `SELECT 1 AS found ${inSpans} AND sha256 = ? LIMIT 1`
const insertFile = 'INSERT OR IGNORE INTO files (place, sha256, data) VALUES (?, ?, ?)'
const forgetUnnamed = `
  DELETE FROM files WHERE place = ?1
    AND NOT EXISTS (SELECT 1 FROM inputs WHERE number = ?2 AND instr(body, sha256))
    AND NOT EXISTS (SELECT 1 FROM inbox WHERE run_id = ?3 AND instr(body, sha256))
    AND NOT EXISTS (SELECT 1 FROM log WHERE id BETWEEN ?1 AND ?4 AND instr(body, sha256))`

/** Reads the files that texts of a run refer to, among those of the entries that the run reads. */
export function filesOf(
  session: Session,
  runId: string,
  bodies: readonly (KeptJson | null | undefined)[],
  known?: RunPlace,
): FileData {
  const hashes = filesNamedIn(bodies)
  if (hashes.length === 0) return new Map()
  const spans = spansOf(session, runId, known ?? placeOfRun(session, runId))
  const rows = session.sql(selectFiles).all(JSON.stringify(spans.map(idsOf)), JSON.stringify(hashes))
  return new Map(rows.map((row) => [text(runId, row, 'sha256'), text(runId, row, 'data')]))
}

/** Stores files that the input or the inbox of a run refers to, at the place of the run's first entry. */
export function keepGivenFiles(session: Session, runId: string, files: readonly StoredFile[]): void {
  if (files.length > 0) keepAt(session, runId, files, ({ transcript, first }) => transcript * logSpan + first)
}

/** Stores the files of a commit that its run does not read already, and lets go of those that nothing of the run names any more. */
export function keepFiles(session: Session, { number, base, first }: FileHead, commit: EncodedCommit): void {
  const { runId, files, input, emptied } = commit
  for (const { seq, ...file } of files) keepAt(session, runId, [file], () => base + (seq || first))
  if (input !== undefined || emptied.length > 0) forgetGivenFiles(session, runId, number, [base + first, base + maxSeq])
}

type FileHead = Pick<RunHead, 'number' | 'base' | 'first'>

function keepAt(session: Session, runId: string, files: readonly StoredFile[], at: (place: RunPlace) => number): void {
  const place = placeOfRun(session, runId)
  const spans = JSON.stringify(spansOf(session, runId, place).map(idsOf))
  for (const { sha256, data } of files)
    if (session.sql(selectFile).get(spans, sha256) === undefined) session.sql(insertFile).run(at(place), sha256, data)
}

/** Lets go of files that were given to a run, and that none of its rows names any more. */
export function forgetGivenFiles({ sql }: Session, runId: string, number: number, [first, last]: IdRange): void {
  sql(forgetUnnamed).run(first, number, runId, last)
}
