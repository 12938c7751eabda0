import { isRecord } from '../../../core/domain/text/json.ts'
import type { Documents, Located, LocatedObject } from './documents.ts'
import { OpenApiError } from './openapi-error.ts'
import type { OpenApiFilter } from './options.ts'

/** One operation of a document. */
export interface Operation {
  readonly id: string
  /** Upper case. */
  readonly method: string
  /** With its `{parameters}`. */
  readonly path: string
  readonly value: Readonly<Record<string, unknown>>
  readonly document: string
  /** Those of its path, then its own, which win. */
  readonly parameters: readonly Located[]
  readonly servers: unknown
}

interface ListedOperations {
  readonly operations: readonly Operation[]
  readonly warnings: readonly string[]
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

/** The operations of a document that have an id and pass the filter, in the order of the document. */
export function listOperations(documents: Documents, filter: OpenApiFilter): ListedOperations {
  const { paths } = documents.root
  if (paths !== undefined && !isRecord(paths)) {
    throw new OpenApiError('bad_document', 'The paths of the document are not an object. Expected { "/path": { … } }.')
  }
  const operations: Operation[] = []
  const nameless: string[] = []
  const unread: string[] = []
  const seen = new Set<string>()
  for (const [path, part] of Object.entries(paths ?? {})) {
    if (!path.startsWith('/')) continue
    if (isRule(filter, 'pathPrefix') && !path.startsWith(filter.pathPrefix)) continue
    const item = documents.resolve({ value: part, document: '' })
    if (item === undefined) {
      unread.push(path)
      continue
    }
    for (const name of methods) {
      const given = item.value[name]
      if (!isRecord(given)) continue
      const method = name.toUpperCase()
      const place = `${method} ${path}`
      const operation = documents.resolve({ value: given, document: item.document })
      if (operation === undefined) {
        unread.push(place)
        continue
      }
      const { value, document } = operation
      const { operationId: id, tags } = value
      if (typeof id !== 'string' || id === '') {
        if (filter === 'all' || isRule(filter, 'pathPrefix')) nameless.push(place)
        continue
      }
      seen.add(id)
      if (isRule(filter, 'ids') && !filter.ids.includes(id)) continue
      if (isRule(filter, 'tags') && !(Array.isArray(tags) && tags.some((tag) => filter.tags.includes(tag)))) continue
      const parameters = [...parametersOf(item), ...parametersOf(operation)]
      const servers = value['servers'] ?? item.value['servers']
      operations.push({ id, method, path, value, document, parameters, servers })
    }
  }
  if (isRule(filter, 'ids')) refuseUnknown(filter.ids, seen, 'filter')
  return {
    operations,
    warnings: [
      ...toldOf(nameless, 'have no operationId and are left out'),
      ...toldOf(unread, 'lead nowhere and are left out'),
      ...(operations.length === 0 ? [`No operation became a tool. Filter: ${JSON.stringify(filter)}.`] : []),
    ],
  }
}

/** Throws an `OpenApiError` if an option names unknown operations. */
export function refuseUnknown(ids: readonly string[], known: ReadonlySet<string>, option: string): void {
  const missing = ids.filter((id) => !known.has(id))
  if (missing.length === 0) return
  const shown = [...known].slice(0, 20).join(', ')
  throw new OpenApiError(
    'unknown_operation',
    `Option ${option} names operations the document does not have: ${missing.join(', ')}. It has: ${shown}${known.size > 20 ? ', …' : ''}.`,
  )
}

function toldOf(places: readonly string[], what: string): readonly string[] {
  if (places.length === 0) return []
  const shown = places.slice(0, 5).join(', ')
  return [`${places.length} of the document's places ${what}: ${shown}${places.length > 5 ? ', …' : ''}.`]
}

type RuleOf<Key extends string> = Extract<OpenApiFilter, { readonly [K in Key]: unknown }>

function isRule<Key extends 'ids' | 'tags' | 'pathPrefix'>(filter: OpenApiFilter, key: Key): filter is RuleOf<Key> {
  return filter !== 'all' && key in filter
}

function parametersOf({ value, document }: LocatedObject): readonly Located[] {
  const { parameters } = value
  return Array.isArray(parameters) ? parameters.map((parameter: unknown) => ({ value: parameter, document })) : []
}
