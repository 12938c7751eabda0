/** The fields of a stored or given value, by name. */
export type Fields = { readonly [name: string]: unknown }

/** Returns true for an object that is not a list. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the fields of an object; of any other value, none. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {}
}
