import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/client'
import {
  canonicalJson,
  hashText,
  isRecord,
  type Json,
  type JsonObject,
  toPlainJson,
} from '../../../core/domain/text/json.ts'
import type { Redactor } from '../../../core/domain/text/redactor.ts'
import type { Suspension, SuspensionTicket } from '../../../core/domain/suspension.ts'
import { foreignSchema } from '../foreign-schema.ts'
import { foreignText } from '../foreign-text.ts'

/** The field of a call's arguments for a person's answers to a server. No model may set it. */
export const answersField = '$inputResponses'

/** A question of a server before the result of a call. */
export interface Question {
  readonly tool: string
  readonly arguments: JsonObject
  /** The requests by the server's names, as the protocol has them. */
  readonly requests: JsonObject
  /** Sent back unchanged; it contains the server's state of the call. */
  readonly requestState?: string
  /** True if the server keeps the call open meanwhile: such a question ends with the process that received it. */
  readonly isLive: boolean
  /** Marks the answers to an earlier question. */
  readonly earlier?: string
}

const maxMessage = 2_000

/** Returns the suspension that asks a person. The answer is in the arguments of the continued call. */
export function ticketOf(
  server: string,
  question: Question,
  secrets: Redactor,
  problem?: string,
  expiresAt?: number,
): SuspensionTicket {
  const asked = foreignText(secrets.text(Object.values(question.requests).map(messageOf).join('\n')), maxMessage)
  const message = [
    ...(problem === undefined ? [] : [`The answer was not accepted: ${problem}`]),
    `MCP server "${server}" asks: ${asked}`,
    `Approving accepts it as it is; to fill it in, resume with the arguments { "${answersField}": … }.`,
    ...(question.isLive ? ['This question does not survive a restart: the server keeps the call open for it.'] : []),
  ]
  return {
    reason: 'input',
    message: message.join('\n'),
    parameters: { mcpQuestion: { ...question } },
    responseSchema: responseSchemaOf(question),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  }
}

function messageOf(request: Json): string {
  const { message, url } = formOf(request)
  return url === undefined ? message : `${message} (open ${url} and come back)`
}

/** Returns the question of a suspension, or undefined if the suspension asks something else. */
export function questionOf(suspension: Suspension | undefined): Question | undefined {
  const { parameters } = suspension ?? {}
  if (!isRecord(parameters) || !isRecord(parameters['mcpQuestion'])) return undefined
  const { tool, arguments: given, requests, requestState, isLive, earlier } = parameters['mcpQuestion']
  if (typeof tool !== 'string' || !isRecord(given) || !isRecord(requests)) return undefined
  return {
    tool,
    arguments: given,
    requests: requests,
    ...(typeof requestState === 'string' ? { requestState } : {}),
    isLive: isLive === true,
    ...(typeof earlier === 'string' ? { earlier } : {}),
  }
}

/** Returns the mark of the answers in a call's arguments, or undefined if there are none. */
export function markOf(given: JsonObject): string | undefined {
  return answersField in given ? hashText(canonicalJson(given[answersField])) : undefined
}

/** The answers by the server's names, in the protocol's form, or the problem with them. */
export type Answers = { readonly responses: Readonly<Record<string, ElicitResult>> } | { readonly problem: string }

/** Reads the answers in a call's arguments; unanswered questions are accepted as they are. */
export async function answersIn(question: Question, given: JsonObject): Promise<Answers> {
  const isNew = markOf(given) !== question.earlier
  const answers = isNew ? given[answersField] : undefined
  if (answers !== undefined && !isRecord(answers)) return { problem: `${answersField} is not an object.` }
  const unknown = Object.keys(answers ?? {}).find((name) => !Object.hasOwn(question.requests, name))
  if (unknown !== undefined) {
    const known = Object.keys(question.requests).join(', ')
    return { problem: `Nothing named "${unknown}" is asked. Asked: ${known}.` }
  }
  const responses: Record<string, ElicitResult> = {}
  for (const [name, request] of Object.entries(question.requests)) {
    const answer = await answerTo(request, answers?.[name])
    if ('problem' in answer) return { problem: `${name}: ${answer.problem}` }
    responses[name] = answer.result
  }
  return { responses }
}

type Answer = { readonly result: ElicitResult } | { readonly problem: string }

/** An answer is `{ action, content }`, or only the content. */
async function answerTo(request: Json, given: unknown): Promise<Answer> {
  if (given !== undefined && !isRecord(given)) return { problem: 'Expected an object.' }
  const { action, content } = isActionIn(given) ? given : { action: 'accept' as const, content: given }
  if (action !== 'accept') return { result: { action } }
  const { schema } = formOf(request)
  if (schema === undefined) return { result: { action } }
  if (content !== undefined && !isRecord(content)) return { problem: 'The content is not an object.' }
  const filled = { ...defaultsOf(schema), ...content }
  const checked = await foreignSchema(schema)['~standard'].validate(filled)
  if (checked.issues === undefined)
    return { result: { action, content: filled as NonNullable<ElicitResult['content']> } }
  return {
    problem: checked.issues.map(({ path = [], message }) => [...path.map(String), message].join(': ')).join(' '),
  }
}

function isActionIn(
  given: Record<string, unknown> | undefined,
): given is { readonly action: ElicitResult['action']; readonly content?: unknown } {
  const action = given?.['action']
  return action === 'accept' || action === 'decline' || action === 'cancel'
}

function defaultsOf(schema: JsonObject): JsonObject {
  const { properties } = schema
  if (!isRecord(properties)) return {}
  const entries = Object.entries(properties).flatMap(([name, value]): (readonly [string, Json])[] =>
    isRecord(value) && value['default'] !== undefined ? [[name, value['default']]] : [],
  )
  return Object.fromEntries(entries)
}

interface Form {
  readonly message: string
  readonly schema?: JsonObject
  readonly url?: string
}

function formOf(request: Json): Form {
  const params = isRecord(request) && isRecord(request['params']) ? request['params'] : {}
  const { message, requestedSchema, url } = params
  return {
    message: typeof message === 'string' ? message : 'It does not say what.',
    ...(isRecord(requestedSchema) ? { schema: requestedSchema } : {}),
    ...(typeof url === 'string' ? { url: foreignText(url, maxMessage) } : {}),
  }
}

function responseSchemaOf({ requests }: Question): JsonObject {
  const forms = Object.entries(requests).map(([name, request]) => [name, { ...formOf(request).schema, type: 'object' }])
  const answers = { type: 'object', properties: Object.fromEntries(forms) as JsonObject }
  return { type: 'object', properties: { [answersField]: answers }, required: [answersField] }
}

/** Returns the requests of a server if a person can answer all of them, or else the problem. */
export function askableRequests(requests: unknown): { readonly requests: JsonObject } | { readonly problem: string } {
  const plain = toPlainJson(requests ?? {})
  if (!isRecord(plain)) return { problem: 'what it asks cannot be read' }
  const other = Object.values(plain).find((request) => !isRecord(request) || request['method'] !== 'elicitation/create')
  if (other === undefined) return { requests: plain }
  const method = isRecord(other) && typeof other['method'] === 'string' ? other['method'] : 'something unreadable'
  return { problem: `it asks for ${foreignText(method, 100)}, which is not available to servers here` }
}

/** Returns an elicitation of an older protocol version in the form of the newer ones. */
export function liveRequests(params: ElicitRequest['params']): JsonObject {
  const plain = toPlainJson({ method: 'elicitation/create', params })
  return { question: plain ?? {} }
}
