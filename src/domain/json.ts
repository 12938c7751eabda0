/** Any value that survives `JSON.parse(JSON.stringify(value))` unchanged. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject

/** A JSON object; keys `__proto__`, `constructor` and `prototype` are refused on read. */
export type JsonObject = { readonly [key: string]: Json }

/** True for an object that is no list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

/** JSON text with object keys in sorted order at every depth, so equal values give equal text. */
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

const refusedKeyInText = /"(?:__proto__|constructor|prototype)"\s*:/

/**
 * A copy as JSON sees the value; undefined for cycles, functions, big integers, what throws when it is read, and keys
 * a store refuses.
 */
export function toPlainJson(value: unknown): Json | undefined {
  try {
    return copyPlain(value, 0) ?? throughText(value)
  } catch {
    return undefined
  }
}

/** As `toPlainJson`, frozen at every depth; what was frozen here before stays as it is, inside others too. */
export function frozenCopy<Value>(value: Value): Value | undefined {
  if (typeof value === 'object' && value !== null && ours.has(value)) return value
  try {
    const copy = copyFrozen(value, 0) ?? freezeDeep(throughText(value))
    if (typeof copy === 'object' && copy !== null) ours.add(copy)
    return copy as Value | undefined
  } catch {
    return undefined
  }
}

/** Whole values that were copied or frozen here, and share nothing with anybody. */
const ours = new WeakSet<object>()

type Copy = (value: unknown, depth: number) => Json | undefined

function throughText(value: unknown): Json | undefined {
  const text = JSON.stringify(value)
  if (text === undefined) return undefined
  return refusedKeyInText.test(text) ? (JSON.parse(text, refuseKey) as Json) : (JSON.parse(text) as Json)
}

/** Values nested deeper may be cycles. */
const maxPlainDepth = 32

/** Copies what JSON would give back as it is; undefined for anything that JSON refuses or changes. */
function copyPlain(value: unknown, depth: number): Json | undefined {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0) ? value : undefined
  if (typeof value !== 'object' || depth > maxPlainDepth || 'toJSON' in value) return undefined
  return Array.isArray(value) ? copyArray(value, depth + 1, copyPlain) : copyObject(value, depth + 1, copyPlain)
}

function copyFrozen(value: unknown, depth: number): Json | undefined {
  if (typeof value !== 'object' || value === null) return copyPlain(value, depth)
  if (Object.isFrozen(value) && ours.has(value)) return value as Json
  if (depth > maxPlainDepth || 'toJSON' in value) return undefined
  const copy = Array.isArray(value) ? copyArray(value, depth + 1, copyFrozen) : copyObject(value, depth + 1, copyFrozen)
  return Object.freeze(copy)
}

function copyArray(array: readonly unknown[], depth: number, copy: Copy): readonly Json[] | undefined {
  const copies: Json[] = []
  for (let index = 0; index < array.length; index++) {
    const item = copy(array[index], depth)
    if (item === undefined) return undefined
    copies.push(item)
  }
  return copies
}

function copyObject(object: object, depth: number, copy: Copy): JsonObject | undefined {
  if (Object.getPrototypeOf(object) !== Object.prototype) return undefined
  const copies: Record<string, Json> = {}
  for (const key of Object.keys(object)) {
    const value: unknown = object[key as never]
    if (value === undefined) continue
    const item = isRefusedKey(key) ? undefined : copy(value, depth)
    if (item === undefined) return undefined
    copies[key] = item
  }
  return copies
}

/** True for keys that reach a prototype; no store takes them. */
export function isRefusedKey(key: string): boolean {
  return key === '__proto__' || key === 'constructor' || key === 'prototype'
}

/** Escaped quotes may look like a key; only the parser knows. */
function refuseKey(key: string, value: unknown): unknown {
  if (isRefusedKey(key)) throw new Error(`Key "${key}" is refused.`)
  return value
}

/** Bytes of JSON text that one result, message, ticket or change of the state may have. */
export const maxJsonBytes = 50_000_000

/** Bytes of a value's JSON text; infinite where no text can be made of it. */
export function jsonBytes(value: unknown): number {
  try {
    return Buffer.byteLength(JSON.stringify(value))
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

/** Freezes a plain value of our own making at every depth; what is frozen already is taken to be frozen throughout. */
export function freezeDeep<Value>(value: Value): Value {
  const open: unknown[] = [value]
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    if (item === null || typeof item !== 'object' || Object.isFrozen(item)) continue
    Object.freeze(item)
    for (const field of Object.values(item)) if (typeof field === 'object') open.push(field)
  }
  if (typeof value === 'object' && value !== null) ours.add(value)
  return value
}

/** A 53-bit non-cryptographic hash as 14 hex digits, for comparing equal JSON texts. */
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
