/** Shortest piece worth pointing at: pointing takes about ten characters. */
const shortestCopy = 12
const hashedLength = 8
/** Pieces are found by where they begin, at every fourth place: every copy of `shortestCopy` holds one of them. */
const stride = 4
const slotBits = 12
const starts = new Int32Array(2 ** slotBits)

/**
 * A text by what it adds to another: runs of `<length>:<new text>` and `<position>,<length>;`, numbers in base 36, where
 * a position counts in `known` followed by the text as far as it is written.
 */
export function encodeDifference(known: string, text: string): string {
  const codes = codesOf(known + text)
  const length = known.length + text.length
  starts.fill(0)
  let hashed = 0
  let written = known.length
  let at = known.length
  let difference = ''
  while (at + hashedLength <= length) {
    for (; hashed + stride <= at; hashed += stride) starts[slotOf(codes, hashed)] = hashed + 1
    const found = (starts[slotOf(codes, at)] ?? 0) - 1
    const copy = found < 0 ? undefined : copyAround(codes, { at, found, written, length })
    if (copy === undefined) at++
    else {
      const literal = text.slice(written - known.length, copy.start - known.length)
      difference += `${literal.length.toString(36)}:${literal}${copy.from.toString(36)},${copy.length.toString(36)};`
      at = copy.start + copy.length
      written = at
    }
  }
  const rest = text.slice(written - known.length)
  return `${difference}${rest.length.toString(36)}:${rest}`
}

let buffer = Buffer.allocUnsafe(2 ** 14)

/** UTF-16 codes, which a loop reads faster from here than from a text that was put together. */
function codesOf(text: string): Uint16Array {
  if (buffer.length < 2 * text.length) buffer = Buffer.allocUnsafe(4 * text.length)
  buffer.write(text, 'utf16le')
  return new Uint16Array(buffer.buffer, buffer.byteOffset, text.length)
}

function slotOf(codes: Uint16Array, at: number): number {
  let hash = 0
  for (let index = at; index < at + hashedLength; index++) hash = Math.imul(hash, 31) + (codes[index] ?? 0)
  return Math.imul(hash, 0x9e3779b1) >>> (32 - slotBits)
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

/** The text of a difference, or undefined where it cannot be one to what is known. */
export function decodeDifference(known: string, difference: string): string | undefined {
  let text = ''
  let at = 0
  for (;;) {
    const colon = difference.indexOf(':', at)
    const added = numberIn(difference, at, colon)
    at = colon + 1 + added
    if (!(at <= difference.length)) return undefined
    text += difference.slice(colon + 1, at)
    if (at === difference.length) return text
    const comma = difference.indexOf(',', at)
    const end = difference.indexOf(';', comma)
    const from = numberIn(difference, at, comma)
    const to = from + numberIn(difference, comma + 1, end)
    if (!(to <= known.length + text.length)) return undefined
    text += to <= known.length ? known.slice(from, to) : (known + text).slice(from, to)
    at = end + 1
  }
}

/** NaN where no number stands, so that no comparison with it holds. */
function numberIn(text: string, from: number, to: number): number {
  let number = to > from && to - from <= 8 ? 0 : Number.NaN
  for (let index = from; index < to; index++) number = number * 36 + digitAt(text, index)
  return number
}

function digitAt(text: string, index: number): number {
  const code = text.charCodeAt(index)
  if (code >= 48 && code < 58) return code - 48
  return code >= 97 && code < 123 ? code - 87 : Number.NaN
}
