import type { Json, JsonObject } from '../../index.ts'

/** Parses an entered text as JSON if the schema has another type than text. */
export function typedValue(value: Json, schema: JsonObject | undefined): Json {
  if (typeof value !== 'string' || schema === undefined || schema['type'] === 'string') return value
  try {
    return JSON.parse(value) as Json
  } catch {
    return value
  }
}
