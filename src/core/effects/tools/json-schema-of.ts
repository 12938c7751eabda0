import { isRecord, type JsonObject } from '../../domain/text/json.ts'
import { loadZod } from '../../domain/text/platform.ts'
import { thrownText } from '../../domain/text/thrown-text.ts'
import type { Schema, StandardSchema } from '../../ports/schema.ts'

const converted = new WeakMap<Schema, JsonObject>()

/** Returns the JSON Schema for a model or a form, converted once for each schema. */
export function jsonSchemaOf(schema: Schema): JsonObject {
  const known = converted.get(schema) ?? convert(schema)
  converted.set(schema, known)
  return known
}

const rooted = new WeakMap<JsonObject, JsonObject>()

/**
 * Returns the JSON Schema of a tool's arguments. Throws a `TypeError` if it is not for an object, because models send
 * only objects.
 */
export function argumentsSchemaOf(schema: Schema): JsonObject {
  const json = jsonSchemaOf(schema)
  if (json['type'] === 'object') return json
  const known = rooted.get(json) ?? asObject(json)
  rooted.set(json, known)
  return known
}

/** Keywords without meaning, or with a meaning for objects only. */
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

/** Returns true for a Standard Schema, which may be a function, like those of ArkType. */
export function isStandard(schema: Schema): schema is StandardSchema {
  return '~standard' in schema
}

function convert(schema: Schema): JsonObject {
  if (!isStandard(schema)) return schema
  const { jsonSchema: converter, vendor } = schema['~standard']
  const made = converter === undefined ? convertedBy(vendor, schema) : converter.input({ target: 'draft-2020-12' })
  const { $schema: _, ...json } = made as Record<string, never>
  return json
}

function convertedBy(vendor: string, schema: StandardSchema): Record<string, unknown> {
  if (vendor === 'zod' && '_zod' in schema) return convertedByZod(schema)
  const wish =
    vendor === 'valibot'
      ? 'Wrap it: toStandardJsonSchema(schema) of the package @valibot/to-json-schema.'
      : 'Use zod 4 or later, or give a JSON Schema.'
  throw new TypeError(`The schema of vendor "${vendor}" cannot be converted to JSON Schema. ${wish}`)
}

/** Converts schemas of zod/mini, which have no converter, with zod, which is loaded only for them. */
function convertedByZod(schema: StandardSchema): Record<string, unknown> {
  try {
    const zod = loadZod()
    const convertSchema: unknown = isRecord(zod) ? zod['toJSONSchema'] : undefined
    if (typeof convertSchema !== 'function') throw new Error('zod has no toJSONSchema.')
    const made: unknown = Reflect.apply(convertSchema, undefined, [schema, { target: 'draft-2020-12', io: 'input' }])
    return isRecord(made) ? made : {}
  } catch (error) {
    const wish = 'Use zod instead of zod/mini, or pass the result of z.toJSONSchema.'
    throw new TypeError(`The schema of zod/mini cannot be converted to JSON Schema: ${thrownText(error)} ${wish}`, {
      cause: error,
    })
  }
}
