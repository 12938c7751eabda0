import { isRecord } from '../../../core/domain/text/json.ts'
import type { Documents, Located } from './documents.ts'
import type { Operation } from './list-operations.ts'

/** The encoding rules of a form field. Without a style, an object is written as JSON. */
export interface FieldRules {
  readonly style?: string
  readonly explode?: boolean
  readonly allowsReserved?: boolean
  /** True if the document asks for JSON text. */
  readonly isJson?: boolean
}

/** The body of an operation. */
export interface RequestBody {
  readonly argument: string
  readonly mediaType: string
  /** The rules of a form's fields by name; absent for JSON. */
  readonly fields?: ReadonlyMap<string, FieldRules>
}

/** A body with the parts of its schema. */
export interface FullBody extends RequestBody {
  readonly part: Located
  readonly description: unknown
  readonly isRequired: boolean
}

/** A problem with an operation. */
export interface OperationProblem {
  readonly text: string
  /** True if it cannot be called; else it is called without its body. */
  readonly isFatal: boolean
}

/** Returns the problem with an operation's body, or undefined if the body can be sent or there is none. */
export function bodyProblem(documents: Documents, operation: Operation): OperationProblem | undefined {
  if (!mayHaveBody(operation)) return undefined
  const body = documents.resolve(bodyPart(operation))
  if (body === undefined) return { text: 'its body leads nowhere', isFatal: true }
  const { content, required } = body.value
  const types = isRecord(content) ? Object.keys(content) : []
  const isFatal = required === true
  if (types.some((type) => isJsonType(type) || isFormType(type)) || (types.length === 0 && !isFatal)) return undefined
  const found = (types.join(', ') || 'nothing').slice(0, 200)
  return { text: `its body is ${isFatal ? 'required and is ' : ''}neither JSON nor a form, but ${found}`, isFatal }
}

/** Returns the body of an operation without a problem: JSON if the document allows it, otherwise a form. */
export function readBody(documents: Documents, operation: Operation, argument: string): FullBody | undefined {
  const body = mayHaveBody(operation) ? documents.resolve(bodyPart(operation)) : undefined
  if (body === undefined) return undefined
  const { content, description, required } = body.value
  const all = isRecord(content) ? Object.entries(content) : []
  const json = all.find(([type]) => isJsonType(type))
  const [type, media] = json ?? all.find(([other]) => isFormType(other)) ?? []
  if (type === undefined) return undefined
  const { schema = {}, encoding } = isRecord(media) ? media : {}
  return {
    argument,
    mediaType: type.includes('*') ? 'application/json' : type,
    ...(json === undefined ? { fields: fieldRules(encoding) } : {}),
    isRequired: required === true,
    part: { value: schema, document: body.document },
    description,
  }
}

/** HTTP gives the body of the others no meaning, and a client may not send one. */
function mayHaveBody({ method, value }: Operation): boolean {
  return value['requestBody'] !== undefined && !['GET', 'HEAD', 'TRACE'].includes(method)
}

function bodyPart({ value, document }: Operation): Located {
  return { value: value['requestBody'], document }
}

function fieldRules(encoding: unknown): ReadonlyMap<string, FieldRules> {
  const given = isRecord(encoding) ? Object.entries(encoding) : []
  return new Map(given.flatMap(([name, rules]) => (isRecord(rules) ? [[name, fieldRule(rules)]] : [])))
}

/** Any rule about style makes a field like a parameter of a query, and its media type is passed over, as OpenAPI has it. */
function fieldRule({ style, explode, allowReserved, contentType }: Record<string, unknown>): FieldRules {
  const hasStyle = [style, explode, allowReserved].some((rule) => rule !== undefined)
  if (!hasStyle) return { isJson: typeof contentType === 'string' && isJsonType(contentType) }
  const name = typeof style === 'string' ? style : 'form'
  return {
    style: name,
    explode: typeof explode === 'boolean' ? explode : name === 'form',
    allowsReserved: allowReserved === true,
  }
}

function isJsonType(type: string): boolean {
  return /^(application\/json|[^;]+\+json|\*\/\*|application\/\*)\s*(;.*)?$/i.test(type)
}

function isFormType(type: string): boolean {
  return /^application\/x-www-form-urlencoded\s*(;.*)?$/i.test(type)
}
