import type { Json } from './json.ts'
import { type Redactor, redactorOf, type Secret } from './redactor.ts'
import { isSecretField } from './secret-name.ts'
import { longestShape, withoutSecretShapes } from './secret-shape.ts'

/** Characters of a text that are shown. */
const longestText = 1_000

/** Fields or items of one value, and levels of values in one another, that are shown. */
const mostEntries = 40
const deepest = 8

/** Values shown in all, however they are nested. */
const mostValues = 1_000

/** Makes of any value what may leave the process for somebody who looks on. */
export type ShowValue = (value: unknown) => Json

/**
 * Shows values to somebody who looks on: plain JSON of bounded size, without secrets. A secret is known by its value
 * (`secrets`), by the name of its field, or by its shape. Of a text over 1,000 characters the head and the length are
 * shown, of a long list or object the first entries and their number. The work does not grow with the value.
 */
export function valueShower(secrets: readonly Secret[]): ShowValue {
  const redactor = redactorOf(secrets, undefined, { addresses: true })
  const longest = Math.max(longestShape, ...secrets.map(({ value }) => value.length))
  return (value) => show(value, { redactor, longest, left: mostValues, seen: [] })
}

interface Showing {
  readonly redactor: Redactor
  /** Characters of the longest secret there may be. */
  readonly longest: number
  left: number
  readonly seen: object[]
}

function show(value: unknown, showing: Showing): Json {
  showing.left--
  switch (typeof value) {
    case 'string':
      return shownText(value, showing)
    case 'number':
      return Number.isFinite(value) ? value : String(value)
    case 'boolean':
      return value
    case 'bigint':
      return String(value)
    case 'object':
      return value === null ? null : shownObject(value, showing)
    case 'undefined':
    case 'function':
    case 'symbol':
      return null
  }
}

/** What may end in a secret that was cut off is looked at whole. */
function shownText(text: string, { redactor, longest }: Showing): string {
  const clean = (part: string) => withoutSecretShapes(redactor.text(part))
  if (text.length <= longestText) return clean(text)
  const head = clean(text.slice(0, longestText + longest)).slice(0, longestText)
  return `${head}… [${text.length} characters]`
}

function shownObject(value: object, showing: Showing): Json {
  const { seen } = showing
  if (seen.includes(value)) return '[again]'
  if (seen.length >= deepest || showing.left <= 0) return Array.isArray(value) ? '[list]' : '[object]'
  seen.push(value)
  try {
    if (Array.isArray(value)) return shownList(value, showing)
    if (value instanceof Error) return shownFields({ name: value.name, message: value.message }, showing)
    return shownFields(value, showing)
  } finally {
    seen.pop()
  }
}

function shownList(list: readonly unknown[], showing: Showing): Json {
  const items: Json[] = []
  for (const item of list.slice(0, mostEntries)) {
    if (showing.left <= 0) break
    items.push(show(item, showing))
  }
  return items.length < list.length ? [...items, `[${list.length - items.length} more]`] : items
}

function shownFields(value: object, showing: Showing): Json {
  const fields: [string, Json][] = []
  let left = 0
  for (const name in value) {
    if (!Object.hasOwn(value, name)) continue
    if (fields.length >= mostEntries || showing.left <= 0) left++
    else shownField(name, value, fields, showing)
  }
  return Object.fromEntries(left === 0 ? fields : [...fields, ['…', `[${left} more]`]])
}

function shownField(name: string, value: object, fields: [string, Json][], showing: Showing): void {
  const field = fieldOf(value, name)
  if (field === undefined || typeof field === 'function' || typeof field === 'symbol') return
  const isSecret = typeof field === 'string' && field !== '' && isSecretField(name)
  fields.push([shownText(name, showing), isSecret ? '[secret]' : show(field, showing)])
}

/** A getter may throw. */
function fieldOf(value: object, name: string): unknown {
  try {
    return Reflect.get(value, name)
  } catch {
    return '[unreadable]'
  }
}
