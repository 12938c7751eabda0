import { isRecord } from '../text/json.ts'

/** A schema of JSON Schema: an object, or true and false for any value and none. */
export type SubSchema = Readonly<Record<string, unknown>> | boolean

/** Keywords whose value holds schemas by name, and those whose value is a schema or a list of schemas. */
const maps = new Set(['properties', 'patternProperties', 'dependentSchemas', 'dependencies', '$defs', 'definitions'])
const holders = new Set([
  ...['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'],
  ...['items', 'prefixItems', 'additionalItems', 'unevaluatedItems', 'contains'],
  ...['additionalProperties', 'unevaluatedProperties', 'propertyNames'],
])

/** True for an object and for a boolean, which are the two forms of a schema. */
export function isSubSchema(value: unknown): value is SubSchema {
  return isRecord(value) || typeof value === 'boolean'
}

/** Visits a schema at its place within the document and returns what stands in its place. */
export type VisitSchema = (schema: SubSchema, place: string) => unknown

/** Returns the value of a keyword with each schema in it replaced by what the visit returns. */
export function mapSubschemas(key: string, value: unknown, place: string, visit: VisitSchema): unknown {
  const visited = (item: unknown, at: string) => (isSubSchema(item) ? visit(item, at) : item)
  if (holders.has(key) && Array.isArray(value))
    return value.map((item: unknown, index) => visited(item, `${place}/${index}`))
  if (holders.has(key)) return visited(value, place)
  if (!maps.has(key) || !isRecord(value)) return value
  const entries = Object.entries(value).map(([name, item]) => [name, visited(item, `${place}/${escapedKey(name)}`)])
  return Object.fromEntries(entries)
}

/** Returns a key as a JSON Pointer spells it. */
export function escapedKey(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** Returns the key that a part of a JSON Pointer in a URI stands for. */
export function unescapedKey(part: string): string {
  let text = part
  try {
    text = decodeURIComponent(part)
  } catch {
    // It is no part of a URI, and stands for itself.
  }
  return text.replaceAll('~1', '/').replaceAll('~0', '~')
}
