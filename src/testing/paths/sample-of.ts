import { isRecord, type Json, type JsonObject } from '../../core/domain/text/json.ts'
import type { Schema } from '../../core/ports/schema.ts'

/** Returns a small value that should fit a schema: its default, its first example, or only its required parts. */
export function sampleOf(schema: Schema): Json {
  const json = jsonSchemaOf(schema)
  return json === undefined ? {} : sample(json)
}

/** Returns a schema of arguments as JSON Schema, or undefined for a Standard Schema that has none. */
export function jsonSchemaOf(schema: Schema): JsonObject | undefined {
  return '~standard' in schema ? inputSchema(schema as StandardSchema) : schema
}

type StandardSchema = Extract<Schema, { readonly '~standard': unknown }>

function inputSchema(schema: StandardSchema): JsonObject | undefined {
  return schema['~standard'].jsonSchema?.input({ target: 'draft-2020-12' }) as JsonObject | undefined
}

function sample(schema: JsonObject): Json {
  const { default: given, const: only, examples, anyOf, oneOf } = schema
  const listed = [...listOf(examples), ...listOf(schema['enum'])]
  if (given !== undefined) return given
  if (only !== undefined) return only
  if (listed[0] !== undefined) return listed[0]
  const [choice] = [...listOf(anyOf), ...listOf(oneOf)]
  return isRecord(choice) ? sample(choice) : sampleOfType(schema)
}

function sampleOfType(schema: JsonObject): Json {
  const type = Array.isArray(schema['type']) ? schema['type'][0] : schema['type']
  switch (type) {
    case 'string':
      return sampleText(schema)
    case 'integer':
    case 'number':
      return sampleNumber(schema)
    case 'boolean':
      return true
    case 'null':
      return null
    case 'array': {
      const { items, minItems } = schema
      return Array.from({ length: Number(minItems ?? 0) }, () => (isRecord(items) ? sample(items) : null))
    }
    default:
      return sampleObject(schema)
  }
}

function sampleText({ minLength, format }: JsonObject): string {
  const formats: Readonly<Record<string, string>> = {
    email: 'ada@example.org',
    uri: 'https://example.org',
    date: '2000-01-01',
    'date-time': '2000-01-01T00:00:00Z',
    uuid: '6f1c8a52-1f0e-4f0a-9a3b-0c5d7e9f1a2b',
  }
  return (typeof format === 'string' ? formats[format] : undefined) ?? 'sample'.padEnd(Number(minLength ?? 0), '.')
}

function sampleNumber({ minimum, exclusiveMinimum, maximum }: JsonObject): number {
  if (minimum !== undefined && Number(minimum) > 1) return Number(minimum)
  if (exclusiveMinimum !== undefined && Number(exclusiveMinimum) >= 1) return Number(exclusiveMinimum) + 1
  return Math.min(1, Number(maximum ?? 1))
}

function sampleObject({ properties, required }: JsonObject): Json {
  const known = isRecord(properties) ? properties : {}
  const names = listOf(required).map(String)
  return Object.fromEntries(
    names.map((name) => {
      const own = known[name]
      return [name, isRecord(own) ? sample(own) : 'sample']
    }),
  )
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : []
}
