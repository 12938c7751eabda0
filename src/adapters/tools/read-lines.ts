/** The source of bytes, such as an open file. */
export interface ReadBytes {
  read(buffer: Uint8Array, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }>
}

/** The lines to read; `from` counts from 1, `count` may be `Infinity`. */
export interface LineRange {
  readonly from: number
  readonly count: number
}

/** Lines of a file as text. */
export interface ReadLines {
  readonly text: string
  /** Lines in `text`; a last one without a line feed counts. */
  readonly lines: number
  /** True if the byte limit ended the text before the range did. */
  readonly isCut: boolean
  /** False if bytes were not UTF-8. */
  readonly isValid: boolean
}

/**
 * Reads lines, cut at `limit` bytes. Returns undefined for too few lines, and `no text` for a zero byte before the
 * first.
 */
export async function readLines(
  file: ReadBytes,
  range: LineRange,
  limit: number,
  signal: AbortSignal,
): Promise<ReadLines | 'no text' | undefined> {
  const start = await startOfLine(file, range.from, signal)
  if (typeof start !== 'number') return start
  const bytes = await readAt(file, start, limit + 1)
  if (bytes.length === 0 && range.from > 1) return undefined
  const end = endOfLines(bytes, range.count)
  const isCut = end > limit
  const lastLine = isCut ? bytes.lastIndexOf(lineFeed, limit - 1) + 1 : end
  const kept = bytes.subarray(0, lastLine === 0 ? Math.min(end, limit) : lastLine)
  return { ...decode(kept, isCut), lines: countLines(kept), isCut }
}

const lineFeed = 0x0a

/** The maximum number of bytes that are searched for the first line. */
export const searchLimit = 500_000_000

/** Returns the position of a line. A zero byte ends the search, because a sparse file may have any size. */
async function startOfLine(
  file: ReadBytes,
  line: number,
  signal: AbortSignal,
): Promise<number | 'no text' | undefined> {
  const piece = new Uint8Array(65_536)
  let position = 0
  for (let left = line - 1; left > 0;) {
    signal.throwIfAborted()
    if (position >= searchLimit) return undefined
    const { bytesRead } = await file.read(piece, 0, piece.length, position)
    if (bytesRead === 0) return position
    const part = piece.subarray(0, bytesRead)
    let at = 0
    for (; at < part.length && left > 0; at++) if (part[at] === lineFeed) left--
    if (part.subarray(0, at).includes(0)) return 'no text'
    position += at
  }
  return position
}

/** Returns up to `size` bytes from a position, and fewer only at the end of the file. */
export async function readAt(file: ReadBytes, position: number, size: number): Promise<Uint8Array> {
  const buffer = new Uint8Array(size)
  for (let filled = 0; ;) {
    const { bytesRead } = await file.read(buffer, filled, size - filled, position + filled)
    filled += bytesRead
    if (bytesRead === 0 || filled === size) return buffer.subarray(0, filled)
  }
}

function endOfLines(bytes: Uint8Array, count: number): number {
  let end = 0
  for (let left = count; left > 0; left--) {
    const next = bytes.indexOf(lineFeed, end)
    if (next === -1) return bytes.length
    end = next + 1
  }
  return end
}

function countLines(bytes: Uint8Array): number {
  let ended = 0
  for (let at = 0; at < bytes.length; at++) if (bytes[at] === lineFeed) ended++
  return bytes.length === 0 || bytes.at(-1) === lineFeed ? ended : ended + 1
}

function decode(bytes: Uint8Array, isCut: boolean): { text: string; isValid: boolean } {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut }), isValid: true }
  } catch {
    return { text: new TextDecoder('utf-8').decode(bytes, { stream: isCut }), isValid: false }
  }
}
