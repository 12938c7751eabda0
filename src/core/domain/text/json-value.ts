/** Any value that survives `JSON.parse(JSON.stringify(value))` unchanged. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject

/** A JSON object; keys `__proto__`, `constructor` and `prototype` are refused on read. */
export type JsonObject = { readonly [key: string]: Json }

declare const isOwned: unique symbol

/** Plain JSON that is nobody else's and frozen at every depth: copied where it came in, and nowhere inside. */
export type Owned<Value> = Value & { readonly [isOwned]: true }
