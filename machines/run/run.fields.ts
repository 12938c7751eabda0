/** Fields of whatever was stored or given, by their names. */
export type Fields = { readonly [name: string]: unknown }

/** True for an object that is not a list. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The fields of an object; of anything else none. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {}
}
