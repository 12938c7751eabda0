/** Shortest piece worth pointing at: pointing takes about ten characters. */
const shortestCopy = 12
const hashedLength = 8
/** Pieces are found by where they begin, at every fourth place: every copy of `shortestCopy` holds one of them. */
const stride = 4
const fewestSlotBits = 11
const mostSlotBits = 22

/**
 * A text by what it adds to another: runs of `<length>:<new text>` and `<position>,<length>;`, numbers in base 36, where
 * a position counts in `known` followed by the text as far as it is written.
 */
export function encodeDifference(known: string, text: string): string {
  const codes = codesOf(known + text)
  const length = known.length + text.length
  const slotBits = slotBitsFor(length)
  const starts = emptySlots(slotBits)
  let hashed = 0
  let written = known.length
  let at = known.length
  let difference = ''
  while (at + hashedLength <= length) {
    for (; hashed + stride <= at; hashed += stride) starts[slotOf(codes, hashed, slotBits)] = hashed + 1
    const found = (starts[slotOf(codes, at, slotBits)] ?? 0) - 1
    const copy = found < 0 ? undefined : copyAround(codes, { at, found, written, length })
    if (copy === undefined) at++
    else {
      const literal = text.slice(written - known.length, copy.start - known.length)
      difference += `${added(literal)}${copy.from.toString(36)},${copy.length.toString(36)};`
      at = copy.start + copy.length
      written = at
    }
  }
  return difference + added(text.slice(written - known.length))
}

function added(text: string): string {
  return text === '' ? '' : `${text.length.toString(36)}:${text}`
}

/** One for every second place that is looked up by: with far fewer, most places are lost to later ones. */
function slotBitsFor(length: number): number {
  const bits = Math.ceil(Math.log2(Math.max(length, 1) / (2 * stride)))
  return Math.min(Math.max(bits, fewestSlotBits), mostSlotBits)
}

/** Memory is kept for the next text up to this size: what one long text took is given back. */
const mostKeptBytes = 2 ** 20
let slots = new Int32Array(2 ** fewestSlotBits)
let buffer = Buffer.allocUnsafe(2 ** 14)

function emptySlots(bits: number): Int32Array {
  const count = 2 ** bits
  if (count <= slots.length) return slots.fill(0, 0, count)
  const made = new Int32Array(count)
  if (made.byteLength <= mostKeptBytes) slots = made
  return made
}

/** UTF-16 codes, which a loop reads faster from here than from a text that was put together. */
function codesOf(text: string): Uint16Array {
  const size = 2 * text.length
  const bytes = size <= buffer.length ? buffer : Buffer.allocUnsafe(Math.max(size, Math.min(2 * size, mostKeptBytes)))
  if (bytes.length <= mostKeptBytes) buffer = bytes
  bytes.write(text, 'utf16le')
  return new Uint16Array(bytes.buffer, bytes.byteOffset, text.length)
}

/** By four letters of the eight: a piece found is looked at anyway. */
function slotOf(codes: Uint16Array, at: number, bits: number): number {
  const first = Math.imul(codes[at] ?? 0, 31) + (codes[at + 2] ?? 0)
  const second = Math.imul(codes[at + 5] ?? 0, 31) + (codes[at + 7] ?? 0)
  return Math.imul(Math.imul(first, 8191) + second, 0x9e3779b1) >>> (32 - bits)
}

interface Place {
  readonly at: number
  /** Where the same may stand. */
  readonly found: number
  /** No copy begins before it. */
  readonly written: number
  readonly length: number
}

interface Copy {
  readonly start: number
  readonly from: number
  readonly length: number
}

/** The longest piece around `at` that equals the one around `found`. */
function copyAround(codes: Uint16Array, { at, found, written, length }: Place): Copy | undefined {
  let start = at
  let from = found
  const first = Math.max(written, at - hashedLength)
  while (start > first && from > 0 && codes[start - 1] === codes[from - 1]) {
    start--
    from--
  }
  let end = at
  // A copy is of what is written by then.
  for (let index = found; index < start && end < length && codes[end] === codes[index]; index++) end++
  end = Math.min(end, 2 * start - from)
  // Half a character would not survive being written down alone.
  if (isHalf(codes[start], 0xdc00)) {
    start++
    from++
  }
  if (isHalf(codes[end - 1], 0xd800)) end--
  return end - start < shortestCopy ? undefined : { start, from, length: end - start }
}

function isHalf(code: number | undefined, first: number): boolean {
  return code !== undefined && code >= first && code < first + 0x400
}

/**
 * Characters of the longest text that is kept as a difference. A few signs can claim a text that fills the memory, so a
 * difference that claims a longer one is not read.
 */
export const longestText = 2 ** 26

/**
 * The text of a difference, or undefined where it cannot be one to what is known. The pieces are put together in one
 * buffer, behind what is known: a text that grows piece by piece would be copied whole for each piece it points into.
 */
export function decodeDifference(known: string, difference: string): string | undefined {
  const pieces = piecesOf(known, difference)
  if (pieces === undefined) return undefined
  const text = Buffer.allocUnsafe(2 * (known.length + lengthOf(pieces)))
  let written = text.write(known, 'utf16le')
  for (const { isCopy, start, length } of pieces) {
    if (isCopy) text.copyWithin(written, 2 * start, 2 * (start + length))
    else text.write(difference.slice(start, start + length), written, 'utf16le')
    written += 2 * length
  }
  return text.toString('utf16le', 2 * known.length)
}

/** The pieces of a difference; undefined where one is none, or points at what is not written by then. */
function piecesOf(known: string, difference: string): readonly Piece[] | undefined {
  const pieces: Piece[] = []
  let length = 0
  for (let at = 0; at < difference.length;) {
    const piece = pieceAt(difference, at)
    if (piece === undefined || piece.end > difference.length) return undefined
    if (piece.isCopy && piece.start + piece.length > known.length + length) return undefined
    length += piece.length
    if (length > longestText) return undefined
    pieces.push(piece)
    at = piece.end
  }
  return pieces
}

function lengthOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0)
}

interface Piece {
  /** False for new text, which stands in the difference. */
  readonly isCopy: boolean
  readonly start: number
  readonly length: number
  /** Where the next piece begins. */
  readonly end: number
}

function pieceAt(difference: string, at: number): Piece | undefined {
  const first = numberAt(difference, at)
  if (first === undefined) return undefined
  const start = first.end + 1
  const sign = difference[first.end]
  if (sign === ':') return { isCopy: false, start, length: first.value, end: start + first.value }
  const length = sign === ',' ? numberAt(difference, start) : undefined
  if (length === undefined || difference[length.end] !== ';') return undefined
  return { isCopy: true, start: first.value, length: length.value, end: length.end + 1 }
}

interface Digits {
  readonly value: number
  readonly end: number
}

const mostDigits = 8

function numberAt(text: string, start: number): Digits | undefined {
  let value = 0
  let end = start
  for (let digit = digitAt(text, end); digit >= 0; digit = digitAt(text, ++end)) value = value * 36 + digit
  return end === start || end - start > mostDigits ? undefined : { value, end }
}

/** -1 where no digit of base 36 stands. */
function digitAt(text: string, at: number): number {
  const code = text.charCodeAt(at)
  if (code >= 48 && code < 58) return code - 48
  return code >= 97 && code < 123 ? code - 87 : -1
}
