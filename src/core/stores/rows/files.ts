import { type FileData, type StoredFile, withBytes, withoutBytes } from '../../domain/stored-media.ts'
import type { CommitKeeping, PlacedFile } from './encode-commit.ts'
import { type KeepJson, type KeptJson, readKept, stringifyJson } from './json-text.ts'
import type { InboxTextRow, KeptItem, LogRow } from './stored-rows.ts'

/** Shorter texts hold no file. */
const leastText = 100_000

/** JSON text of a row, with the bytes of its large media handed to `found`; throws as `stringifyJson` does. */
function textApart(row: unknown, what: string, found: (file: StoredFile) => void): string {
  const text = stringifyJson(row, what)
  if (text.length < leastText) return text
  const apart = withoutBytes(row, found)
  return apart === row ? text : stringifyJson(apart, what)
}

/** Encodes a commit as text, with its files separate. */
export function commitApart(): CommitKeeping {
  const files: PlacedFile[] = []
  const keep: KeepJson = (value, what, seq) =>
    seq === undefined ? stringifyJson(value, what) : textApart(value, what, (file) => files.push({ ...file, seq }))
  return { keep, files }
}

/** Encodes an item as text, with its files separate. */
export function itemApart(item: unknown, what: string): KeptItem<string> {
  const files: StoredFile[] = []
  return { body: textApart(item, what, (file) => files.push(file)), files }
}

/** A quote within a JSON text is escaped, so that no text of a message matches. */
const named = /"stored":\{"sha256":"([0-9a-f]{64})"/g

/** Returns the hashes of the files to which stored rows may refer. */
export function filesNamedIn(bodies: readonly (KeptJson | null | undefined)[]): readonly string[] {
  const hashes = bodies.flatMap((body) =>
    typeof body === 'string' && body.includes('"stored":{')
      ? [...body.matchAll(named)].map(([, hash = '']) => hash)
      : [],
  )
  return [...new Set(hashes)]
}

/** Returns the bytes of the wanted files; null for those that are lost. */
export function foundFiles(wanted: readonly string[], found: readonly (readonly [string, string])[]): FileData {
  return new Map<string, string | null>([...wanted.map((hash) => [hash, null] as const), ...found])
}

/** Restores the bytes of files in a stored row. */
export function wholeBody(body: KeptJson, files: FileData): KeptJson {
  if (filesNamedIn([body]).length === 0) return body
  return { value: withBytes(readKept(body), files) as KeptValue }
}

type KeptValue = Exclude<KeptJson, string>['value']

/** Restores the bytes of files in rows of a log. */
export function wholeRows(rows: readonly LogRow[], files: FileData): readonly LogRow[] {
  if (files.size === 0) return rows
  return rows.map((row) => {
    const { kind, body, result } = row
    if (!mayNameFiles(kind)) return row
    const kept = result === undefined || result === null ? {} : { result: wholeBody(result, files) }
    return { ...row, body: wholeBody(body, files), ...kept }
  })
}

/** Restores the bytes of files in rows of an inbox. */
export function wholeItems(rows: readonly InboxTextRow[], files: FileData): readonly InboxTextRow[] {
  return files.size === 0 ? rows : rows.map((row) => ({ ...row, body: wholeBody(row.body, files) }))
}

/** Returns true for a kind of entries of a log that hold messages. */
function mayNameFiles(kind: string): boolean {
  return kind === 'message' || kind === 'call' || kind === 'value'
}

/**
 * Returns the bodies of log rows that may name files. With `isBare`, omits messages, because the engine reads their
 * media only when it needs them.
 */
export function bodiesOf(rows: readonly LogRow[], isBare = false): readonly (KeptJson | null | undefined)[] {
  return rows.flatMap(({ kind, body, result }) =>
    !mayNameFiles(kind) || (isBare && kind === 'message') ? [] : [body, result],
  )
}
