import type { Tool as McpTool } from '@modelcontextprotocol/client'
import { isRecord } from '../../../core/domain/text/json.ts'
import { isBoolean, isText, isTexts } from '../../../core/domain/text/shape.ts'

/** The field of a definition's `_meta` that holds the reason why the tool cannot be used. */
const reasonField = 'statewright/unusable'

/** Returns a tool's definition in a form that the client package reads, or the problem with an unclear one. */
export function mendTool(given: unknown): object {
  if (!isRecord(given)) return unusable('', 'its definition is not an object')
  const { name, inputSchema, annotations, execution } = given
  if (typeof name !== 'string' || name === '') return unusable('', 'it has no name')
  const schema = mendSchema(inputSchema)
  if (typeof schema === 'string') return unusable(name, schema)
  return {
    name,
    ...fieldsOf(given, ['title', 'description'], isText),
    inputSchema: schema,
    ...(isRecord(annotations)
      ? { annotations: { ...fieldsOf(annotations, ['title'], isText), ...fieldsOf(annotations, hintNames, isBoolean) } }
      : {}),
    ...(isRecord(execution) && execution['taskSupport'] === 'required' ? { execution } : {}),
  }
}

/** Returns the reason why a tool cannot be used, or undefined if it can. */
export function whyUnusable({ _meta, execution }: McpTool): string | undefined {
  const reason = _meta?.[reasonField]
  if (typeof reason === 'string') return reason
  return execution?.taskSupport === 'required' ? 'it runs as a task only, which is not supported' : undefined
}

function unusable(name: string, reason: string): object {
  return { name, inputSchema: { type: 'object' }, _meta: { [reasonField]: reason } }
}

function mendSchema(given: unknown): object | string {
  if ((given ?? true) === true) return { type: 'object' }
  if (!isRecord(given)) return 'its inputSchema is not an object'
  const { type, properties, required, $schema } = given
  const types: unknown = (type ?? null) === null ? ['object'] : [type].flat()
  if (!isTexts(types) || !types.includes('object'))
    return `its inputSchema is of type ${JSON.stringify(type)?.slice(0, 100)}`
  const wrong = [
    ...(isRecord(properties) ? [] : ['properties']),
    ...(isTexts(required) ? [] : ['required']),
    ...(isText($schema) ? [] : ['$schema']),
  ]
  const sound = Object.entries(given).filter(([key]) => !wrong.includes(key))
  return { ...Object.fromEntries(sound), type: 'object' }
}

const hintNames = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']

function fieldsOf(given: Record<string, unknown>, names: readonly string[], fits: (value: unknown) => boolean): object {
  return Object.fromEntries(names.filter((name) => fits(given[name])).map((name) => [name, given[name]]))
}
