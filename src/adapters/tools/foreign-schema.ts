import { Validator } from '@cfworker/json-schema'
import { type Fits, isNumber, isOneOf, isTexts } from '../../core/domain/text/shape.ts'
import { isRecord, type Json, jsonBytes, type JsonObject, toPlainJson } from '../../core/domain/text/json.ts'
import type { SchemaIssue, StandardSchema } from '../../core/ports/schema.ts'
import { foreignText } from './foreign-text.ts'
import { valueAt } from './json-pointer.ts'

const maxBytes = 100_000

/** Subschemas that are checked; what comes after them its owner has to check. */
const maxNodes = 2_000

const maxDescription = 1_000

/** Returns the schema of a foreign tool. Patterns, formats, negations and circular references are not checked. */
export function foreignSchema(given: unknown): StandardSchema {
  const plain = toPlainJson(given)
  const isUsable = isRecord(plain) && plain['type'] === 'object' && jsonBytes(plain) <= maxBytes
  const schema: JsonObject = isUsable ? plain : { type: 'object' }
  const { $schema: _, ...shown } = shownOf(flatRoot(schema)) as Record<string, Json>
  let validator: Validator | undefined
  return {
    '~standard': {
      version: 1,
      vendor: 'statewright',
      validate: (value) => {
        validator ??= new Validator(checkable(schema), '2020-12', false)
        const { valid, errors } = validator.validate(value)
        return valid ? { value } : { issues: errors.map(issueOf) }
      },
      jsonSchema: { input: () => shown },
    },
  }
}

function issueOf({ instanceLocation, error }: { instanceLocation: string; error: string }): SchemaIssue {
  const path = instanceLocation.split('/').slice(1)
  return path.length === 0 ? { message: error } : { message: error, path }
}

/** Merges the alternatives at the root of a schema, because vendors refuse them in arguments. */
function flatRoot(schema: JsonObject): JsonObject {
  const { anyOf, oneOf, allOf, not: _, enum: __, ...rest } = schema
  const branches = [anyOf, oneOf, allOf].flat().flatMap((branch): readonly unknown[] => {
    if (!isRecord(branch)) return []
    const { $ref } = branch
    return [typeof $ref === 'string' ? targetOf(schema, $ref, () => new Map()) : branch]
  })
  if (branches.length === 0) return rest
  const parts = [...branches, schema].map((part) => (isRecord(part) ? part['properties'] : undefined))
  const properties = parts.flatMap((part) => (isRecord(part) ? Object.entries(part) : []))
  return { ...rest, properties: Object.fromEntries(properties) as JsonObject }
}

/** Keywords whose value may be null: it is data. */
const mayBeNull = ['const', 'default', 'example']

/** Keywords whose value is data, or holds schemas by names that are no keywords. */
const holdsData = ['const', 'default', 'example', 'examples', 'enum']
const holdsNames = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']

function shownOf(value: Json, keys: 'keywords' | 'names' = 'keywords'): Json {
  if (Array.isArray(value)) return value.map((item: Json) => shownOf(item))
  if (!isRecord(value)) return value
  const fields = Object.entries(value).flatMap(([key, item]): (readonly [string, Json])[] => {
    if (keys === 'names') return [[key, item === null ? {} : shownOf(item)]]
    if (item === null && !mayBeNull.includes(key)) return []
    if (key === 'required' && !isTexts(item)) return []
    if (key === '$ref' && typeof item === 'string' && !item.startsWith('#')) return []
    if (key === '$recursiveRef' && typeof item === 'string') return []
    if (key === 'enum' && Array.isArray(item) && item.length === 0) return []
    if (key === 'description' && typeof item === 'string') return [[key, foreignText(item, maxDescription)]]
    if (holdsData.includes(key)) return [[key, item]]
    return [[key, shownOf(item, holdsNames.includes(key) ? 'names' : 'keywords')]]
  })
  return Object.fromEntries(fields)
}

