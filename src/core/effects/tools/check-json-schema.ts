import { validate } from '@cfworker/json-schema'
import { type CheckableSchema, checkableSchema, type Formats } from '../../domain/json-schema/checkable-schema.ts'
import type { JsonObject } from '../../domain/text/json.ts'

/** The value as its schema reads it, or the issues, one line each. */
export type Checked =
  | { readonly value: unknown; readonly issues?: undefined }
  /** `hasThrown` if the schema itself failed. */
  | { readonly issues: string; readonly hasThrown?: true }

const compiled = {
  checked: new WeakMap<JsonObject, CheckableSchema>(),
  ignored: new WeakMap<JsonObject, CheckableSchema>(),
}

/** Compiles each schema once, because that costs more than a check. */
function compiledSchema(schema: JsonObject, formats: Formats): CheckableSchema {
  const known = compiled[formats].get(schema) ?? checkableSchema(schema, formats)
  compiled[formats].set(schema, known)
  return known
}

/** Checks a value by a JSON Schema. Throws for a schema that cannot be checked. */
export function checkJsonSchema(given: JsonObject, value: unknown, formats: Formats = 'checked'): Checked {
  const { schema, draft, targets } = compiledSchema(given, formats)
  const result = validate(value, schema, draft, targets, false)
  if (result.valid) return { value }
  const lines = result.errors.map(({ instanceLocation, error }) => `- ${instanceLocation}: ${error}`)
  return { issues: lines.join('\n') }
}
