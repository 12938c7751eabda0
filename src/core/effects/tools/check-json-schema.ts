import { Validator } from '@cfworker/json-schema'
import type { JsonObject } from '../../domain/text/json.ts'
import { checkableSchema } from './checkable-schema.ts'

/** The value as its schema gives it, or what is wrong with it, a line an issue. */
export type Checked =
  | { readonly value: unknown; readonly issues?: undefined }
  /** `hasThrown` where the schema itself failed. */
  | { readonly issues: string; readonly hasThrown?: true }

const validators = new WeakMap<JsonObject, Validator>()

/** Compiling a schema costs more than checking a value, so each is compiled once. */
function validatorOf(schema: JsonObject): Validator {
  const known = validators.get(schema) ?? new Validator(checkableSchema(schema), '2020-12', false)
  validators.set(schema, known)
  return known
}

/** Checks a value by a JSON Schema. Throws where the schema cannot be compiled. */
export function checkJsonSchema(schema: JsonObject, value: unknown): Checked {
  const validator = validatorOf(schema)
  const result = validator.validate(value)
  if (result.valid) return { value }
  const lines = result.errors.map(({ instanceLocation, error }) => `- ${instanceLocation}: ${error}`)
  return { issues: lines.join('\n') }
}
