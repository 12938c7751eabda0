import { type CopyOptions, copyJson } from './json-copy.ts'
import { maxKeptBytes, maxKeptDepth } from './json-limits.ts'
import { textBytes } from './platform.ts'
import type { Json, JsonObject } from './json-value.ts'

export type { Json, JsonObject } from './json-value.ts'

/** True for an object that is no list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

/** JSON text with object keys in sorted order at every depth, so that equal values give equal text. */
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
 * A copy of the value as JSON sees it. Undefined for cycles, functions, big integers, values that throw when they are
 * read, keys that a store refuses, and values that are too deep or too large. `copyJson` says which.
 */
export function toPlainJson(value: unknown): Json | undefined {
  const copied = copyJson(value)
  return copied.problem === undefined ? copied.value : undefined
}

/** As `toPlainJson`, but for what is kept, which holds values that were bounded as they came in; frozen at every depth. */
export function frozenCopy<Value>(
  value: Value,
  { mostBytes = maxKeptBytes, ...options }: Pick<CopyOptions, 'mostBytes' | 'keeps'> = {},
): Value | undefined {
  const copied = copyJson(value, { freezes: true, mostBytes, mostDepth: maxKeptDepth, ...options })
  return copied.problem === undefined ? (copied.value as Value) : undefined
}

/** Bytes of a value's JSON text; infinite where no text can be made of it. */
export function jsonBytes(value: unknown): number {
  try {
    return textBytes(JSON.stringify(value))
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

/**
 * Freezes a plain value of our own making at every depth. A value that is frozen already counts as frozen at every
 * depth.
 */
export function freezeDeep<Value>(value: Value): Value {
  const open: object[] = []
  freezeOne(value, open)
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    if (Array.isArray(item)) for (const field of item) freezeOne(field, open)
    else for (const key in item) freezeOne((item as Record<string, unknown>)[key], open)
  }
  return value
}

/** Its fields are still to be frozen. */
function freezeOne(value: unknown, open: object[]): void {
  if (value === null || typeof value !== 'object' || Object.isFrozen(value)) return
  open.push(Object.freeze(value))
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
