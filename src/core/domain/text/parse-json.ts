import type { Json } from './json-value.ts'

/** The keys that reach a prototype; no store accepts them. */
export const refusedKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

const refusedKeyInText = /"(?:__proto__|constructor|prototype)"\s*:/
const escapeInText = /\\u/

/** Returns true for generated JSON text that may contain a rejected key; such text never escapes these keys. */
export function mayHoldRefusedKey(text: string): boolean {
  return refusedKeyInText.test(text)
}

/** Returns the value of a JSON text of any depth; throws a SyntaxError for invalid JSON or a rejected key. */
export function parseJson(text: string): Json {
  const value = JSON.parse(text) as Json
  // Most texts contain no such key, plain or escaped, and need no walk.
  if (mayHoldRefusedKey(text) || escapeInText.test(text)) refuseKeys(value)
  return value
}

/** Returns the value of a text that is JSON; undefined for any other text. */
export function jsonIn(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/** Throws for a rejected key; iterates because a reviver would recurse for each nested object. */
function refuseKeys(value: Json): void {
  const open: Json[] = [value]
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    if (item === null || typeof item !== 'object') continue
    const key = Object.keys(item).find((name) => refusedKeys.has(name))
    if (key !== undefined) throw new SyntaxError(`the key "${key}" is refused`)
    for (const field of Object.values(item)) open.push(field)
  }
}
