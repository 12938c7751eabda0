import { deflateRawSync, inflateRawSync } from 'node:zlib'

/** A change of a database: the statements that made or altered tables, and then the changed rows, as SQLite names them. */
export interface Change {
  readonly statements: readonly string[]
  readonly rows: Uint8Array
}

/** The most bytes that one change may have, so that a text of a few bytes does not fill the memory. */
export const mostBytes = 64_000_000
/** The most bytes of a fold, which is the whole content. */
export const mostFoldBytes = 1_000_000_000

/** Returns the text of a change. */
export function encodeChange({ statements, rows }: Change): string {
  return JSON.stringify({ statements, rows: deflateRawSync(rows, { level: 1 }).toString('base64') })
}

/** Returns the change of a text. Throws for any other text, and for a change of more bytes. */
export function decodeChange(text: string, maxOutputLength = mostBytes): Change {
  const { statements, rows } = JSON.parse(text) as { readonly statements: readonly string[]; readonly rows: string }
  return { statements, rows: inflateRawSync(Buffer.from(rows, 'base64'), { maxOutputLength }) }
}
