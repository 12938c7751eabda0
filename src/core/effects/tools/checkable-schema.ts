import { isRecord, type Json, type JsonObject } from '../../domain/text/json.ts'
import { unicodePattern } from './unicode-pattern.ts'

/** What asks for formats to be checked, by the vocabulary of JSON Schema 2020-12. */
const assertion = 'https://json-schema.org/draft/2020-12/vocab/format-assertion'

/** Keywords whose value holds schemas by name, and those whose value is data. */
const maps = ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions']
const data = ['const', 'enum', 'default', 'examples']

/**
 * The schema as the validator takes it: with patterns that it can compile, and without `format`, which says something to
 * who reads it and refuses nothing unless `$vocabulary` asks.
 */
export function checkableSchema(schema: JsonObject): JsonObject {
  const { $vocabulary } = schema
  const keepsFormats = isRecord($vocabulary) && $vocabulary[assertion] === true
  return copyOf(schema, keepsFormats)
}

function copyOf(schema: JsonObject, keepsFormats: boolean): JsonObject {
  const copied = Object.entries(schema).flatMap(([key, value]): (readonly [string, Json])[] => {
    if (data.includes(key)) return [[key, value]]
    if (key === 'format' && typeof value === 'string' && !keepsFormats) return []
    if (key === 'pattern' && typeof value === 'string') return [[key, unicodePattern(value)]]
    return [[key, inner(key, value, keepsFormats)]]
  })
  return Object.fromEntries(copied)
}

function inner(key: string, value: Json, keepsFormats: boolean): Json {
  const copied = (item: Json) => (isRecord(item) ? copyOf(item, keepsFormats) : item)
  if (Array.isArray(value)) return value.map((item: Json) => copied(item))
  if (!isRecord(value)) return value
  if (!maps.includes(key)) return copyOf(value, keepsFormats)
  const nameOf = (name: string) => (key === 'patternProperties' ? unicodePattern(name) : name)
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [nameOf(name), copied(item)]))
}
