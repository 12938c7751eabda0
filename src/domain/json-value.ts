/** Any value that survives `JSON.parse(JSON.stringify(value))` unchanged. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject

/** A JSON object; keys `__proto__`, `constructor` and `prototype` are refused on read. */
export type JsonObject = { readonly [key: string]: Json }
