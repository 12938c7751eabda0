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

/** Keeps a commit as text, its files apart. */
export function commitApart(): CommitKeeping {
  const files: PlacedFile[] = []
  const keep: KeepJson = (value, what, seq) =>
    seq === undefined ? stringifyJson(value, what) : textApart(value, what, (file) => files.push({ ...file, seq }))
  return { keep, files }
}

/** Keeps an item as text, its files apart. */
export function itemApart(item: unknown, what: string): KeptItem<string> {
  const files: StoredFile[] = []
  return { body: textApart(item, what, (file) => files.push(file)), files }
}

/** A quote within a JSON text is escaped, so that no text of a message matches. */
const named = /"stored":\{"sha256":"([0-9a-f]{64})"/g

/** Returns the hashes of the files that kept rows may refer to. */
export function filesNamedIn(bodies: readonly (KeptJson | null | undefined)[]): readonly string[] {
  const hashes = bodies.flatMap((body) =>
    typeof body === 'string' && body.includes('"stored":{')
      ? [...body.matchAll(named)].map(([, hash = '']) => hash)
      : [],
  )
  return [...new Set(hashes)]
}

/** Returns the bytes of the wanted files: of those that were found, and null of those that are lost. */
export function foundFiles(wanted: readonly string[], found: readonly (readonly [string, string])[]): FileData {
  return new Map<string, string | null>([...wanted.map((hash) => [hash, null] as const), ...found])
}

/** Puts the bytes of files back into a kept row. */
export function wholeBody(body: KeptJson, files: FileData): KeptJson {
  if (filesNamedIn([body]).length === 0) return body
  return { value: withBytes(readKept(body), files) as KeptValue }
}

type KeptValue = Exclude<KeptJson, string>['value']

/** Puts the bytes of files back into rows of a log. */
export function wholeRows(rows: readonly LogRow[], files: FileData): readonly LogRow[] {
  if (files.size === 0) return rows
  return rows.map((row) => {
    const { kind, body, result } = row
    if (!mayNameFiles(kind)) return row
    const kept = result === undefined || result === null ? {} : { result: wholeBody(result, files) }
    return { ...row, body: wholeBody(body, files), ...kept }
  })
}

/** Puts the bytes of files back into rows of an inbox. */
export function wholeItems(rows: readonly InboxTextRow[], files: FileData): readonly InboxTextRow[] {
  return files.size === 0 ? rows : rows.map((row) => ({ ...row, body: wholeBody(row.body, files) }))
}

/** Returns true for a kind of entries of a log that hold messages. */
function mayNameFiles(kind: string): boolean {
  return kind === 'message' || kind === 'call' || kind === 'value'
}

/**
 * The bodies of a log's rows that may name files; without those of messages if `isBare`, whose media the engine asks for
 * when it needs them.
 */
export function bodiesOf(rows: readonly LogRow[], isBare = false): readonly (KeptJson | null | undefined)[] {
  return rows.flatMap(({ kind, body, result }) =>
    !mayNameFiles(kind) || (isBare && kind === 'message') ? [] : [body, result],
  )
}
