import type { ToolEffects } from '../../../core/domain/call.ts'
import { fileTypeOf } from '../../../core/domain/media-type.ts'
import { readBlock } from '../../../core/domain/read-block.ts'
import { base64Of } from '../../../core/domain/text/base64.ts'
import { isToolName } from '../../../core/domain/tool-name.ts'
import type { Redactor } from '../../../core/domain/text/redactor.ts'
import type { JsonObject } from '../../../core/domain/text/json.ts'
import type { StandardSchema } from '../../../core/ports/schema.ts'
import type { ProbeQuestion, Tool, ToolContext, ToolResult } from '../../../core/ports/tool.ts'
import { failed } from '../file-failure.ts'
import { foreignSchema } from '../foreign-schema.ts'
import { cutText, foreignText } from '../foreign-text.ts'
import type { GuardedClient, GuardedResponse } from '../guarded-fetch.ts'
import { HttpFailure } from '../http-failure.ts'
import { buildRequest } from './build-request.ts'
import type { Operation } from './list-operations.ts'
import type { OperationArguments } from './operation-arguments.ts'
import type { OpenApiRules } from './options.ts'

const mostDescription = 1_024

/** The dependencies of a toolset's calls. */
export interface CallParts {
  /** Without a slash at its end. */
  readonly base: string
  /** Names in lower case, credentials among them. */
  readonly headers: Readonly<Record<string, string>>
  readonly client: GuardedClient
  readonly secrets: Redactor
  readonly maxBytes: number
  /** Finds another operation of the same set by its id. */
  find(id: string): OperationCall | undefined
}

export interface OperationCall {
  readonly operation: Operation
  readonly shape: () => OperationArguments
  readonly warn: (warning: string) => void
}

/** Returns an operation as a tool; `name` is its name for the model. */
export function operationTool(name: string, call: OperationCall, rules: OpenApiRules, parts: CallParts): Tool {
  const { operation } = call
  const { description, probe, ...others } = rules
  const { secrets } = parts
  const ask = (signal: AbortSignal) => async (id: string, given: JsonObject) => {
    const other = parts.find(id)
    if (other === undefined) return failed(`There is no operation "${id}".`)
    return await perform(other.operation, other.shape(), given, { signal }, parts)
  }
  const made: { shape?: OperationArguments; schema?: StandardSchema; description?: string } = {}
  const shape = () => (made.shape ??= call.shape())
  const schema = () => (made.schema ??= foreignSchema(secrets.json(schemaOf(call, shape()))))['~standard']
  return {
    effects: effectsOf(operation.method),
    ...others,
    name,
    label: isToolName(operation.id) ? operation.id : foreignText(operation.id, 100),
    sourceName: operation.id,
    get description() {
      return (made.description ??= foreignText(description ?? secrets.text(descriptionOf(operation)), mostDescription))
    },
    input: {
      '~standard': {
        version: 1,
        vendor: 'statewright',
        validate: (value) => schema().validate(value),
        jsonSchema: { input: (options) => schema().jsonSchema?.input(options) ?? {} },
      },
    },
    ...(probe === undefined
      ? {}
      : { probe: (question: ProbeQuestion<JsonObject>) => probe(question, ask(question.signal)) }),
    execute: async (input, context) => await perform(operation, shape(), input, context, parts),
  }
}

function schemaOf({ operation, warn }: OperationCall, shape: OperationArguments): JsonObject {
  const { schema, lost } = shape.schema()
  const places = lost.map((reference) => JSON.stringify(reference.slice(0, 200))).join(', ')
  if (lost.length > 0)
    warn(`Operation "${operation.id}" refers to ${places}, which does not exist: any value is accepted there.`)
  return schema
}

function descriptionOf({ method, path, value }: Operation): string {
  const said = [value['summary'], value['description']].filter((text) => typeof text === 'string' && text !== '')
  return said.join('\n') || `${method} ${path}`
}

function effectsOf(method: string): ToolEffects {
  if (method === 'GET' || method === 'HEAD') return 'none'
  return method === 'PUT' || method === 'DELETE' ? 'idempotent' : 'once'
}

async function perform(
  operation: Operation,
  shape: OperationArguments,
  input: unknown,
  { signal, trace }: Pick<ToolContext, 'signal' | 'trace'>,
  { base, headers, client, secrets, maxBytes }: CallParts,
): Promise<ToolResult> {
  const request = buildRequest(base, operation, shape, input, { ...trace, ...headers })
  if (typeof request === 'string')
    return failed(secrets.text(`${operation.method} ${operation.path} was not sent: ${request}`))
  const { url, ...rest } = request
  try {
    const response = await client.request(url, { ...rest, signal, maxBytes })
    return resultOf(operation.method, url, response, secrets, maxBytes)
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error
    return failed(secrets.text(`${operation.method} ${url.href} → no response: ${error.message}`))
  }
}

function resultOf(
  method: string,
  url: URL,
  { status, headers, bytes, isCut }: GuardedResponse,
  secrets: Redactor,
  maxBytes: number,
): ToolResult {
  const type = secrets.text(headers.get('content-type') ?? '')
  const shown =
    isCut || fileTypeOf(bytes) === undefined ? undefined : readBlock({ type: 'file', data: base64Of(bytes) }).block
  const isBody = shown === undefined && isText(type, bytes)
  const body = isBody
    ? textOf(bytes, isCut, secrets, maxBytes)
    : binary(type, bytes, { isCut, isShown: shown !== undefined })
  const text = `${method} ${secrets.text(url.href)} → ${status}\n\n${body}`
  return {
    content: [{ type: 'text', text }, ...(shown === undefined ? [] : [shown])],
    ...(status >= 200 && status < 300 ? {} : { status: 'error' as const }),
    details: { status, mediaType: cutText(type, 200, '…') },
  }
}

/** Cut at a character, and before what may be the beginning of a secret. */
function textOf(bytes: Uint8Array, isCut: boolean, secrets: Redactor, maxBytes: number): string {
  const whole = new TextDecoder().decode(bytes, { stream: isCut })
  const masked = isCut ? secrets.stream().push(whole) : secrets.text(whole)
  const kept = Buffer.from(masked)
  if (kept.length <= maxBytes) return isCut ? `${masked}${cutMark}` : masked
  let end = maxBytes
  while (end > 0 && ((kept[end] ?? 0) & 0b1100_0000) === 0b1000_0000) end--
  return `${kept.toString('utf8', 0, end)}${cutMark}`
}

const cutMark = '\n... [truncated]'

function isText(type: string, bytes: Uint8Array): boolean {
  if (
    /^(text\/|application\/(json|xml|yaml|x-yaml|javascript|graphql|x-ndjson|x-www-form-urlencoded))|\+(json|xml|yaml)/i.test(
      type,
    )
  )
    return true
  return !bytes.subarray(0, 1_000).includes(0) && !/^(image|audio|video|font)\/|octet-stream|zip|pdf/i.test(type)
}

function binary(type: string, bytes: Uint8Array, how: { readonly isCut: boolean; readonly isShown: boolean }): string {
  const size = `${how.isCut ? 'more than ' : ''}${bytes.length} bytes of ${type.slice(0, 100) || 'an unknown type'}`
  return `[${size}, ${how.isShown ? 'shown below' : 'left out'}]`
}
