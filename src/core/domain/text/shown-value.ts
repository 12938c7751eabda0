import { isRecord, type Json } from './json.ts'
import { type Redactor, redactorOf, type Secret } from './redactor.ts'
import { formsOf } from './secret-forms.ts'
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
  const longest = Math.max(longestShape, ...secrets.flatMap(({ value }) => formsOf(value)).map(({ length }) => length))
  // A text may hold a secret of one and none of another; without secrets all of them show it alike.
  const { texts, names }: Cleaned = secrets.length === 0 ? withoutSecrets : { texts: new Map(), names: new Map() }
  const objects = new WeakMap()
  return (value) =>
    show(value, { redactor, longest, texts, names, objects, left: mostValues, seen: [], reached: 0, flaws: 0 })
}

/** What short texts and names of fields were shown as. */
interface Cleaned {
  readonly texts: Map<string, string>
  readonly names: Map<string, ShownName>
}

/** Those of all that show values and are given no secrets. */
const withoutSecrets: Cleaned = { texts: new Map(), names: new Map() }

/** What a value that nobody can change was shown as, how many values it came to and how deep they are. */
interface ShownBefore {
  readonly shown: Json
  readonly values: number
  readonly depth: number
}

/** The name of a field as it is shown, and whether its text is a secret by that name. */
interface ShownName {
  readonly shown: string
  readonly isSecret: boolean
}

interface Showing extends Cleaned {
  readonly redactor: Redactor
  /** Characters of the longest secret there may be. */
  readonly longest: number
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

/** False where the field is none to show. */
function addField(fields: { [name: string]: Json }, name: string, value: object, showing: Showing): boolean {
  const field = fieldOf(value, name)
  if (field === undefined || typeof field === 'function' || typeof field === 'symbol') return false
  const { shown, isSecret } = shownName(name, showing)
  const json = isSecret && typeof field === 'string' && field !== '' ? '[secret]' : show(field, showing)
  // A field of this name that is assigned would be the prototype.
  if (shown === '__proto__') Object.defineProperty(fields, shown, { value: json, enumerable: true })
  else fields[shown] = json
  return true
}

/** Names come again and again: short ones are looked at once. */
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

/** A getter may throw. */
function fieldOf(value: object, name: string): unknown {
  try {
    return isRecord(value) ? value[name] : Reflect.get(value, name)
  } catch {
    return '[unreadable]'
  }
}
