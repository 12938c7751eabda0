import { leftOut, mediaBytes } from './media.ts'
import { isRecord, mapChanged } from './text/json.ts'
import { sha256 } from './text/platform.ts'

/** The bytes of a large picture or file, which a store keeps once, beside the rows that refer to them. */
export interface StoredFile {
  /** The SHA-256 of `data`, as hex digits. */
  readonly sha256: string
  /** Base64. */
  readonly data: string
}

/** The minimum number of characters of base64 that are stored outside of a row. */
const leastLength = 100_000

type Block = Readonly<Record<string, unknown>>

/**
 * Removes the bytes of large media from a row: a message, a call with its result, a named value, or an object with a
 * list of messages. Such a block has empty `data`, and `stored` describes its bytes. Returns the row itself if no media
 * are large.
 */
export function withoutBytes(row: unknown, found: (file: StoredFile) => void): unknown {
  return mapMedia(row, (block) => {
    const { data } = block
    if (typeof data !== 'string' || data.length < leastLength) return block
    const file = { sha256: hashOf(block, data), data }
    found(file)
    return { ...block, data: '', stored: { sha256: file.sha256, bytes: mediaBytes(file) } }
  })
}

/** The bytes of files by their hashes; null for those that the store has lost. */
export type FileData = ReadonlyMap<string, string | null>

/**
 * Restores the bytes of media. A block whose hash is not among the given ones stays empty; a text replaces lost bytes.
 */
export function withBytes(row: unknown, files: FileData): unknown {
  return mapMedia(row, (block) => {
    const { stored, ...whole } = block
    const hash = isRecord(stored) && block['data'] === '' ? stored['sha256'] : undefined
    const data = typeof hash === 'string' ? files.get(hash) : undefined
    if (data === undefined) return block
    return data === null ? { ...leftOut(block, 'the store has lost its bytes'), lost: stored } : { ...whole, data }
  })
}

/** Returns the texts in a row that stand for media whose bytes the store has lost. */
export function lostIn(row: unknown): readonly string[] {
  const texts: string[] = []
  mapMedia(row, (block) => {
    if ('lost' in block) texts.push(String(block['text']))
    return block
  })
  return texts
}

const hashes = new WeakMap<Block, string>()

function hashOf(block: Block, data: string): string {
  const known = hashes.get(block)
  if (known !== undefined) return known
  const hash = sha256(data)
  if (Object.isFrozen(block)) hashes.set(block, hash)
  return hash
}

/** The values of a run that are lists of messages. */
const messageValues: readonly unknown[] = ['undelivered', 'prompt']

/** Only messages have media. Anything else in a row belongs to the application and is never searched for media. */
function mapMedia(row: unknown, map: (block: Block) => Block): unknown {
  if (!isRecord(row)) return row
  if ('role' in row) return inMessage(row, map)
  const { result, messages, name, value } = row
  const list = messageValues.includes(name) ? value : undefined
  const changed = {
    ...differing('result', result, inMessage(result, map)),
    ...differing('messages', messages, inMessages(messages, map)),
    ...differing('value', list, inMessages(list, map)),
  }
  return Object.keys(changed).length === 0 ? row : { ...row, ...changed }
}

function differing(field: string, before: unknown, after: unknown): Block {
  return after === before ? {} : { [field]: after }
}

function inMessages(list: unknown, map: (block: Block) => Block): unknown {
  return Array.isArray(list) ? mapChanged(list, (message) => inMessage(message, map)) : list
}

function inMessage(message: unknown, map: (block: Block) => Block): unknown {
  if (!isRecord(message) || (message['role'] !== 'user' && message['role'] !== 'toolResult')) return message
  const { content } = message
  if (!Array.isArray(content)) return message
  const blocks = mapChanged(content, (block) =>
    isRecord(block) && (block['type'] === 'image' || block['type'] === 'file' || 'lost' in block) ? map(block) : block,
  )
  return blocks === content ? message : { ...message, content: blocks }
}
