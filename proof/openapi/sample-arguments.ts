import { isRecord, type Json, type JsonObject } from '../../src/core/domain/text/json.ts'

/** Arguments a schema takes: what is required, and of a body everything; references within the schema are followed. */
export function sampleArguments(schema: JsonObject): JsonObject {
  return sample(schema, schema, 0) as JsonObject
}

/** Arguments the schema refuses: one of a wrong type or, where any type goes, one nobody knows. */
export function misfitArguments(schema: JsonObject): JsonObject {
  return { ...sampleArguments(schema), 'no such argument': true }
}

function sample(given: Json, root: JsonObject, depth: number): Json {
  if (!isRecord(given)) return 'any'
  const schema = merged(given, root, depth)
  const { const: only, enum: listed, default: preset, examples, type } = schema
  const [choice] = [...listOf(schema['oneOf']), ...listOf(schema['anyOf'])]
  if (only !== undefined) return only
  for (const options of [listed, examples]) if (Array.isArray(options) && options.length > 0) return options[0] as Json
  if (preset !== undefined && preset !== null) return preset
  if (choice !== undefined && depth < 12) {
    const { oneOf: _, anyOf: __, ...rest } = schema
    return sample({ ...rest, ...merged(choice as JsonObject, root, depth + 1) }, root, depth + 1)
  }
  switch (Array.isArray(type) ? type[0] : type) {
    case 'integer':
    case 'number':
      return numberOf(schema)
    case 'boolean':
      return true
    case 'null':
      return null
    case 'array':
      return Array.from({ length: Math.max(Number(schema['minItems'] ?? 1), depth > 8 ? 0 : 1) }, () =>
        sample(schema['items'] ?? {}, root, depth + 1),
      )
    case 'string':
      return textOf(schema)
    default:
      return isRecord(schema['properties']) || type === 'object' ? objectOf(schema, root, depth) : 'any'
  }
}

function merged(schema: JsonObject, root: JsonObject, depth: number): JsonObject {
  const { $ref, allOf, ...rest } = schema
  const parts: JsonObject[] = []
  if (typeof $ref === 'string' && depth < 12) {
    const target = Object(root['$defs'])[$ref.slice('#/$defs/'.length)] as JsonObject | undefined
    if (target !== undefined) parts.push(merged(target, root, depth + 1))
  }
  for (const part of listOf(allOf)) if (isRecord(part) && depth < 12) parts.push(merged(part, root, depth + 1))
  return [...parts, rest].reduce<JsonObject>((all, part) => {
    const properties = { ...Object(all['properties']), ...Object(part['properties']) } as JsonObject
    const required = [...listOf(all['required']), ...listOf(part['required'])]
    return {
      ...all,
      ...part,
      ...(Object.keys(properties).length > 0 ? { properties } : {}),
      ...(required.length > 0 ? { required } : {}),
    }
  }, {})
}

function objectOf({ properties, required }: JsonObject, root: JsonObject, depth: number): JsonObject {
  const known = isRecord(properties) ? properties : {}
  const names = depth > 3 ? listOf(required).map(String) : Object.keys(known)
  const wanted = new Set([...names, ...listOf(required).map(String)])
  return Object.fromEntries([...wanted].map((name) => [name, sample(known[name] ?? {}, root, depth + 1)]))
}

const formats: Readonly<Record<string, string>> = {
  date: '2026-01-02',
  'date-time': '2026-01-02T03:04:05Z',
  email: 'ada@example.org',
  uri: 'https://example.org/a',
  url: 'https://example.org/a',
  uuid: '6f1c8a52-1f0e-4f0a-9a3b-0c5d7e9f1a2b',
  byte: 'YQ==',
}

function textOf({ format, minLength, maxLength, pattern }: JsonObject): string {
  if (typeof format === 'string' && formats[format] !== undefined) return formats[format]
  if (typeof pattern === 'string') return patternText(pattern)
  return 'sample'.padEnd(Number(minLength ?? 0), '.').slice(0, Number(maxLength ?? 1_000))
}

/** Texts for the patterns that the example documents hold. */
function patternText(pattern: string): string {
  const id = '507f1f77bcf86cd799439011'
  const places = [
    'categories/guides/sample',
    'guides/sample',
    'custom_pages/sample',
    'recipes/sample',
    'apis/sample.json',
  ]
  const candidates = [
    ...['sample', '1', '1.0.0', 'a-b', 'https://example.org', '#aabbcc', 'sample.json', 'stable', '/sample', id],
    ...[`/images/${id}`, `/owners/${id}`, `/users/${id}`, '/projects/sample'],
    ...places.map((place) => `/branches/stable/${place}`),
  ]
  return candidates.find((text) => new RegExp(pattern, 'u').test(text)) ?? 'sample'
}

function numberOf({ minimum, exclusiveMinimum, maximum, multipleOf }: JsonObject): number {
  const least = Number(minimum ?? Number(exclusiveMinimum ?? 0) + 1)
  const value = Math.min(Math.max(least, 1), Number(maximum ?? Number.MAX_SAFE_INTEGER))
  return multipleOf === undefined ? value : Math.ceil(value / Number(multipleOf)) * Number(multipleOf)
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : []
}
