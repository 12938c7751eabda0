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

/** Texts that are short and come again and again, such as names of fields, are cleaned once; so many are kept. */
const shortText = 120
const mostTexts = 2_000

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
  const texts = new Map<string, string>()
  const objects = new WeakMap<object, ShownBefore>()
  return (value) => show(value, { redactor, longest, texts, objects, left: mostValues, seen: [], reached: 0, flaws: 0 })
}

/** What a value that nobody can change was shown as, how many values it came to and how deep they are. */
interface ShownBefore {
  readonly shown: Json
  readonly values: number
  readonly depth: number
}

interface Showing {
  readonly redactor: Redactor
  /** Characters of the longest secret there may be. */
  readonly longest: number
  readonly texts: Map<string, string>
  readonly objects: WeakMap<object, ShownBefore>
  left: number
  readonly seen: object[]
  /** The deepest level so far. */
  reached: number
  /** Objects so far that may change, and places where something was left out. */
  flaws: number
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
function shownText(text: string, { redactor, longest, texts }: Showing): string {
  const clean = (part: string) => withoutSecretShapes(redactor.text(part))
  if (text.length <= shortText) {
    const known = texts.get(text)
    if (known !== undefined) return known
    const cleaned = clean(text)
    if (texts.size >= mostTexts) texts.clear()
    texts.set(text, cleaned)
    return cleaned
  }
  if (text.length <= longestText) return clean(text)
  const head = clean(text.slice(0, longestText + longest)).slice(0, longestText)
  return `${head}… [${text.length} characters]`
}

function shownObject(value: object, showing: Showing): Json {
  const { seen } = showing
  const depth = seen.length
  if (seen.includes(value) || depth >= deepest || showing.left <= 0) {
    showing.flaws++
    return seen.includes(value) ? '[again]' : Array.isArray(value) ? '[list]' : '[object]'
  }
  const before = showing.objects.get(value)
  if (before !== undefined && before.values <= showing.left && depth + before.depth < deepest) {
    showing.left -= before.values
    showing.reached = Math.max(showing.reached, depth + before.depth)
    return before.shown
  }
  const { left, reached, flaws } = showing
  showing.reached = depth
  if (!Object.isFrozen(value)) showing.flaws++
  const shown = walked(value, showing)
  if (showing.flaws === flaws)
    showing.objects.set(value, { shown, values: left - showing.left, depth: showing.reached - depth })
  showing.reached = Math.max(reached, showing.reached)
  return shown
}

function walked(value: object, showing: Showing): Json {
  const { seen } = showing
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
    if (showing.left <= 0) {
      showing.flaws++
      break
    }
    items.push(show(item, showing))
  }
  return items.length < list.length ? [...items, `[${list.length - items.length} more]`] : items
}

function shownFields(value: object, showing: Showing): Json {
  const fields: [string, Json][] = []
  let left = 0
  for (const name in value) {
    if (!Object.hasOwn(value, name)) continue
    if (fields.length >= mostEntries) left++
    else if (showing.left <= 0) {
      showing.flaws++
      left++
    } else shownField(name, value, fields, showing)
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
