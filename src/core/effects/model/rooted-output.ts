import type { OutputContract } from '../../ports/output-contract.ts'
import { jsonSchemaOf } from '../tools/json-schema-of.ts'
import { isRecord, type Json, type JsonObject } from '../../domain/text/json.ts'

/** The JSON Schema of an output with an object at its root, as models see it. */
export interface RootedOutput {
  readonly schema: JsonObject
  /** True for an output in the field `value` of that object. */
  readonly isWrapped: boolean
}

/** Keywords that vendors reject next to an object at the root. */
const besideObject = ['anyOf', 'oneOf', 'allOf', 'not', 'enum', '$ref']

const definitions = ['$defs', 'definitions']

const rooted = new WeakMap<JsonObject, RootedOutput>()

/** Returns a schema with a plain object at its root: the schema itself, or an object with the field `value`. */
export function rootedOutput(schema: JsonObject): RootedOutput {
  const known = rooted.get(schema) ?? rootedOf(schema)
  rooted.set(schema, known)
  return known
}

function rootedOf(schema: JsonObject): RootedOutput {
  const isObject = schema['type'] === 'object' && !besideObject.some((key) => key in schema)
  if (isObject) return { schema, isWrapped: false }
  const entries = Object.entries(schema).filter(([key]) => key !== '$schema')
  const part = (isShared: boolean) =>
    Object.fromEntries(
      entries.filter(([key]) => definitions.includes(key) === isShared).map(([key, item]) => [key, moved(item, key)]),
    )
  return {
    schema: {
      type: 'object',
      properties: { value: part(false) },
      required: ['value'],
      additionalProperties: false,
      ...part(true),
    },
    isWrapped: true,
  }
}

/** Returns a part of the schema with its references resolved from the new root. */
function moved(value: Json, name: string): Json {
  if (name === '$ref' && typeof value === 'string') return movedReference(value)
  if (name === 'const' || name === 'enum' || name === 'default' || name === 'examples') return value
  if (Array.isArray(value)) return value.map((item: Json) => moved(item, ''))
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, moved(item, key)]))
}

function movedReference(reference: string): string {
  const isOfRoot = reference === '#' || reference.startsWith('#/')
  const isOfDefinitions = definitions.some((key) => reference.startsWith(`#/${key}/`))
  return isOfRoot && !isOfDefinitions ? `#/properties/value${reference.slice(1)}` : reference
}

/** Returns the value that a model has put into the field `value`, or undefined for any other answer. */
export function unwrapped(value: unknown): { readonly value: unknown } | undefined {
  if (!isRecord(value) || !('value' in value) || Object.keys(value).length !== 1) return undefined
  return { value: value['value'] }
}

/** Returns the part of the field `value` so far. A bare value is returned as it is. */
export function unwrappedPart(part: Json | undefined): Json | undefined {
  if (!isRecord(part)) return part
  const inner = unwrapped(part)
  if (inner !== undefined) return inner.value as Json
  return Object.keys(part).length === 0 ? undefined : part
}

/** Returns true for a contract whose value a model returns in the field `value` of an object. */
export function isWrappedOutput({ schema }: OutputContract): boolean {
  return rootedOutput(jsonSchemaOf(schema)).isWrapped
}
