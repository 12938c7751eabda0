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
