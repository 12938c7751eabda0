import { Validator } from '@cfworker/json-schema'
import { type JsonObject, toPlainJson } from '../domain/json.ts'
import { thrownText } from '../domain/thrown-text.ts'
import type { Schema, SchemaIssue, StandardSchema } from '../ports/schema.ts'
import { checkableSchema } from './checkable-schema.ts'
import { isStandard } from './json-schema-of.ts'

/** The value as its schema gives it, or what is wrong with it, a line an issue. */
export type Checked =
  | { readonly value: unknown; readonly issues?: undefined }
  /** `hasThrown` where the schema itself failed. */
  | { readonly issues: string; readonly hasThrown?: true }

/** Validates a copy of a value, giving the schema's output or one line per issue; a schema that throws is an issue. */
export async function checkValue(schema: Schema, value: unknown): Promise<Checked> {
  const copy = toPlainJson(value)
  try {
    return isStandard(schema) ? await checkStandard(schema, copy) : checkJsonSchema(schema, copy)
  } catch (error) {
    return { issues: `- The check itself failed: ${thrownText(error)}`, hasThrown: true }
  }
}

async function checkStandard(schema: StandardSchema, value: unknown): Promise<Checked> {
  const result = await schema['~standard'].validate(value)
  if (result.issues === undefined) return { value: result.value }
  return { issues: result.issues.map(describe).join('\n') }
}

function describe({ path, message }: SchemaIssue): string {
  const keys = (path ?? []).map((part) => String(typeof part === 'object' ? part.key : part))
  return keys.length === 0 ? `- ${message}` : `- ${keys.join('.')}: ${message}`
}

const validators = new WeakMap<JsonObject, Validator>()

/** Compiling a schema costs more than checking a value, so each is compiled once. */
function validatorOf(schema: JsonObject): Validator {
  const known = validators.get(schema) ?? new Validator(checkableSchema(schema), '2020-12', false)
  validators.set(schema, known)
  return known
}

/** The same at once, by a JSON Schema. */
export function checkJsonSchema(schema: JsonObject, value: unknown): Checked {
  const validator = validatorOf(schema)
  const result = validator.validate(value)
  if (result.valid) return { value }
  const lines = result.errors.map(({ instanceLocation, error }) => `- ${instanceLocation}: ${error}`)
  return { issues: lines.join('\n') }
}
