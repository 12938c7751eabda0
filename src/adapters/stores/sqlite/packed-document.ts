import { deflateSync, inflateSync } from 'node:zlib'
import { startingText } from './starting-text.ts'

const dictionary = Buffer.from(startingText)

/** Returns a document of a checkpoint as its row keeps it: by zlib, which knows the text that most documents repeat. */
export function packDocument(document: string): Uint8Array {
  return deflateSync(document, { dictionary, level: 1 })
}

/** Returns the document of a row; undefined if the row is damaged, by the checksum of zlib. */
export function unpackDocument(packed: unknown): string | undefined {
  if (!(packed instanceof Uint8Array)) return undefined
  try {
    return inflateSync(packed, { dictionary }).toString()
  } catch {
    return undefined
  }
}
