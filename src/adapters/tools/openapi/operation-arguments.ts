import { isRecord, type Json, type JsonObject } from '../../../core/domain/text/json.ts'
import { foreignText } from '../foreign-text.ts'
import { SchemaBundle } from './bundle-schema.ts'
import type { Documents, Located } from './documents.ts'
import type { Operation } from './list-operations.ts'
import { type FullBody, readBody, type RequestBody } from './request-body.ts'

type ParameterPlace = 'path' | 'query' | 'header'

/** One parameter of an operation, as a request needs it. */
export interface Parameter {
  readonly argument: string
  readonly name: string
  readonly place: ParameterPlace
  readonly isRequired: boolean
  readonly style: string
  readonly explode: boolean
  /** True if the value goes as JSON text. */
  readonly isJson: boolean
  /** True if reserved characters of a query stay as they are. */
  readonly allowsReserved: boolean
}

/** The arguments of an operation. */
export interface OperationArguments {
  readonly parameters: readonly Parameter[]
  readonly body?: RequestBody
  /** Makes the JSON Schema of the arguments, an object, and says which references lead nowhere. */
  schema(): { readonly schema: JsonObject; readonly lost: readonly string[] }
}

/** Standard headers: a parameter with such a name is ignored, as OpenAPI defines. */
const ownHeaders = [
  'accept',
  'content-type',
  'authorization',
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'cookie',
]

const places: readonly ParameterPlace[] = ['path', 'query', 'header']

/** Returns the problem with an operation's parameters, if there is one. */
export function parameterProblem(documents: Documents, operation: Operation): string | undefined {
  for (const part of operation.parameters) {
    const parameter = documents.resolve(part)
    if (parameter === undefined) return 'one of its parameters leads nowhere'
    const { name } = parameter.value
    if (typeof name !== 'string' || name === '') return 'one of its parameters has no name'
  }
  return undefined
}

/** Returns the arguments of an operation without a problem. The toolset itself sets the `hidden` headers. */
export function operationArguments(
  documents: Documents,
  operation: Operation,
  hidden: readonly string[],
): OperationArguments {
  const taken = new Set<string>()
  const found = readParameters(documents, operation, [...ownHeaders, ...hidden])
  const parameters = found.map((one) => parameterOf(one, freshName(one, taken)))
  const body = readBody(documents, operation, taken.has('body') ? '_request_body' : 'body')
  return {
    parameters,
    ...(body === undefined ? {} : { body }),
    schema: () => schemaOf(new SchemaBundle(documents), parameters, body),
  }
}

function schemaOf(bundle: SchemaBundle, parameters: readonly FullParameter[], body: FullBody | undefined) {
  const properties = [...parameters, ...(body === undefined ? [] : [body])].map((one) => {
    const sourceName = 'name' in one && one.name !== one.argument ? one.name : undefined
    return [one.argument, described(bundle.schema(one.part), descriptionOf(one.description, sourceName))] as const
  })
  const required = [...parameters, ...(body === undefined ? [] : [body])].flatMap((one) =>
    one.isRequired ? one.argument : [],
  )
  const defs = bundle.defs()
  const schema = {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
    ...(Object.keys(defs).length === 0 ? {} : { $defs: defs }),
  }
  return { schema, lost: bundle.lost }
}

interface FullParameter extends Parameter {
  readonly part: Located
  readonly description: unknown
}

function parameterOf({ value, document, name, place }: FoundParameter, argument: string): FullParameter {
  const { schema, content, description, explode } = value
  const style = typeof value['style'] === 'string' ? value['style'] : place === 'query' ? 'form' : 'simple'
  const [media] = isRecord(content) ? Object.values(content) : []
  const isJson = schema === undefined && isRecord(media)
  return {
    argument,
    name,
    place,
    isRequired: place === 'path' || value['required'] === true,
    style,
    explode: typeof explode === 'boolean' ? explode : style === 'form',
    isJson,
    allowsReserved: value['allowReserved'] === true,
    part: { value: (isJson ? media['schema'] : schema) ?? {}, document },
    description,
  }
}

interface FoundParameter {
  readonly value: Readonly<Record<string, unknown>>
  readonly document: string
  readonly name: string
  readonly place: ParameterPlace
}

/** The operation's own parameter replaces one of its path. */
function readParameters(
  documents: Documents,
  { parameters }: Operation,
  hidden: readonly string[],
): readonly FoundParameter[] {
  const found = new Map<string, FoundParameter>()
  for (const part of parameters) {
    const resolved = documents.resolve(part)
    const { name, in: place } = resolved?.value ?? {}
    if (resolved === undefined || typeof name !== 'string') continue
    if (place !== 'path' && place !== 'query' && place !== 'header') continue
    if (place === 'header' && hidden.includes(name.toLowerCase())) continue
    found.set(`${place} ${name}`, { ...resolved, name, place })
  }
  return [...found.values()].toSorted((a, b) => places.indexOf(a.place) - places.indexOf(b.place))
}

/** Models accept plain names only. A name that is used in another place gets its place as a suffix. */
function freshName({ name, place }: FoundParameter, taken: Set<string>): string {
  const plain = name.replaceAll(/[^A-Za-z0-9_.-]/gu, '_').slice(0, 50)
  let argument = taken.has(plain) || plain === '__proto__' ? `${place}_${plain}` : plain
  for (let count = 2; taken.has(argument); count++) argument = `${place}_${count}_${plain}`
  taken.add(argument)
  return argument
}

function descriptionOf(description: unknown, sourceName: string | undefined): string {
  const text = typeof description === 'string' ? foreignText(description, 500) : ''
  return sourceName === undefined ? text : `${text} (${JSON.stringify(sourceName.slice(0, 100))})`.trimStart()
}

function described(schema: Json, description: string): Json {
  return description === '' || !isRecord(schema) ? schema : { ...schema, description }
}
