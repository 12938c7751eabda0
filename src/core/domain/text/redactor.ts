import { addressesIn, withoutAddressPasswords } from './address-password.ts'
import { bordersOf } from './borders.ts'
import { isRecord, type Json } from './json.ts'
import { expecting, listOf } from './option-shape.ts'
import { formsOf } from './secret-forms.ts'

/** A secret, with the name that replaces it. */
export interface Secret {
  readonly name: string
  readonly value: string
}

/** Masks secrets wherever text leaves a tool. */
export interface Redactor {
  /** Returns the text with `[secret NAME]` in place of each secret. */
  text(text: string): string
  /** Redacts every text in a value, including keys. */
  json(value: Json): Json
  /** Redacts a text that arrives in pieces, even if a secret spans two of them. */
  stream(): RedactedStream
}

/** A text in pieces; the end of a piece is held back while it may be the beginning of a secret. */
export interface RedactedStream {
  push(piece: string): string
  /** Returns the held text. */
  end(): string
}

/** Further options of a redactor. */
export interface RedactorOptions {
  /** Also masks all passwords in addresses, such as `postgres://app:…@host`. Default false. */
  readonly addresses?: boolean
}

const checkSecrets = listOf(expecting('{ name, value }', (one) => isRecord(one) && typeof one['value'] === 'string'))

/** Returns a redactor of these secrets in their common encodings; empty ones are ignored. `shown` replaces them. */
export function redactorOf(
  secrets: readonly Secret[],
  shown: (name: string) => string = (name) => `[secret ${name}]`,
  { addresses = false }: RedactorOptions = {},
): Redactor {
  checkSecrets(secrets, { field: 'secrets', owner: 'redactorOf' })
  const given = secrets.filter(({ value }) => value !== '')
  const names = new Map(given.flatMap(({ name, value }) => formsOf(value).map((form) => [form, name] as const)))
  for (const { name, value } of given) names.set(value, name)
  const values = [...names.keys()].toSorted((a, b) => b.length - a.length)
  const find = finderOf(values)
  const masked = (text: string) => replaced(text, find(text), (value) => shown(names.get(value) ?? ''))
  const text = addresses ? (whole: string) => withoutAddressPasswords(masked(whole)) : masked
  const parts = { values, find, addresses, text }
  return { text, json: (value) => mapTexts(value, text), stream: () => streamOf(parts) }
}

/** The range of a secret in a text. */
interface Found {
  readonly from: number
  readonly to: number
}

/** The number of characters of a secret in the expression, which would otherwise become too large. */
const longestHead = 100

/** Returns a function that finds secrets in a text: the longest at each position, and none inside another. */
function finderOf(values: readonly string[]): (text: string) => readonly Found[] {
  const heads = new Set(values.map((value) => escaped(value.slice(0, longestHead))))
  const pattern = new RegExp([...heads].join('|') || '(?!)', 'g')
  return (text) => {
    const found: Found[] = []
    pattern.lastIndex = 0
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
      const from = match.index
      const value = values.find((one) => text.startsWith(one, from))
      if (value !== undefined) found.push({ from, to: from + value.length })
      pattern.lastIndex = from + (value?.length ?? 1)
    }
    return found
  }
}

function replaced(text: string, found: readonly Found[], shown: (value: string) => string): string {
  const pieces = found.map(
    ({ from, to }, index) => text.slice(found[index - 1]?.to ?? 0, from) + shown(text.slice(from, to)),
  )
  return pieces.join('') + text.slice(found.at(-1)?.to ?? 0)
}

interface RedactorParts {
  readonly values: readonly string[]
  readonly find: (text: string) => readonly Found[]
  readonly addresses: boolean
  readonly text: (given: string) => string
}

function streamOf(parts: RedactorParts): RedactedStream {
  const borders = parts.values.map(bordersOf)
  let held = ''
  return {
    push(piece) {
      const whole = held + piece
      const end = safeEnd(whole, parts, borders)
      held = whole.slice(end)
      return parts.text(whole.slice(0, end))
    },
    end() {
      const rest = parts.text(held)
      held = ''
      return rest
    },
  }
}

/** Returns the end of the text that no further piece can make part of a secret; never inside a complete secret. */
function safeEnd(whole: string, { values, find, addresses }: RedactorParts, borders: readonly Int32Array[]): number {
  const tails = values.map((value, index) => tailLength(whole, value, borders[index] ?? new Int32Array()))
  let end = whole.length - tails.reduce((most, one) => Math.max(most, one), 0)
  const found = find(whole)
  const whollyIn = addresses ? [...found, ...addressesIn(whole)].toSorted((a, b) => a.from - b.from) : found
  for (const { from, to } of whollyIn.toReversed()) if (from < end && end < to) end = from
  return end
}

/** Returns the length of the longest proper prefix of a value that a text ends with, in linear time. */
function tailLength(text: string, value: string, borders: Int32Array): number {
  let matched = 0
  for (let at = Math.max(0, text.length - value.length + 1); at < text.length; at++) {
    const code = text.charCodeAt(at)
    while (matched > 0 && code !== value.charCodeAt(matched)) matched = borders[matched - 1] ?? 0
    if (code === value.charCodeAt(matched)) matched++
  }
  return matched
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
