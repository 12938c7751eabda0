/** Any value that survives `JSON.parse(JSON.stringify(value))` unchanged. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject

/** A JSON object; keys `__proto__`, `constructor` and `prototype` are refused on read. */
export type JsonObject = { readonly [key: string]: Json }

/** JSON text with object keys in sorted order at every depth, so equal values give equal text. */
export function canonicalJson(value: Json | undefined): string {
  if (value === undefined) return 'null'
  if (Array.isArray(value)) return `[${value.map((item: Json) => canonicalJson(item)).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const fields = Object.entries(value as JsonObject)
    .filter(([, item]) => item !== undefined)
    .sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0))
    .map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`)
  return `{${fields.join(',')}}`
}

const refusedKeyInText = /"(?:__proto__|constructor|prototype)"\s*:/

/** A copy as JSON sees the value; undefined for cycles, functions, big integers, and keys a store refuses. */
export function toPlainJson(value: unknown): Json | undefined {
  try {
    const text = JSON.stringify(value)
    if (text === undefined) return undefined
    return refusedKeyInText.test(text) ? (JSON.parse(text, refuseKey) as Json) : (JSON.parse(text) as Json)
  } catch {
    return undefined
  }
}

/** Escaped quotes may look like a key; only the parser knows. */
function refuseKey(key: string, value: unknown): unknown {
  if (key === '__proto__' || key === 'constructor' || key === 'prototype') throw new Error(`Key "${key}" is refused.`)
  return value
}
