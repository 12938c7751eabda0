import { jsonIn } from '../../domain/text/parse-json.ts'
import type { Json } from '../../domain/text/json.ts'

/** The maximum number of values in one answer; with more, the intended value is unclear. */
const mostValues = 16

const literal = /true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[\s,:]+/y

/**
 * Returns the objects and lists in a text with words around them, without thoughts in tags. Reads each character once.
 * A broken or incomplete value is omitted.
 */
export function findJson(text: string): readonly Json[] {
  const said = afterThoughts(text)
  const found: Json[] = []
  let at = 0
  while (found.length < mostValues) {
    const start = nextOpening(said, at)
    if (start === -1) break
    const { end, isClosed } = readValue(said, start)
    const value = isClosed ? jsonIn(said.slice(start, end)) : undefined
    if (value !== undefined) found.push(value)
    at = end
  }
  return found
}

/** A model that thinks in its answer closes the tag before the answer; without a closing tag there is no answer. */
function afterThoughts(text: string): string {
  const closings = ['</think>', '</thinking>'].map(
    (tag) => text.lastIndexOf(tag) + (text.includes(tag) ? tag.length : 1),
  )
  const said = text.slice(Math.max(...closings))
  const open = /<think(?:ing)?>/.exec(said)
  return open === null ? said : said.slice(0, open.index)
}

function nextOpening(text: string, from: number): number {
  const opening = /[[{]/g
  opening.lastIndex = from
  return opening.exec(text)?.index ?? -1
}

/** Reads JSON up to the bracket that closes the first one. */
function readValue(text: string, start: number): { readonly end: number; readonly isClosed: boolean } {
  let depth = 0
  let at = start
  while (at < text.length) {
    const letter = text[at]
    if (letter === '{' || letter === '[') depth++
    else if (letter === '}' || letter === ']') depth--
    else {
      const end = letter === '"' ? endOfText(text, at) : endOfLiteral(text, at)
      if (end === at) return { end: at, isClosed: false }
      at = end
      continue
    }
    at++
    if (depth === 0) return { end: at, isClosed: true }
  }
  return { end: at, isClosed: false }
}

function endOfText(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') return at + 1
  }
  return text.length
}

function endOfLiteral(text: string, at: number): number {
  literal.lastIndex = at
  return literal.test(text) ? literal.lastIndex : at
}
