import type { Json } from './json.ts'

/** A secret, and the name it is replaced by. */
export interface Secret {
  readonly name: string
  readonly value: string
}

/** Masks secrets wherever text leaves a tool. */
export interface Redactor {
  /** The text with `[secret NAME]` in the place of each secret. */
  text(text: string): string
  /** The same for every text in a value, keys included. */
  json(value: Json): Json
  /** The same for a text that comes in pieces, also where a secret is split over two of them. */
  stream(): RedactedStream
}

/** A text in pieces; the end of a piece is kept back while it may be the beginning of a secret. */
export interface RedactedStream {
  push(piece: string): string
  /** What was kept back. */
  end(): string
}

/** A redactor of these secrets; empty ones are passed over. `shown` gives what stands in the place of one. */
export function redactorOf(
  secrets: readonly Secret[],
  shown: (name: string) => string = (name) => `[secret ${name}]`,
): Redactor {
  const sorted = secrets.filter(({ value }) => value !== '').toSorted((a, b) => b.value.length - a.value.length)
  const names = new Map(sorted.map(({ name, value }) => [value, name]))
  const values = [...names.keys()]
  const pattern = new RegExp(values.map(escaped).join('|') || '(?!)', 'g')
  const text = (given: string) => given.replaceAll(pattern, (value) => shown(names.get(value) ?? ''))
  return { text, json: (value) => mapTexts(value, text), stream: () => streamOf(values, pattern, text) }
}

function streamOf(values: readonly string[], pattern: RegExp, text: (given: string) => string): RedactedStream {
  const longest = values.reduce((most, { length }) => Math.max(most, length), 0)
  let held = ''
  return {
    push(piece) {
      const whole = held + piece
      const end = safeEnd(whole, values, longest, pattern)
      held = whole.slice(end)
      return text(whole.slice(0, end))
    },
    end() {
      const rest = text(held)
      held = ''
      return rest
    },
  }
}

/** Where the text ends that no further piece can make part of a secret; never inside of one that is whole already. */
function safeEnd(whole: string, values: readonly string[], longest: number, pattern: RegExp): number {
  let end = whole.length
  for (let start = Math.max(0, whole.length - longest + 1); start < whole.length; start++) {
    const tail = whole.slice(start)
    if (!values.some((value) => value.length > tail.length && value.startsWith(tail))) continue
    end = start
    break
  }
  for (const match of whole.matchAll(pattern)) {
    if (match.index < end && end < match.index + match[0].length) return match.index
  }
  return end
}

function mapTexts(value: Json, text: (given: string) => string): Json {
  if (typeof value === 'string') return text(value)
  if (value === null || typeof value !== 'object') return value
  if (isList(value)) return value.map((item) => mapTexts(item, text))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [text(key), mapTexts(item, text)]))
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}

function escaped(value: string): string {
  return value.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)
}
