import { deflateSync, inflateSync } from 'node:zlib'
import { startingText } from './starting-text.ts'

const dictionary = Buffer.from(startingText)
/** Documents are short: what zlib reserves by default, a quarter of a megabyte each time, costs more than the packing. */
const packing = { dictionary, level: 1, windowBits: 13, memLevel: 5, chunkSize: 1024 }

/** Returns a document of a checkpoint as its row keeps it: by zlib, which knows the text that most documents repeat. */
export function packDocument(document: string): Uint8Array {
  return deflateSync(document, packing)
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
