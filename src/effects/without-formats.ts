import { isRecord, type Json, type JsonObject } from '../domain/json.ts'

/** What asks for formats to be checked, by the vocabulary of JSON Schema 2020-12. */
const assertion = 'https://json-schema.org/draft/2020-12/vocab/format-assertion'

/** Keywords whose value holds schemas by name, and those whose value is data. */
const maps = ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions']
const data = ['const', 'enum', 'default', 'examples']

/** The schema without `format`, which says something to who reads it and refuses nothing unless `$vocabulary` asks. */
export function withoutFormats(schema: JsonObject): JsonObject {
  const { $vocabulary } = schema
  return isRecord($vocabulary) && $vocabulary[assertion] === true ? schema : copyOf(schema)
}

function copyOf(schema: JsonObject): JsonObject {
  const kept = Object.entries(schema).filter(([key, value]) => key !== 'format' || typeof value !== 'string')
  return Object.fromEntries(kept.map(([key, value]) => [key, data.includes(key) ? value : inner(key, value)]))
}

function inner(key: string, value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => (isRecord(item) ? copyOf(item) : item))
  if (!isRecord(value)) return value
  if (!maps.includes(key)) return copyOf(value)
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, isRecord(item) ? copyOf(item) : item]))
}
