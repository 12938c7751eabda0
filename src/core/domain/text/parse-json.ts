import type { Json } from './json-value.ts'

/** True for keys that reach a prototype; no store takes them. */
export function isRefusedKey(key: string): boolean {
  return key === '__proto__' || key === 'constructor' || key === 'prototype'
}

const refusedKeyInText = /"(?:__proto__|constructor|prototype)"\s*:/
const escapeInText = /\\u/

/** True for a text made of JSON that may hold a refused key; none is spelled with escapes there. */
export function mayHoldRefusedKey(text: string): boolean {
  return refusedKeyInText.test(text)
}

/** The value of a JSON text, however deep; throws a SyntaxError for text that is not JSON or holds a refused key. */
export function parseJson(text: string): Json {
  const value = JSON.parse(text) as Json
  // Most texts hold no such key, spelled out or escaped, and need no walk.
  if (mayHoldRefusedKey(text) || escapeInText.test(text)) refuseKeys(value)
  return value
}

/** A reviver would call itself for each object in another. */
function refuseKeys(value: Json): void {
  const open: Json[] = [value]
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    if (item === null || typeof item !== 'object') continue
    const key = Object.keys(item).find(isRefusedKey)
    if (key !== undefined) throw new SyntaxError(`the key "${key}" is refused`)
    for (const field of Object.values(item)) open.push(field)
  }
}
