import { frozenCopy, type Json } from '../../domain/json.ts'

const refusedKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])
const refusedKeyInText = /"(?:__proto__|constructor|prototype)"\s*:/
const escapeInText = /\\u/

/** Parses stored JSON text; throws a SyntaxError for text that is not JSON or holds a refused key. */
export function parseJson(text: string): Json {
  // The reviver costs ten times the parse, so it runs only where a refused key, spelled out or escaped, can be.
  return refusedKeyInText.test(text) || escapeInText.test(text) ? JSON.parse(text, refuseKey) : JSON.parse(text)
}

/** JSON text of a value; throws a TypeError for a value that `parseJson` would not give back. */
export function stringifyJson(value: unknown, what: string): string {
  let text: string | undefined
  try {
    text = JSON.stringify(value)
    if (text !== undefined && refusedKeyInText.test(text)) JSON.parse(text, refuseKey)
  } catch (cause) {
    throw new TypeError(`${what} cannot be stored: ${messageOf(cause)}. Hand in plain JSON.`, { cause })
  }
  if (text === undefined) throw new TypeError(`${what} cannot be stored: it is ${typeof value}. Hand in plain JSON.`)
  return text
}

/** JSON as rows keep it: its text, or the frozen value itself where rows live in memory. */
export type KeptJson = string | { readonly value: Json }

/** How a store keeps the JSON it is given; a TypeError for a value that would not come back. */
export type KeepJson = (value: unknown, what: string) => KeptJson

/** Keeps a frozen copy, and makes no text of it; a value that has no such copy fails as its text would. */
export function keepFrozen(value: unknown, what: string): KeptJson {
  const copy = frozenCopy(value) as Json | undefined
  return copy === undefined ? { value: parseJson(stringifyJson(value, what)) } : { value: copy }
}

/** The text of kept JSON. */
export function textOf(kept: KeptJson): string {
  return typeof kept === 'string' ? kept : JSON.stringify(kept.value)
}

/** The value of kept JSON; throws a SyntaxError for text that is not JSON or holds a refused key. */
export function readKept(kept: KeptJson): Json {
  return typeof kept === 'string' ? parseJson(kept) : kept.value
}

/** Says why a value is not plain JSON; undefined where it is. */
export function jsonProblem(value: unknown): string | undefined {
  try {
    stringifyJson(value, 'The value')
    return isJson(value)
      ? undefined
      : 'It holds a value that JSON cannot express, such as NaN, a function or a class instance.'
  } catch (error) {
    return messageOf(error)
  }
}

/** The message of whatever was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

function isJson(value: unknown): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true
  if (typeof value === 'number') return Number.isFinite(value)
  if (Array.isArray(value)) return value.every(isJson)
  if (typeof value !== 'object') return false
  const prototype: unknown = Object.getPrototypeOf(value)
  const isPlain = prototype === Object.prototype || prototype === null
  return isPlain && Object.values(value).every((field) => field === undefined || isJson(field))
}

function refuseKey(key: string, value: unknown): unknown {
  if (refusedKeys.has(key)) throw new SyntaxError(`the key "${key}" is refused`)
  return value
}
