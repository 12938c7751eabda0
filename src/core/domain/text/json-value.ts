/** Any value that survives `JSON.parse(JSON.stringify(value))` unchanged. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject

/** A JSON object; the keys `__proto__`, `constructor` and `prototype` are rejected on read. */
export type JsonObject = { readonly [key: string]: Json }

declare const isOwned: unique symbol

/** Plain JSON without other owners, frozen at every depth. It is copied only where it enters the engine. */
export type Owned<Value> = Value & { readonly [isOwned]: true }