const isType = isOneOf('null', 'boolean', 'object', 'array', 'number', 'integer', 'string')
const isSchema = (value: unknown): value is Json => isRecord(value) || typeof value === 'boolean'

const plainKeywords: Readonly<Record<string, Fits>> = {
  type: (value) => isType(value) || (Array.isArray(value) && value.length > 0 && value.every(isType)),
  enum: (value) => Array.isArray(value) && value.length > 0,
  const: () => true,
  required: isTexts,
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  multipleOf: (value) => typeof value === 'number' && value > 0,
  minLength: isNumber,
  maxLength: isNumber,
  minItems: isNumber,
  maxItems: isNumber,
  minProperties: isNumber,
  maxProperties: isNumber,
}

/**
 * A schema that accepts every value that the given one accepts, and perhaps more. It has no reference, so it is finite.
 */
function checkable(root: JsonObject): JsonObject {
  let left = maxNodes
  let known: ReadonlyMap<unknown, Json> | undefined
  const anchors = () => (known ??= anchorsOf(root))
  const list = (value: unknown, open: readonly string[]): readonly Json[] =>
    Array.isArray(value) ? value.map((item: Json) => loosened(item, open)) : []

  function loosened(schema: Json, open: readonly string[]): Json {
    if (!isRecord(schema)) return schema !== false
    if (left-- <= 0) return true
    const all: Json[] = [...list(schema['allOf'], open)]
    for (const keyword of ['anyOf', 'oneOf']) {
      const branches = list(schema[keyword], open)
      if (branches.length > 0) all.push({ anyOf: branches })
    }
    const { $ref } = schema
    const target = typeof $ref === 'string' && !open.includes($ref) ? targetOf(root, $ref, anchors) : undefined
    if (typeof $ref === 'string' && target !== undefined) all.push(loosened(target, [...open, $ref]))
    return { ...plainPart(schema), ...childrenOf(schema, open), ...(all.length === 0 ? {} : { allOf: all }) }
  }

  function childrenOf(schema: Record<string, unknown>, open: readonly string[]): JsonObject {
    const { properties, patternProperties, additionalProperties, items, prefixItems } = schema
    const tuple = list(Array.isArray(items) ? items : prefixItems, open)
    const isOpen = patternProperties !== undefined || !isSchema(additionalProperties)
    return {
      ...(isRecord(properties) ? { properties: mapped(properties, open) } : {}),
      ...(isOpen ? {} : { additionalProperties: loosened(additionalProperties, open) }),
      ...(tuple.length === 0 ? {} : { prefixItems: tuple }),
      ...(isSchema(items) ? { items: loosened(items, open) } : {}),
    }
  }

  function mapped(properties: Record<string, unknown>, open: readonly string[]): JsonObject {
    const entries = Object.entries(properties).map(([name, value]) => [name, loosened(value as Json, open)] as const)
    return Object.fromEntries(entries)
  }

  return loosened(root, ['#']) as JsonObject
}

function plainPart(schema: Record<string, unknown>): JsonObject {
  const kept = Object.entries(schema).filter(([key, value]) => plainKeywords[key]?.(value) === true)
  return Object.fromEntries(kept) as JsonObject
}

function targetOf(root: Json, reference: string, anchors: () => ReadonlyMap<unknown, Json>): Json | undefined {
  if (!reference.startsWith('#')) return undefined
  if (reference !== '#' && !reference.startsWith('#/')) return anchors().get(reference.slice(1))
  const at = valueAt(root, reference)
  return isSchema(at) ? at : undefined
}

function anchorsOf(root: Json): ReadonlyMap<unknown, Json> {
  const anchors = new Map<unknown, Json>()
  const open: Json[] = [root]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (typeof at !== 'object' || at === null) continue
    if (isRecord(at) && typeof at['$anchor'] === 'string') anchors.set(at['$anchor'], at)
    for (const item of Object.values(at)) open.push(item)
  }
  return anchors
}
