import { expressionMatcher, type LineQuery } from './line-matcher.ts'

/** Returns a pattern of ripgrep that matches at least the lines of the query, or undefined if none certainly does. */
export function ripgrepPattern({ query, regex, ignoreCase }: LineQuery): string | undefined {
  if (/[\0\r\n\uFFFD\p{Cs}]/u.test(query)) return undefined
  if (!regex) return escaped(query)
  if (!isAlike(query)) return undefined
  let pattern = ''
  for (let at = 0; at < query.length;) {
    const token = tokenAt(query.slice(at), ignoreCase)
    if (token === undefined) return undefined
    pattern += token.pattern
    at += token.length
  }
  return pattern
}

interface Token {
  readonly length: number
  readonly pattern: string
}

/** Expressions with the flag `u` that match no empty line and are not slow mean the same in both languages. */
function isAlike(query: string): boolean {
  try {
    const expression = new RegExp(query, 'u')
    const found = expressionMatcher((line) => expression.test(line)).match('', 1)
    return found !== 'too slow' && found.length === 0
  } catch {
    return false
  }
}

/** Bytes that are not a text are one unreadable character each for us, and nothing for ripgrep. */
const unreadable = String.raw`(?-u:[\x80-\xFF]{1,3})`

function tokenAt(rest: string, ignoreCase: boolean): Token | undefined {
  const [first = ''] = rest
  if (first === '\\') return escapeAt(rest, ignoreCase)
  if (first === '[') return classAt(rest, ignoreCase)
  if (first === '.') return { length: 1, pattern: `(?:.|${unreadable})` }
  if (first === '$') return { length: 1, pattern: String.raw`\r?$` }
  if (first === '(')
    return rest.startsWith('(?') && !rest.startsWith('(?:') ? undefined : asIs(rest.startsWith('(?:') ? '(?:' : '(')
  if (first === '{') return repetitionAt(rest)
  return /[\^)|*+?]/.test(first) ? asIs(first) : { length: first.length, pattern: escaped(first) }
}

function asIs(text: string): Token {
  return { length: text.length, pattern: text }
}

function repetitionAt(rest: string): Token | undefined {
  const [found] = /^\{\d{1,3}(?:,\d{0,3})?\}/.exec(rest) ?? []
  return found === undefined ? undefined : asIs(found)
}

function escapeAt(rest: string, ignoreCase: boolean): Token | undefined {
  const name = rest[1] ?? ''
  if (name === 'S') return { length: 2, pattern: String.raw`(?:\S|\x{85}|\x{FEFF}|${unreadable})` }
  if (name === 'b') return ignoreCase ? undefined : { length: 2, pattern: String.raw`(?-u:\b)` }
  const set = setOf(name, ignoreCase)
  if (set !== undefined) return { length: 2, pattern: `[${set}]` }
  return /[^\w\s]/.test(name) ? { length: 2, pattern: escaped(name) } : undefined
}

function setOf(name: string, ignoreCase: boolean): string | undefined {
  if (name === 'd') return '0-9'
  if (name === 's') return String.raw`\s\x{FEFF}`
  if (name === 'w') return ignoreCase ? undefined : '0-9A-Za-z_'
  return name === 't' ? String.raw`\t` : undefined
}

function classAt(rest: string, ignoreCase: boolean): Token | undefined {
  const [found = '', caret = '', body = ''] = /^\[(\^?)((?:\\.|[^\]\\])+)\]/u.exec(rest) ?? []
  if (found === '' || (caret !== '' && body.includes(String.raw`\s`))) return undefined
  let items = ''
  for (const [item] of body.matchAll(/\\.|[A-Z]-[A-Z]|[a-z]-[a-z]|\d-\d|./gu)) {
    const part = item.startsWith('\\') ? escapeInClass(item, ignoreCase) : item.length === 3 ? item : escaped(item)
    if (part === undefined) return undefined
    items += part
  }
  const pattern = `[${caret}${items}]`
  return { length: found.length, pattern: caret === '' ? pattern : `(?:${pattern}|${unreadable})` }
}

function escapeInClass(item: string, ignoreCase: boolean): string | undefined {
  const name = item.slice(1)
  return setOf(name, ignoreCase) ?? (/[^\w\s]/.test(name) ? escaped(name) : undefined)
}

function escaped(text: string): string {
  return text.replaceAll(/[\\.+*?()|[\]{}^$#&~-]/g, String.raw`\$&`)
}
