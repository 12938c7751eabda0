import { isRecord } from '../text/json.ts'
import { type Fits, isBoolean, isNumber, isOneOf, isText, isTexts } from '../text/shape.ts'
import { isSubSchema } from './subschemas.ts'

type Rule = readonly [fits: Fits, wish: string]

const isType = isOneOf('null', 'boolean', 'object', 'array', 'number', 'integer', 'string')
const number: Rule = [isNumber, 'a number']
const text: Rule = [isText, 'a text']
const anySchema: Rule = [isSubSchema, 'a schema']
const isSchemas: Fits = (value) => Array.isArray(value) && value.every(isSubSchema)
const schemas: Rule = [(value) => isSchemas(value) && (value as unknown[]).length > 0, 'a list of schemas']
const isSchemaMap: Fits = (value) => isRecord(value) && Object.values(value).every(isSubSchema)
const schemaMap: Rule = [isSchemaMap, 'schemas by name']
const limit: Rule = [(value) => isNumber(value) || isBoolean(value), 'a number']
const isDependency: Fits = (value) => isSubSchema(value) || isTexts(value)

const rules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['type', [(value) => isType(value) || (Array.isArray(value) && value.every(isType)), 'a type of JSON Schema']],
  ['enum', [Array.isArray, 'a list of values']],
  ['const', [() => true, '']],
  ['required', [isTexts, 'a list of names']],
  ['multipleOf', [(value) => isNumber(value) && value > 0, 'a number above 0']],
  ['exclusiveMinimum', limit],
  ['exclusiveMaximum', limit],
  ['items', [(value) => isSubSchema(value) || isSchemas(value), 'a schema or a list of schemas']],
  ['dependentRequired', [(value) => isRecord(value) && Object.values(value).every(isTexts), 'names by name']],
  ['dependencies', [(value) => isRecord(value) && Object.values(value).every(isDependency), 'schemas by name']],
  ['uniqueItems', [isBoolean, 'true or false']],
  ...named(text, ['$ref', '$dynamicRef', '$recursiveRef', 'pattern', 'format']),
  ...named(number, ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties']),
  ...named(number, ['maxProperties', 'minContains', 'maxContains']),
  ...named(schemas, ['allOf', 'anyOf', 'oneOf', 'prefixItems']),
  ...named(schemaMap, ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions']),
  ...named(anySchema, ['not', 'if', 'then', 'else', 'contains', 'propertyNames', 'additionalItems']),
  ...named(anySchema, ['additionalProperties', 'unevaluatedProperties', 'unevaluatedItems']),
])

const notes = ['$schema', '$id', 'id', '$comment', '$anchor', '$dynamicAnchor', '$recursiveAnchor', '$vocabulary']
const noteWords = new Set([...notes, 'title', 'description', 'default', 'examples', 'deprecated'])

function named(rule: Rule, names: readonly string[]): (readonly [string, Rule])[] {
  return names.map((name) => [name, rule] as const)
}

/** Returns the problem with a keyword's value, or undefined if it can be checked or is not checked at all. */
export function keywordProblem(key: string, value: unknown): string | undefined {
  const rule = rules.get(key)
  if (rule === undefined || rule[0](value)) return undefined
  return `${JSON.stringify(key)} has the value ${(JSON.stringify(value) ?? typeof value).slice(0, 100)}; expected ${rule[1]}`
}

/** Returns true for an object with content and without JSON Schema keywords, such as a shape without its schema. */
export function isShape(schema: Readonly<Record<string, unknown>>): boolean {
  const keys = Object.keys(schema).filter((key) => !key.startsWith('x-'))
  if (Object.values(schema).some(isStandardValue)) return true
  return keys.length > 0 && !keys.some((key) => rules.has(key) || noteWords.has(key))
}

function isStandardValue(value: unknown): boolean {
  return ((typeof value === 'object' && value !== null) || typeof value === 'function') && '~standard' in value
}
