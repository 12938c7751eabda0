/** Shortest piece worth pointing at: pointing takes about ten characters. */
const shortestCopy = 12
const hashedLength = 8
/** Pieces are found by where they begin, at every fourth place: every copy of `shortestCopy` holds one of them. */
const stride = 4
const slotBits = 11
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

let buffer = Buffer.allocUnsafe(2 ** 14)

/** UTF-16 codes, which a loop reads faster from here than from a text that was put together. */
function codesOf(text: string): Uint16Array {
  if (buffer.length < 2 * text.length) buffer = Buffer.allocUnsafe(4 * text.length)
  buffer.write(text, 'utf16le')
  return new Uint16Array(buffer.buffer, buffer.byteOffset, text.length)
}

/** By four letters of the eight: a piece found is looked at anyway. */
function slotOf(codes: Uint16Array, at: number): number {
  const first = Math.imul(codes[at] ?? 0, 31) + (codes[at + 2] ?? 0)
  const second = Math.imul(codes[at + 5] ?? 0, 31) + (codes[at + 7] ?? 0)
  return Math.imul(Math.imul(first, 8191) + second, 0x9e3779b1) >>> (32 - slotBits)
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
  while (at < difference.length) {
    const first = numberAt(difference, at)
    if (first === undefined) return undefined
    const sign = difference[first.end]
    const start = first.end + 1
    if (sign === ':') {
      at = start + first.value
      if (at > difference.length) return undefined
      text += difference.slice(start, at)
    } else {
      const length = sign === ',' ? numberAt(difference, start) : undefined
      const to = first.value + (length?.value ?? 0)
      if (length === undefined || difference[length.end] !== ';' || to > known.length + text.length) return undefined
      text += to <= known.length ? known.slice(first.value, to) : (known + text).slice(first.value, to)
      at = length.end + 1
    }
  }
  return text
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
