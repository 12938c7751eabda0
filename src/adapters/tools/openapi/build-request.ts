import { isRecord, type Json } from '../../../core/domain/text/json.ts'
import type { OperationArguments } from './operation-arguments.ts'
import type { Operation } from './list-operations.ts'
import type { FieldRules, RequestBody } from './request-body.ts'
import { encoded, headerText, pathText, type QueryPart, queryParts, reserved, textOf } from './serialize-parameter.ts'

interface BuiltRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/**
 * Builds the request of a call, or returns the problem with the arguments as a text. The toolset's `headers` take
 * precedence.
 */
export function buildRequest(
  base: string,
  { method, path }: Operation,
  { parameters, body }: OperationArguments,
  given: unknown,
  headers: Readonly<Record<string, string>>,
): BuiltRequest | string {
  const values = given ?? {}
  if (!isRecord(values)) return 'The arguments are not an object.'
  let filled = path
  const query: string[] = []
  const own: Record<string, string> = {}
  for (const parameter of parameters) {
    const value = Object.hasOwn(values, parameter.argument) ? (values[parameter.argument] as Json) : undefined
    if (value === undefined || (value === null && !parameter.isRequired)) {
      if (parameter.isRequired) return `The argument "${parameter.argument}" is missing.`
      continue
    }
    if (parameter.place === 'path') {
      const text = pathText(parameter, value)
      if (text === '') return `The argument "${parameter.argument}" is empty, and is part of the path.`
      filled = filled.replaceAll(`{${parameter.name}}`, () => text)
    } else if (parameter.place === 'query')
      query.push(...queryParts(parameter, value).map(([key, text]) => `${key}=${text}`))
    else {
      const text = headerText(parameter, value)
      if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(text))
        return `The argument "${parameter.argument}" cannot be sent as a header.`
      own[parameter.name.toLowerCase()] = text
    }
  }
  const problem = pathProblem(filled)
  if (problem !== undefined) return problem
  const url = URL.parse(
    `${base}${filled}${query.length === 0 ? '' : `${path.includes('?') ? '&' : '?'}${query.join('&')}`}`,
  )
  if (url === null) return 'The arguments form no valid address.'
  if (!url.href.startsWith(`${base}/`)) return `The path leads out of ${base}.`
  const content = body !== undefined && Object.hasOwn(values, body.argument) ? values[body.argument] : undefined
  const type = content === undefined || body === undefined ? {} : { 'content-type': body.mediaType }
  if (content !== undefined && body?.fields !== undefined && !isRecord(content))
    return `The argument "${body.argument}" is not an object, and is sent as the fields of a form.`
  return {
    method,
    url,
    headers: { accept: 'application/json, */*;q=0.8', ...own, ...type, ...headers },
    ...(content === undefined ? {} : { body: bodyText(content, body?.fields) }),
  }
}

function bodyText(content: unknown, fields: RequestBody['fields']): string {
  return fields !== undefined && isRecord(content) ? formText(content, fields) : JSON.stringify(content)
}

function pathProblem(path: string): string | undefined {
  const open = /\{[^{}]*\}/.exec(path)?.[0]
  if (open !== undefined) return `Nothing is known of ${open} in the path of this operation.`
  const leadsOut = path.split(/[/\\?#]/).some((part) => /^(\.|%2e){1,2}$/i.test(part.replaceAll(/[\t\n\r]/g, '')))
  return leadsOut ? 'A part of the path is "." or "..", which is refused.' : undefined
}

/** An object as `application/x-www-form-urlencoded`; a field that is null is left out. */
function formText(form: Readonly<Record<string, unknown>>, fields: ReadonlyMap<string, FieldRules>): string {
  const all = Object.entries(form as Record<string, Json>).filter(([, value]) => value !== null)
  const parts = all.flatMap(([name, value]) => fieldParts(name, value, fields.get(name) ?? {}))
  return parts.map(([name, text]) => `${name}=${text}`).join('&')
}

function fieldParts(name: string, value: Json, rules: FieldRules): readonly QueryPart[] {
  const { style, explode = style === 'form', allowsReserved = false, isJson = false } = rules
  if (style === 'deepObject') return deepParts(encoded(name), value, allowsReserved ? reserved : encoded)
  if (style !== undefined) return queryParts({ name, style, explode, isJson, allowsReserved }, value)
  const isList = Array.isArray(value) && !isJson
  return isList
    ? value.map((item: Json) => [encoded(name), encoded(textOf(item))])
    : [[encoded(name), encoded(textOf(value))]]
}

/** `name[key]` and `name[0]`, however deep: OpenAPI leaves lists open, and numbers are what most servers read. */
function deepParts(key: string, value: Json, code: (text: string) => string): readonly QueryPart[] {
  if (value === null) return []
  if (Array.isArray(value)) return value.flatMap((item: Json, index) => deepParts(`${key}[${index}]`, item, code))
  if (!isRecord(value)) return [[key, code(textOf(value))]]
  return Object.entries(value).flatMap(([part, item]) => deepParts(`${key}[${encoded(part)}]`, item, code))
}
