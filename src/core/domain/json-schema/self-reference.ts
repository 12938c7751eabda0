import { isRecord } from '../text/json.ts'
import { isSubSchema, type SubSchema } from './subschemas.ts'

/** Keywords whose schemas apply to the value itself instead of a part of it. */
const lists = ['allOf', 'anyOf', 'oneOf']
const single = ['not', 'if', 'then', 'else']
const maps = ['dependentSchemas', 'dependencies']

/** Returns the problem if a schema applies itself to the same value and so never ends; else undefined. */
export function findSelfReference(
  schemas: readonly SubSchema[],
  targets: Readonly<Record<string, SubSchema>>,
): string | undefined {
  const done = new Set<SubSchema>()
  const open = new Set<SubSchema>()

  function isCircle(schema: SubSchema): boolean {
    if (!isRecord(schema) || done.has(schema)) return false
    if (open.has(schema)) return true
    open.add(schema)
    const found = appliedBy(schema, targets).some(isCircle)
    open.delete(schema)
    done.add(schema)
    return found
  }

  return schemas.some(isCircle)
    ? 'a schema refers to itself for the same value, so that its check never ends'
    : undefined
}

function appliedBy(
  schema: Readonly<Record<string, unknown>>,
  targets: Readonly<Record<string, SubSchema>>,
): readonly SubSchema[] {
  const { $ref } = schema
  const target = typeof $ref === 'string' ? targets[$ref] : undefined
  const inLists = lists.flatMap((key) => (Array.isArray(schema[key]) ? (schema[key] as unknown[]) : []))
  const inMaps = maps.flatMap((key) => (isRecord(schema[key]) ? Object.values(schema[key]) : []))
  return [target, ...inLists, ...single.map((key) => schema[key]), ...inMaps].filter(isSubSchema)
}
