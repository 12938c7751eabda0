import { leftOut, mediaTitle } from '../domain/media.ts'
import { readBlock } from '../domain/read-block.ts'
import type { ShownContent } from '../domain/message.ts'
import type { Reading } from './reading.ts'

interface ForeignMedia {
  /** A media type; `image` for a picture of unknown type. */
  readonly mediaType?: unknown
  /** Base64, a data URL or an address. */
  readonly data?: unknown
  readonly text?: unknown
  readonly name?: unknown
}

/** Returns the blocks of a picture or a file, or a text that names one that cannot be stored. Nothing is fetched. */
export function mediaBlocks({ mediaType, data, text, name }: ForeignMedia, reading: Reading): readonly ShownContent[] {
  if (typeof text === 'string') return [{ type: 'text', text }]
  const label = typeof mediaType === 'string' ? mediaType : ''
  const type = label.startsWith('image') ? 'image' : 'file'
  return keptBlocks({ type, data, mediaType: label.includes('/') ? label : '', name }, reading)
}

/**
 * Returns a block in its stored form. A block that cannot be stored is reported as left out, and replaced by a text
 * that names it.
 */
export function keptBlocks(given: Readonly<Record<string, unknown>>, reading: Reading): readonly ShownContent[] {
  const { block, problem } = readBlock(given)
  if (block !== undefined) return [block]
  reading.leave(String(given['type']), `${mediaTitle(given)}: ${problem}`)
  return [leftOut(given, problem)]
}
