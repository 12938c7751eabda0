import type { JsonObject } from '../domain/json.ts'
import type { Schema, StandardSchema } from '../ports/schema.ts'

const converted = new WeakMap<Schema, JsonObject>()

/** The JSON Schema a model or a form is shown; converted once for each schema. */
export function jsonSchemaOf(schema: Schema): JsonObject {
  const known = converted.get(schema) ?? convert(schema)
  converted.set(schema, known)
  return known
}

const rooted = new WeakMap<JsonObject, JsonObject>()

/** The JSON Schema of a tool's arguments; throws a `TypeError` where they are no object, as models give nothing else. */
export function argumentsSchemaOf(schema: Schema): JsonObject {
  const json = jsonSchemaOf(schema)
  if (json['type'] === 'object') return json
  const known = rooted.get(json) ?? asObject(json)
  rooted.set(json, known)
  return known
}

/** Keywords that say nothing, or something of objects alone. */
const ofObjects = [
  ...['$schema', '$id', '$comment', '$defs', 'definitions', '$vocabulary', '$anchor'],
  ...['title', 'description', 'default', 'examples', 'deprecated'],
  ...['properties', 'required', 'additionalProperties', 'patternProperties', 'propertyNames', 'minProperties'],
  ...['maxProperties', 'dependentRequired', 'dependentSchemas', 'unevaluatedProperties'],
]

function asObject(json: JsonObject): JsonObject {
  const { type } = json
  const others = Object.keys(json).filter((key) => !ofObjects.includes(key) && !key.startsWith('x-'))
  if (type === undefined && others.length === 0) return { type: 'object', ...json }
  const found = type === undefined ? `has no type, but ${others.join(', ')}` : `has the type ${JSON.stringify(type)}`
  throw new TypeError(
    `The root of its JSON Schema ${found}. A tool's arguments are an object: expected the type "object" there, and the rest in a property of it.`,
  )
}

/** True for a Standard Schema, which may be a function, as those of ArkType are. */
export function isStandard(schema: Schema): schema is StandardSchema {
  return '~standard' in schema
}

function convert(schema: Schema): JsonObject {
  if (!isStandard(schema)) return schema
  const { jsonSchema: converter, vendor } = schema['~standard']
  if (converter === undefined) throw unconverted(vendor, schema)
  const { $schema: _, ...json } = converter.input({ target: 'draft-2020-12' }) as Record<string, never>
  return json
}

function unconverted(vendor: string, schema: StandardSchema): TypeError {
  const text = `The schema of vendor "${vendor}" cannot be converted to JSON Schema. ${wayOut(vendor, schema)}`
  return new TypeError(text)
}

function wayOut(vendor: string, schema: StandardSchema): string {
  if (vendor === 'valibot') return 'Wrap it: toStandardJsonSchema(schema) of the package @valibot/to-json-schema.'
  const isMini = vendor === 'zod' && '_zod' in schema
  if (isMini) return "It is of zod/mini: use zod, or give z.toJSONSchema(schema, { io: 'input' }) as a JSON Schema."
  return 'Use zod 4 or later, or give a JSON Schema.'
}
