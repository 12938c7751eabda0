import { maxJsonBytes, maxJsonDepth } from './json-limits.ts'
import type { Json, JsonObject } from './json-value.ts'
import { refusedKeys } from './parse-json.ts'
import { textBytes } from './platform.ts'
import { thrownText } from './thrown-text.ts'

/** A copy of a value as JSON represents it, or the problem with the value, as the rest of a sentence about it. */
export type CopiedJson = { readonly value: Json; readonly problem?: undefined } | { readonly problem: string }

/** Options of a copy. */
export interface CopyOptions {
  /** The maximum bytes of its JSON text. Default `maxJsonBytes`. */
  readonly mostBytes?: number
  /** The maximum depth of nested objects and lists. Default `maxJsonDepth`. */
  readonly mostDepth?: number
  /** Rejects values that JSON would change: infinite numbers, list items without JSON, and class instances. */
  readonly isStrict?: boolean
  /** Freezes the copy at every depth. */
  readonly freezes?: boolean
  /**
   * Returns true for values that are kept without a copy: our own values, frozen at every depth. Their size is not
   * counted. Default: none.
   */
  readonly keeps?: (value: object) => boolean
}

const dropped = Symbol('dropped')
const nullLength = 4

/**
 * Copies a value as `JSON.parse(JSON.stringify(value))` would. Rejects values that no store accepts: keys that reach a
 * prototype, too many nested objects and lists, and too many bytes. Reads each part of the value once. The recursion
 * depth equals the value's depth. The error of a getter is returned as `problem`.
 */
export function copyJson(value: unknown, options: CopyOptions = {}): CopiedJson {
  try {
    return new JsonCopy(options).of(value)
  } catch (error) {
    if (error instanceof Refusal) return { problem: error.message }
    return { problem: `could not be read: ${thrownText(error)}` }
  }
}

class Refusal extends Error {}

class JsonCopy {
  readonly #mostBytes: number
  readonly #mostDepth: number
  readonly #isStrict: boolean
  readonly #freezes: boolean
  readonly #keeps: CopyOptions['keeps']
  readonly #within: object[] = []
  #least = 0

  constructor({
    mostBytes = maxJsonBytes,
    mostDepth = maxJsonDepth,
    isStrict = false,
    freezes = false,
    keeps,
  }: CopyOptions) {
    this.#mostBytes = mostBytes
    this.#mostDepth = mostDepth
    this.#isStrict = isStrict
    this.#freezes = freezes
    this.#keeps = keeps
  }

  of(value: unknown): CopiedJson {
    const root = this.#take(value, '')
    if (root === dropped)
      return { problem: `is not JSON: it is ${value === undefined ? 'undefined' : `a ${typeof value}`}` }
    if (this.#least > this.#mostBytes) this.#refuseSize()
    // The actual size is at most six times the minimum, because escapes are that long.
    if (this.#least * 6 > this.#mostBytes && textBytes(JSON.stringify(root)) > this.#mostBytes) this.#refuseSize()
    return { value: root }
  }

  #copyList(list: readonly unknown[]): readonly Json[] {
    const items: Json[] = []
    for (let index = 0; index < list.length; index++) {
      const copy = this.#take(list[index], index)
      if (copy === dropped && this.#isStrict) throw inexpressible()
      if (copy === dropped) this.#least += nullLength
      if (this.#least > this.#mostBytes) this.#refuseSize()
      items.push(copy === dropped ? null : copy)
    }
    return items
  }

  #copyFields(source: object): JsonObject {
    const fields: Record<string, Json> = {}
    for (const key of Object.keys(source)) {
      const value = (source as Record<string, unknown>)[key]
      const copy = this.#take(value, key)
      if (copy === dropped && this.#isStrict && value !== undefined) throw inexpressible()
      if (copy === dropped) continue
      if (this.#least > this.#mostBytes) this.#refuseSize()
      if (refusedKeys.has(key)) throw new Refusal(`has the key "${key}", which is not allowed`)
      this.#least += key.length + 3
      fields[key] = copy
    }
    if (this.#least > this.#mostBytes) this.#refuseSize()
    return fields
  }

  #take(given: unknown, key: string | number): Json | typeof dropped {
    const isRead = this.#isStrict || given === null || (typeof given !== 'object' && typeof given !== 'bigint')
    const value = isRead ? given : asJsonReads(given, key)
    switch (typeof value) {
      case 'string':
        this.#least += value.length + 2
        return value
      case 'number':
        this.#least++
        if (Number.isFinite(value)) return value + 0
        if (this.#isStrict) throw inexpressible()
        this.#least += nullLength
        return null
      case 'boolean':
        this.#least += 4
        return value
      case 'bigint':
        throw new Refusal('is not JSON: it contains a big integer')
      case 'object':
        if (value !== null) return this.#enter(value)
        this.#least += nullLength
        return null
      case 'undefined':
      case 'function':
      case 'symbol':
        return dropped
    }
  }

  #enter(source: object): Json {
    if (this.#keeps?.(source) === true) return source as Json
    if (this.#within.length === this.#mostDepth || this.#within.includes(source)) {
      throw new Refusal(`is nested more than ${maxJsonDepth} objects and lists deep, or contains itself`)
    }
    this.#least += 2
    const isList = Array.isArray(source)
    if (this.#isStrict && !isList && !isPlainObject(source)) throw inexpressible()
    this.#within.push(source)
    const copies = isList ? this.#copyList(source) : this.#copyFields(source)
    this.#within.pop()
    return this.#freezes ? Object.freeze(copies) : copies
  }

  #refuseSize(): never {
    throw new Refusal(`is too large: at most ${this.#mostBytes} bytes of JSON are accepted`)
  }
}

function inexpressible(): Refusal {
  return new Refusal('is not JSON: it contains what JSON cannot express, such as NaN, a function or a class instance')
}

/** Returns true for an object that is not a class instance. */
export function isPlainObject(source: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(source)
  return prototype === Object.prototype || prototype === null
}

/** Returns the value that JSON uses: the result of `toJSON`, or the content of a boxed value. */
function asJsonReads(given: unknown, key: string | number): unknown {
  const { toJSON } = given as { readonly toJSON?: unknown }
  const value: unknown = typeof toJSON === 'function' ? Reflect.apply(toJSON, given, [String(key)]) : given
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isPlainObject(value)) return value
  return unboxed(value)
}

function unboxed(value: object): unknown {
  switch (Object.prototype.toString.call(value)) {
    case '[object Number]':
    case '[object String]':
    case '[object Boolean]':
    case '[object BigInt]':
      return value.valueOf()
    default:
      return value
  }
}
