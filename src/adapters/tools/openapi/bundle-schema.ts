import { isRecord, type Json, type JsonObject, toPlainJson } from '../../../core/domain/text/json.ts'
import { refusedKeys } from '../../../core/domain/text/parse-json.ts'
import { foreignText } from '../foreign-text.ts'
import { unescapedKey } from '../../../core/domain/json-schema/subschemas.ts'
import type { Documents, Located } from './documents.ts'

/** The maximum bytes of JSON of the schemas of one operation; further references accept any value. */
const mostBytes = 60_000

/** The bytes that a reference and its empty definition need in addition to the name. */
const bytesOfReference = 30

const mostDescription = 500

const mostExample = 200

const mostDepth = 40

const schemas = ['items', 'contains', 'not', 'if', 'then', 'else', 'propertyNames']
const openSchemas = ['additionalProperties', 'unevaluatedProperties', 'unevaluatedItems']
const lists = ['allOf', 'anyOf', 'oneOf', 'prefixItems']
const maps = ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions']

/** Keywords that do not restrict a value, or that are not part of JSON Schema. */
const dropped = [
  '$schema',
  '$id',
  '$anchor',
  '$dynamicAnchor',
  '$dynamicRef',
  '$recursiveAnchor',
  '$recursiveRef',
  '$vocabulary',
  '$comment',
  'xml',
  'externalDocs',
  'discriminator',
  'nullable',
  'example',
  'examples',
  'title',
]

/**
 * Copies schemas of a document as JSON Schema 2020-12 without read-only parts, and with up to 60,000 bytes of `$defs`.
 */
export class SchemaBundle {
  readonly #documents: Documents
  readonly #names = new Map<string, string>()
  readonly #open: { readonly name: string; readonly part: Located }[] = []
  readonly #defs: Record<string, Json> = {}
  readonly #lost = new Set<string>()
  #bytes = 0

  constructor(documents: Documents) {
    this.#documents = documents
  }

  /** Unresolved references; any value is accepted in their place. */
  get lost(): readonly string[] {
    return [...this.#lost]
  }

  /** Returns one schema; the schemas that it refers to are in `defs` afterwards. */
  schema(part: Located): Json {
    return this.#counted(this.#copy(part.value, part.document, 0))
  }

  /** Everything that was referred to, by the names of the references. */
  defs(): JsonObject {
    for (let next = this.#open.shift(); next !== undefined; next = this.#open.shift()) {
      const { name, part } = next
      this.#defs[name] = this.#bytes > mostBytes ? {} : this.#counted(this.#copy(part.value, part.document, 0))
    }
    return this.#defs
  }

  #counted(schema: Json): Json {
    this.#bytes += JSON.stringify(schema).length
    return schema
  }

  #copy(value: unknown, document: string, depth: number): Json {
    if (typeof value === 'boolean') return value
    if (!isRecord(value) || depth > mostDepth) return {}
    const reference: unknown = value['$ref']
    const referred = typeof reference === 'string' ? this.#reference(reference, document) : {}
    const copied: Record<string, Json> = { ...referred }
    const inner = (item: unknown) => this.#copy(item, document, depth + 1)
    for (const [key, item] of Object.entries(value)) {
      if (key === '$ref' || dropped.includes(key) || key.startsWith('x-') || refusedKeys.has(key)) continue
      if (key === 'description') {
        if (typeof item === 'string' && item !== '') copied[key] = foreignText(item, mostDescription)
      } else if (schemas.includes(key) || openSchemas.includes(key)) {
        if (isRecord(item) || typeof item === 'boolean') copied[key] = inner(item)
      } else if (lists.includes(key)) {
        if (Array.isArray(item) && item.length > 0) copied[key] = item.map(inner)
      } else if (maps.includes(key)) {
        if (isRecord(item)) copied[key] = this.#mapped(item, inner)
      } else if (!isEmptyEnum(key, item)) {
        const plain = toPlainJson(item)
        if (plain !== undefined) copied[key] = plain
      }
    }
    return as2020(withExample(copied, value), value)
  }

  #mapped(item: Record<string, unknown>, inner: (value: unknown) => Json): JsonObject {
    const kept = Object.entries(item).filter(([name, value]) => !refusedKeys.has(name) && !isReadOnly(value))
    return Object.fromEntries(kept.map(([name, value]) => [name, inner(value)] as const))
  }

  #reference(reference: string, from: string): JsonObject {
    const { document, pointer } = this.#documents.target(reference, from)
    const place = `${document}#${pointer}`
    const known = this.#names.get(place)
    if (known !== undefined) return { $ref: `#/$defs/${known}` }
    if (this.#bytes > mostBytes) return {}
    const part = this.#documents.at(document, pointer)
    if (part === undefined) {
      this.#lost.add(reference)
      return {}
    }
    const name = this.#freshName(pointer)
    this.#names.set(place, name)
    this.#open.push({ name, part })
    this.#bytes += name.length + bytesOfReference
    return { $ref: `#/$defs/${name}` }
  }

  #freshName(pointer: string): string {
    const last = unescapedKey(pointer.split('/').at(-1) ?? '')
    const name = last.replaceAll(/[^A-Za-z0-9_]/g, '_').slice(0, 60) || 'schema'
    const taken = new Set(this.#names.values())
    if (!taken.has(name)) return name
    for (let count = 2; ; count++) if (!taken.has(`${name}_${count}`)) return `${name}_${count}`
  }
}

/** No value would fit, which nobody intends, and the servers of models refuse it. */
function isEmptyEnum(key: string, item: unknown): boolean {
  return key === 'enum' && (!Array.isArray(item) || item.length === 0)
}

function isReadOnly(value: unknown): boolean {
  return isRecord(value) && value['readOnly'] === true
}

function withExample(
  copied: Record<string, Json>,
  { example, examples }: Record<string, unknown>,
): Record<string, Json> {
  const first = toPlainJson(example ?? (Array.isArray(examples) ? examples[0] : undefined))
  if (first !== undefined && JSON.stringify(first).length <= mostExample) copied['examples'] = [first]
  return copied
}

function as2020(copied: Record<string, Json>, given: Record<string, unknown>): JsonObject {
  for (const [flag, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    const { [flag]: isExclusive, [bound]: limit } = copied
    if (typeof isExclusive !== 'boolean') continue
    delete copied[flag]
    if (!isExclusive || limit === undefined) continue
    copied[flag] = limit
    delete copied[bound]
  }
  dropReadOnlyNames(copied, given)
  if (given['nullable'] !== true) return copied
  const { type, enum: values } = copied
  if (Array.isArray(values) && !values.includes(null)) copied['enum'] = [...values, null]
  if (typeof type === 'string') return { ...copied, type: [type, 'null'] }
  const isOpen = copied['$ref'] === undefined && copied['allOf'] === undefined && copied['oneOf'] === undefined
  return isOpen && copied['anyOf'] === undefined ? copied : { anyOf: [copied, { type: 'null' }] }
}

function dropReadOnlyNames(copied: Record<string, Json>, { properties, required }: Record<string, unknown>): void {
  if (!Array.isArray(required)) {
    delete copied['required']
    return
  }
  const own = isRecord(properties) ? properties : {}
  const kept = required.filter((name): name is string => {
    return typeof name === 'string' && !(Object.hasOwn(own, name) && isReadOnly(own[name]))
  })
  if (kept.length === 0) delete copied['required']
  else copied['required'] = kept
}
