import { isRecord, type Json } from './json.ts'
import { type Redactor, redactorOf, type Secret } from './redactor.ts'
import { formsOf } from './secret-forms.ts'
import { isSecretField, longestShape, withoutSecretShapes } from './secret-name.ts'

/** The maximum number of displayed characters of a text. */
const longestText = 1_000

/** The maximum number of displayed fields or items of one value, and of nested levels. */
const mostEntries = 40
const deepest = 8

/** The maximum number of displayed values in total. */
const mostValues = 1_000

/** The maximum length and number of texts whose cleaned form is cached, such as repeated field names. */
const shortText = 120
const mostTexts = 2_000

/** A function that converts any value to JSON that may leave the process for an observer. */
export type ShowValue = (value: unknown) => Json

/**
 * Returns a function that shows values to observers as plain JSON of limited size, without secrets. A secret is
 * recognised by its value (`secrets`), by the name of its field, or by its format. A text over 1,000 characters is
 * shown as its beginning and its length, and a long list or object as its first entries and their number. The work does
 * not grow with the value's size.
 */
export function valueShower(secrets: readonly Secret[]): ShowValue {
  const redactor = redactorOf(secrets, undefined, { addresses: true })
  const longest = Math.max(longestShape, ...secrets.flatMap(({ value }) => formsOf(value)).map(({ length }) => length))
  // A text may contain a secret of one shower and none of another. Without secrets all showers share the cache.
  const { texts, names }: Cleaned = secrets.length === 0 ? withoutSecrets : { texts: new Map(), names: new Map() }
  const objects = new WeakMap()
  return (value) =>
    show(value, { redactor, longest, texts, names, objects, left: mostValues, seen: [], reached: 0, flaws: 0 })
}

/** The cached cleaned forms of short texts and field names. */
interface Cleaned {
  readonly texts: Map<string, string>
  readonly names: Map<string, ShownName>
}

/** The cache of all showers without secrets. */
const withoutSecrets: Cleaned = { texts: new Map(), names: new Map() }

/** The cached result for an immutable value, with its number of values and its depth. */
interface ShownBefore {
  readonly shown: Json
  readonly values: number
  readonly depth: number
}

/** The displayed name of a field, and whether the name marks its text as a secret. */
interface ShownName {
  readonly shown: string
  readonly isSecret: boolean
}

interface Showing extends Cleaned {
  readonly redactor: Redactor
  /** The maximum number of characters of a secret. */
  readonly longest: number
  readonly objects: WeakMap<object, ShownBefore>
  left: number
  readonly seen: object[]
  /** The deepest level so far. */
  reached: number
  /** The number of mutable objects and of omissions so far. */
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

/** Cleans a text. A long one is cleaned beyond the cut, so that a secret across the cut is recognised. */
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
  const isFrozen = Object.isFrozen(value)
  const before = isFrozen ? showing.objects.get(value) : undefined
  if (before !== undefined && before.values <= showing.left && depth + before.depth < deepest) {
    showing.left -= before.values
    showing.reached = Math.max(showing.reached, depth + before.depth)
    return before.shown
  }
  const { left, reached, flaws } = showing
  showing.reached = depth
  if (!isFrozen) showing.flaws++
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
  const fields: { [name: string]: Json } = {}
  let shown = 0
  let left = 0
  for (const name in value) {
    if (!Object.hasOwn(value, name)) continue
    if (shown >= mostEntries) left++
    else if (showing.left <= 0) {
      showing.flaws++
      left++
    } else if (addField(fields, name, value, showing)) shown++
  }
  if (left > 0) fields['…'] = `[${left} more]`
  return fields
}

/** Adds a field; returns false if the field is not displayable. */
function addField(fields: { [name: string]: Json }, name: string, value: object, showing: Showing): boolean {
  const field = fieldOf(value, name)
  if (field === undefined || typeof field === 'function' || typeof field === 'symbol') return false
  const { shown, isSecret } = shownName(name, showing)
  const json = isSecret && typeof field === 'string' && field !== '' ? '[secret]' : show(field, showing)
  // A plain assignment to this name would set the prototype.
  if (shown === '__proto__') Object.defineProperty(fields, shown, { value: json, enumerable: true })
  else fields[shown] = json
  return true
}

/** Returns the displayed name; short names are cached because they repeat. */
function shownName(name: string, showing: Showing): ShownName {
  const { names } = showing
  const known = names.get(name)
  if (known !== undefined) return known
  const fresh = { shown: shownText(name, showing), isSecret: isSecretField(name) }
  if (name.length > shortText) return fresh
  if (names.size >= mostTexts) names.clear()
  names.set(name, fresh)
  return fresh
}

/** Returns a field's value; a getter may throw. */
function fieldOf(value: object, name: string): unknown {
  try {
    return isRecord(value) ? value[name] : Reflect.get(value, name)
  } catch {
    return '[unreadable]'
  }
}
