import { type CopyOptions, copyJson } from './json-copy.ts'
import { maxKeptBytes, maxKeptDepth } from './json-limits.ts'
import { textBytes } from './platform.ts'
import type { Json, JsonObject, Owned } from './json-value.ts'

export type { Json, JsonObject, Owned } from './json-value.ts'

/** Returns true for an object that is not a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

/** Returns an object without its undefined properties. */
export function defined<Given extends object>(
  given: Given,
): { readonly [Key in keyof Given]?: Exclude<Given[Key], undefined> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as typeof given
}

/** Returns the texts of a record, by name. */
export function textsIn(value: unknown): { readonly [name: string]: string } {
  if (!isRecord(value)) return {}
  const texts = Object.entries(value).flatMap(([name, text]) => (typeof text === 'string' ? [[name, text]] : []))
  return Object.fromEntries(texts)
}

/** Maps the fields of an object. */
export function mapFields<Value, Result>(
  fields: { readonly [key: string]: Value },
  map: (value: Value, key: string) => Result,
): { readonly [key: string]: Result } {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, map(value, key)]))
}

/** Maps a list; returns the list itself if no item changed. */
export function mapChanged<Item>(items: readonly Item[], change: (item: Item) => Item): readonly Item[] {
  const made = items.map((item) => change(item))
  return made.every((item, index) => item === items[index]) ? items : made
}

/**
 * Returns JSON text with sorted object keys at every depth, so that equal values have equal texts. Stores keep hashes of
 * such texts, so the order never changes.
 */
export function canonicalJson(value: Json | undefined): string {
  if (value === undefined) return 'null'
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((item: Json) => canonicalJson(item)).join(',')}]`
  const object = value as JsonObject
  let fields = ''
  for (const key of Object.keys(object).sort()) {
    const item = object[key]
    if (item !== undefined) fields += `${fields === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(item)}`
  }
  return `{${fields}}`
}

/**
 * Returns a copy of a value as JSON represents it. Returns undefined for cycles, functions, big integers, values that
 * throw when they are read, keys that a store rejects, and values that are too deep or too large. `copyJson` returns
 * the reason.
 */
export function toPlainJson(value: unknown): Json | undefined {
  const copied = copyJson(value)
  return copied.problem === undefined ? copied.value : undefined
}

/**
 * Returns a copy as `toPlainJson` does, frozen at every depth and with the larger limits of stored values, whose parts
 * were already limited.
 */
export function frozenCopy<Value>(
  value: Value,
  { mostBytes = maxKeptBytes, ...options }: Pick<CopyOptions, 'mostBytes' | 'keeps'> = {},
): Owned<Value> | undefined {
  const copied = copyJson(value, { freezes: true, mostBytes, mostDepth: maxKeptDepth, ...options })
  return copied.problem === undefined ? (copied.value as Owned<Value>) : undefined
}

/**
 * Returns an owned value: itself if it is frozen, else a frozen copy that keeps frozen parts. Only for values whose
 * parts were copied when they entered the engine, so that a frozen part is frozen at every depth. Returns undefined for
 * a value that is not JSON.
 */
export function owned<Value>(value: Value): Owned<Value> | undefined {
  return Object.isFrozen(value) ? (value as Owned<Value>) : frozenCopy(value, { keeps: Object.isFrozen })
}

/** Returns the bytes of a value's JSON text, or infinity if it has none. */
export function jsonBytes(value: unknown): number {
  try {
    return textBytes(JSON.stringify(value))
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

/** Freezes one of our own plain values at every depth. A frozen value counts as frozen at every depth. */
export function freezeDeep<Value>(value: Value): Owned<Value> {
  const open: object[] = typeof value === 'object' && value !== null ? [value] : []
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    if (Object.isFrozen(item)) continue
    // Both loops make no list of the fields and no iterator, because every record of a call passes here.
    if (Array.isArray(item)) {
      for (let index = 0; index < item.length; index++) {
        const field: unknown = item[index]
        if (typeof field === 'object' && field !== null) open.push(field)
      }
    } else {
      for (const key in item) {
        const field: unknown = item[key as keyof typeof item]
        if (typeof field === 'object' && field !== null) open.push(field)
      }
    }
    Object.freeze(item)
  }
  return value as Owned<Value>
}

/** Returns a 53-bit non-cryptographic hash as 14 hex digits, for comparing JSON texts. */
export function hashText(text: string): string {
  let high = 0xdeadbeef
  let low = 0x41c6ce57
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    high = Math.imul(high ^ code, 2654435761)
    low = Math.imul(low ^ code, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(16).padStart(14, '0')
}
