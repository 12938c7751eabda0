import type { FileData, StoredFile } from '../../../core/domain/stored-media.ts'
import { number, type SqlRow, text } from '../../../core/stores/rows/columns.ts'
import type { PlacedFile } from '../../../core/stores/rows/encode-commit.ts'
import { filesNamedIn, foundFiles } from '../../../core/stores/rows/files.ts'
import type { KeptJson } from '../../../core/stores/rows/json-text.ts'
import type { RunPlace } from '../../../core/stores/rows/run-place.ts'
import { type IdRange, idsOf, placeOfRun, spansOf } from './log-rows.ts'
import { logSpan } from './schema.ts'
import type { Session } from './session.ts'

/** Characters of base64 in one row, which a Durable Object takes. */
const partLength = 1_500_000

const inSpans = `
  FROM json_each(?) AS span CROSS JOIN files
  ON files.place BETWEEN json_extract(span.value, '$[0]') AND json_extract(span.value, '$[1]')`
const selectFiles = `SELECT place, sha256, parts, data ${inSpans} AND sha256 IN (SELECT value FROM json_each(?)) ORDER BY place, part`
const selectFile = `SELECT 1 AS found ${inSpans} AND sha256 = ? LIMIT 1`
const moveFile = 'UPDATE files SET place = ? WHERE place = ? AND sha256 = ?'
const insertFile = 'INSERT OR IGNORE INTO files (place, sha256, part, parts, data) VALUES (?, ?, ?, ?, ?)'
const forgetUnnamed = `
  DELETE FROM files WHERE place = ?1
    AND NOT EXISTS (SELECT 1 FROM inputs WHERE number = ?2 AND instr(body, sha256))
    AND NOT EXISTS (SELECT 1 FROM inbox WHERE run_id = ?3 AND instr(body, sha256))`

/** Reads the files to which texts of a run refer, among those of the entries that the run reads. */
export function filesOf(
  session: Session,
  runId: string,
  bodies: readonly (KeptJson | null | undefined)[],
  known?: RunPlace,
): FileData {
  const hashes = filesNamedIn(bodies)
  if (hashes.length === 0) return new Map()
  const place = known ?? placeOfRun(session, runId)
  const spans = [...spansOf(session, runId, place).map(idsOf), givenSpan(place)]
  const rows = session.sql(selectFiles).all(JSON.stringify(spans), JSON.stringify(hashes))
  const copies = Map.groupBy(rows, (row) => `${number(runId, row, 'place')} ${text(runId, row, 'sha256')}`)
  return foundFiles(
    hashes,
    [...copies.values()].flatMap((parts) => wholeFile(runId, parts)),
  )
}

/** Returns the hash and the bytes of a file whose rows are all there. */
function wholeFile(runId: string, parts: readonly SqlRow[]): readonly (readonly [string, string])[] {
  const [first] = parts
  if (first === undefined || number(runId, first, 'parts') !== parts.length) return []
  return [[text(runId, first, 'sha256'), parts.map((row) => text(runId, row, 'data')).join('')]]
}

/** Files that the input or the inbox of a run refers to are before every entry: no other run reads that place. */
function givenSpan({ number: run }: Pick<RunPlace, 'number'>): IdRange {
  return [run * logSpan, run * logSpan]
}

/**
 * Stores files that a run does not read yet. Files that were given to the run move to the entry that refers to them.
 */
export function keepFiles(session: Session, runId: string, files: readonly (StoredFile | PlacedFile)[]): void {
  if (files.length === 0) return
  const place = placeOfRun(session, runId)
  const [given] = givenSpan(place)
  const spans = spansOf(session, runId, place).map(idsOf)
  for (const { sha256, data, ...row } of files) {
    const seq = 'seq' in row ? row.seq : 0
    const at = seq === 0 ? given : place.transcript * logSpan + seq
    const read = JSON.stringify(seq === 0 ? [...spans, givenSpan(place)] : spans)
    if (session.sql(selectFile).get(read, sha256) !== undefined) continue
    if (seq > 0 && session.sql(moveFile).run(at, given, sha256).changes > 0) continue
    const parts = Math.ceil(data.length / partLength)
    for (let part = 0; part < parts; part++)
      session.sql(insertFile).run(at, sha256, part, parts, data.slice(part * partLength, (part + 1) * partLength))
  }
}

/** Removes files that were given to a run and that neither its input nor its inbox names any more. */
export function forgetGivenFiles({ sql }: Session, runId: string, run: number): void {
  sql(forgetUnnamed).run(run * logSpan, run, runId)
}
