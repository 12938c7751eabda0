import { isRecord } from '../text/json.ts'
import { mapSubschemas, isSubSchema, type SubSchema, unescapedKey } from './subschemas.ts'

/** The part of a document that a schema's references start from, with its base address. */
interface Resource {
  readonly root: SubSchema
  readonly base: string
}

/** A function that returns the schema of a reference within another schema, or undefined if there is none. */
export type FindReference = (from: SubSchema, reference: string) => SubSchema | undefined

/** The base address of a document without one; it does not resolve. */
const noAddress = 'https://schema.invalid/'

/**
 * Reads the addresses and anchors of a document once. A reference with `#` starts from the nearest schema with an
 * address, or else from the root, because many generators give a part an address and refer to the whole. If two schemas
 * have the same address, the first one counts.
 */
export function findReferences(root: SubSchema, isDraft4: boolean): FindReference {
  const resources = new Map<SubSchema, Resource>()
  const byAddress = new Map<string, SubSchema>()

  function read(schema: SubSchema, outer: Resource): SubSchema {
    if (!isRecord(schema) || resources.has(schema)) return schema
    const { [isDraft4 ? 'id' : '$id']: id, $anchor, $dynamicAnchor } = schema
    const address = typeof id === 'string' ? addressOf(id, outer.base) : undefined
    const isPart = address !== undefined && !address.includes('#')
    const resource = isPart ? { root: schema, base: address } : outer
    resources.set(schema, resource)
    const anchors = [$anchor, $dynamicAnchor].filter((name) => typeof name === 'string')
    const addresses = anchors.map((name) => `${withoutFragment(resource.base)}#${name}`)
    for (const one of address === undefined ? addresses : [address, ...addresses]) {
      if (!byAddress.has(one)) byAddress.set(one, schema)
    }
    for (const [key, value] of Object.entries(schema)) {
      mapSubschemas(key, value, '', (child) => read(child, resource))
    }
    return schema
  }

  const document: Resource = { root, base: noAddress }
  byAddress.set(noAddress, root)
  read(root, document)
  return (from, reference) => {
    const nearest = resources.get(from) ?? document
    const fragment = fragmentOf(reference)
    const isPointer = fragment === '' || fragment.startsWith('/')
    if (reference.startsWith('#') && isPointer) return at(nearest.root, fragment) ?? at(root, fragment)
    const address = addressOf(reference, nearest.base) ?? reference
    if (!isPointer) return byAddress.get(address) ?? byAddress.get(`${noAddress}#${fragment}`)
    const target = byAddress.get(withoutFragment(address))
    return target === undefined ? undefined : at(target, fragment)
  }
}

function at(root: SubSchema, pointer: string): SubSchema | undefined {
  let found: unknown = root
  for (const part of pointer.split('/').slice(1)) {
    const key = unescapedKey(part)
    const isHeld = (isRecord(found) || Array.isArray(found)) && Object.hasOwn(found, key)
    found = isHeld ? Reflect.get(found as object, key) : undefined
  }
  return isSubSchema(found) ? found : undefined
}

function addressOf(reference: string, base: string): string | undefined {
  return URL.canParse(reference, base) ? new URL(reference, base).href.replace(/#$/, '') : undefined
}

function withoutFragment(address: string): string {
  const end = address.indexOf('#')
  return end === -1 ? address : address.slice(0, end)
}

function fragmentOf(reference: string): string {
  const start = reference.indexOf('#')
  return start === -1 ? '' : reference.slice(start + 1)
}
