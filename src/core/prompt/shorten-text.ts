import { textBytes } from '../domain/text/platform.ts'
import { wholeCharacters } from './estimate-tokens.ts'

/**
 * Returns a text of at most `most` lines (at least 1): its head, a line with the number of missing lines, and its tail.
 * A text that fits, such as one cut before, is unchanged.
 */
export function shortenLines(text: string, most: number): string {
  const starts = lineStarts(text)
  if (starts.length <= most) return text
  const head = Math.ceil((most - 1) / 2)
  const tail = most - 1 - head
  const missing = `[... ${starts.length - head - tail} lines truncated ...]`
  const before = text.slice(0, starts[head])
  return tail === 0 ? before + missing : `${before}${missing}\n${text.slice(starts[starts.length - tail])}`
}

/** Returns the start of each line; a line break at the end starts none. */
function lineStarts(text: string): readonly number[] {
  const starts = [0]
  const last = text.length - 1
  for (let at = text.indexOf('\n'); at >= 0 && at < last; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

/** The minimum bytes of a cut text, which leave room for the note. */
export const fewestBytes = 100

/**
 * Returns a text of at most `most` bytes (at least 100): its head, a note with the number of missing lines or
 * characters, and its tail. Cuts at lines if these keep at least half of what fits, and never splits a character.
 */
export function shortenBytes(text: string, most: number): string {
  if (text.length <= most && textBytes(text) <= most) return text
  const half = Math.floor((most - 60) / 2)
  const head = headOf(text, half)
  const tail = tailOf(text, half)
  const lineEnd = text.lastIndexOf('\n', head - 1) + 1
  const lineStart = text.indexOf('\n', tail - 1) + 1
  const isOfLines = lineEnd * 2 >= head && lineStart > 0 && (text.length - lineStart) * 2 >= text.length - tail
  if (!isOfLines) {
    return `${text.slice(0, head)}[... ${tail - head} characters truncated ...]${text.slice(tail)}`
  }
  const lines = lineStarts(text.slice(lineEnd, lineStart)).length
  return `${text.slice(0, lineEnd)}[... ${lines} lines truncated ...]\n${text.slice(lineStart)}`
}

/** Returns the end of the longest head of at most `most` bytes. */
function headOf(text: string, most: number): number {
  let bytes = 0
  let end = 0
  for (; end < text.length && bytes <= most; end++) bytes += bytesAt(text, end)
  return wholeCharacters(text, bytes > most ? end - 1 : end)
}

/** Returns the start of the longest tail of at most `most` bytes. */
function tailOf(text: string, most: number): number {
  let bytes = 0
  let start = text.length
  for (; start > 0 && bytes <= most; start--) bytes += bytesAt(text, start - 1)
  const fitting = bytes > most ? start + 1 : start
  return wholeCharacters(text, fitting) === fitting ? fitting : fitting + 1
}

/** Returns the UTF-8 bytes at an index; each half of a surrogate pair counts three, which is more than it has. */
function bytesAt(text: string, index: number): number {
  const code = text.charCodeAt(index)
  if (code < 0x80) return 1
  return code < 0x800 ? 2 : 3
}
