import { deflateSync, inflateSync } from 'node:zlib'
import { startingText } from './starting-text.ts'

const dictionary = Buffer.from(startingText)
/** Documents are short: what zlib reserves by default, a quarter of a megabyte each time, costs more than the packing. */
const packing = { dictionary, level: 1, windowBits: 13, memLevel: 5, chunkSize: 1024 }

/** Compresses the document of a checkpoint with zlib, whose dictionary has the text that most documents repeat. */
export function packDocument(document: string): Uint8Array {
  return deflateSync(document, packing)
}

/** Returns the document of a row, or undefined if zlib's checksum shows that the row is damaged. */
export function unpackDocument(packed: unknown): string | undefined {
  if (!(packed instanceof Uint8Array)) return undefined
  try {
    return inflateSync(packed, { dictionary }).toString()
  } catch {
    return undefined
  }
}
