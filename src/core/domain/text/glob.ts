import { type Part, type Pattern, patternOf } from './linear-match.ts'

/** The kind of text that a star matches: names in one folder for paths, or anything for command lines. */
export type GlobKind = 'path' | 'text'

const maxGlobLength = 500

const mostAlternatives = 64

/**
 * Parses a glob: `*` and `?` match characters of one name, `**` any folders, `[a-z]` and `[!a-z]` one character,
 * `{a,b}` either text; a backslash escapes the next character. Names that begin with a dot are not special. Throws a
 * `TypeError` that names the problem with a pattern.
 */
export function parseGlob(pattern: string, kind: GlobKind = 'path'): Pattern {
  if (pattern === '') throw new TypeError('a pattern is empty')
  if (pattern.length > maxGlobLength) throw new TypeError(`a pattern has more than ${maxGlobLength} characters`)
  return patternOf(
    expandBraces(pattern).map((way) => partsOf(way, kind)),
    'whole',
  )
}

const anything = () => true
const inName = (char: string) => char !== '/'

function partsOf(pattern: string, kind: GlobKind): readonly Part[] {
  const parts: Part[] = []
  const takes = kind === 'path' ? inName : anything
  const literal = (wanted: string) => parts.push({ kind: 'one', takes: (char) => char === wanted })
  const chars = [...pattern]
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at] ?? ''
    if (char === '\\') {
      const escaped = chars[++at]
      if (escaped === undefined) throw new TypeError('a pattern ends in a backslash')
      literal(escaped)
    } else if (char === '?') parts.push({ kind: 'one', takes })
    else if (char === '[') {
      const { takes: inSet, end } = readSet(chars, at, takes)
      parts.push({ kind: 'one', takes: inSet })
      at = end
    } else if (char === '*') {
      let end = at
      while (chars[end + 1] === '*') end++
      const isFolders =
        kind === 'path' &&
        end === at + 1 &&
        (at === 0 || chars[at - 1] === '/') &&
        (end === chars.length - 1 || chars[end + 1] === '/')
      if (!isFolders) parts.push({ kind: 'many', takes })
      else if (chars[end + 1] === '/') {
        parts.push({ kind: 'fork', by: 3 }, { kind: 'many', takes: anything })
        literal('/')
        end++
      } else parts.push({ kind: 'many', takes: anything })
      at = end
    } else if (char === '/' && kind === 'path' && isFoldersAtEnd(chars, at)) {
      // `/**` at the end also matches the folder itself.
      parts.push({ kind: 'fork', by: 3 })
      literal('/')
      parts.push({ kind: 'many', takes: anything })
      at = chars.length
    } else literal(char)
  }
  return parts
}

function isFoldersAtEnd(chars: readonly string[], at: number): boolean {
  return at > 0 && at === chars.length - 3 && chars[at + 1] === '*' && chars[at + 2] === '*'
}

function readSet(chars: readonly string[], start: number, takes: (char: string) => boolean) {
  const isNot = chars[start + 1] === '!' || chars[start + 1] === '^'
  const from = start + (isNot ? 2 : 1)
  const end = chars.indexOf(']', from + 1)
  if (end === -1) throw new TypeError('a "[" has no "]"')
  const ranges: (readonly [string, string])[] = []
  for (let at = from; at < end; at++) {
    const low = chars[at] ?? ''
    const high = chars[at + 1] === '-' && at + 2 < end ? (chars[at + 2] ?? low) : low
    if (low > high) throw new TypeError(`"${low}-${high}" is no range`)
    ranges.push([low, high])
    if (high !== low) at += 2
  }
  const isIn = (char: string) => ranges.some(([low, high]) => low <= char && char <= high)
  return { takes: (char: string) => takes(char) && isIn(char) !== isNot, end }
}

/** Expands `{a,b}`; braces may be nested. */
function expandBraces(pattern: string): readonly string[] {
  const found: string[] = []
  const open = [pattern]
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const braces = firstBraces(one)
    if (braces === undefined) found.push(one)
    else {
      const { start, end, commas } = braces
      const cuts = [start, ...commas, end]
      for (let at = cuts.length - 1; at > 0; at--) {
        const chosen = one.slice((cuts[at - 1] ?? 0) + 1, cuts[at])
        open.push(one.slice(0, start) + chosen + one.slice(end + 1))
      }
    }
    if (found.length + open.length > mostAlternatives)
      throw new TypeError(`the braces expand to more than ${mostAlternatives} patterns`)
  }
  return found
}

function firstBraces(pattern: string) {
  let start = -1
  let depth = 0
  const commas: number[] = []
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at]
    if (char === '\\') at++
    else if (char === '{' && ++depth === 1) start = at
    else if (char === ',' && depth === 1) commas.push(at)
    else if (char === '}') {
      if (--depth < 0) throw new TypeError('a "}" has no "{"')
      if (depth === 0 && commas.length === 0) throw new TypeError('braces without ","; write "\\{" for the character')
      if (depth === 0) return { start, end: at, commas }
    }
  }
  if (depth > 0) throw new TypeError('a "{" has no "}"')
  return undefined
}
