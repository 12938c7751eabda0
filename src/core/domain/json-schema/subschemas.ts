import { isRecord } from '../text/json.ts'

/** A JSON Schema: an object, or true for any value and false for none. */
export type SubSchema = Readonly<Record<string, unknown>> | boolean

/** Keywords whose value contains schemas by name, and keywords whose value is a schema or a list of schemas. */
const maps = new Set(['properties', 'patternProperties', 'dependentSchemas', 'dependencies', '$defs', 'definitions'])
const holders = new Set([
  ...['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'],
  ...['items', 'prefixItems', 'additionalItems', 'unevaluatedItems', 'contains'],
  ...['additionalProperties', 'unevaluatedProperties', 'propertyNames'],
])

/** Returns true for an object or a boolean, the two forms of a schema. */
export function isSubSchema(value: unknown): value is SubSchema {
  return isRecord(value) || typeof value === 'boolean'
}

/** A function that visits a schema at its place in the document and returns its replacement. */
export type VisitSchema = (schema: SubSchema, place: string) => unknown

/** Returns the value of a keyword with each schema in it replaced by the visit's result. */
export function mapSubschemas(key: string, value: unknown, place: string, visit: VisitSchema): unknown {
  const visited = (item: unknown, at: string) => (isSubSchema(item) ? visit(item, at) : item)
  if (holders.has(key) && Array.isArray(value))
    return value.map((item: unknown, index) => visited(item, `${place}/${index}`))
  if (holders.has(key)) return visited(value, place)
  if (!maps.has(key) || !isRecord(value)) return value
  const entries = Object.entries(value).map(([name, item]) => [name, visited(item, `${place}/${escapedKey(name)}`)])
  return Object.fromEntries(entries)
}

/** Returns a key in the syntax of JSON Pointer. */
export function escapedKey(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** Returns the key of a JSON Pointer's part in a URI. */
export function unescapedKey(part: string): string {
  let text = part
  try {
    text = decodeURIComponent(part)
  } catch {
    // The text is not valid URI encoding, so it is used unchanged.
  }
  return text.replaceAll('~1', '/').replaceAll('~0', '~')
}
