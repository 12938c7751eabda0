import { deflateRawSync, inflateRawSync } from 'node:zlib'

/**
 * A change of a database: the statements that created or altered tables, and then the changed rows in SQLite's format.
 */
export interface Change {
  readonly statements: readonly string[]
  readonly rows: Uint8Array
}

/** The maximum number of bytes of one change, so that a small compressed text cannot fill the memory. */
export const mostBytes = 64_000_000
/** The maximum number of bytes of a fold, which is the whole content. */
export const mostFoldBytes = 1_000_000_000

/** Encodes a change as text. */
export function encodeChange({ statements, rows }: Change): string {
  return JSON.stringify({ statements, rows: deflateRawSync(rows, { level: 1 }).toString('base64') })
}

/** Decodes a change from text. Throws for invalid text, and for a change with too many bytes. */
export function decodeChange(text: string, maxOutputLength = mostBytes): Change {
  const { statements, rows } = JSON.parse(text) as { readonly statements: readonly string[]; readonly rows: string }
  return { statements, rows: inflateRawSync(Buffer.from(rows, 'base64'), { maxOutputLength }) }
}
