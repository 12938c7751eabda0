import { isRecord } from '../../core/domain/text/json.ts'
import { HttpError } from '../http/http-error.ts'

/** The fields of a chat request that the server reads. */
export interface ChatRequest {
  readonly sessionId: string
  readonly trigger: 'submit-message' | 'regenerate-message'
  /** The message that is to be answered again, or was edited. */
  readonly messageId: string | undefined
  /** The scope of the request's approvals and refusals; message parts have no place for it. */
  readonly scope: unknown
  /** Undefined if there are no messages. */
  readonly last: ChatMessage | undefined
}

/** The last message of a chat. */
export interface ChatMessage {
  readonly id: string
  readonly role: 'user' | 'assistant'
  readonly parts: readonly Readonly<Record<string, unknown>>[]
}

/** Reads the request body of a chat transport. Throws an `HttpError` for an invalid one. */
export function readChat(body: unknown): ChatRequest {
  if (!isRecord(body)) throw badChat('is not an object')
  const { id, messages, trigger, messageId, scope } = body
  if (typeof id !== 'string') throw badChat('has no id')
  if (trigger !== 'submit-message' && trigger !== 'regenerate-message') throw badChat('has a trigger that is not known')
  if (messageId !== undefined && typeof messageId !== 'string') throw badChat('has a messageId that is not a text')
  if (!Array.isArray(messages)) throw badChat('has no messages')
  return { sessionId: id, trigger, messageId, scope, last: messageOf(messages.at(-1)) }
}

function messageOf(message: unknown): ChatMessage | undefined {
  if (message === undefined) return undefined
  if (!isRecord(message)) throw badChat('has a last message that is not an object')
  const { id, role, parts } = message
  const isRole = role === 'user' || role === 'assistant'
  const isList = Array.isArray(parts) && parts.every(isRecord)
  if (typeof id !== 'string' || !isRole || !isList) throw badChat('has a last message without id, role or parts')
  return { id, role, parts }
}

function badChat(what: string): HttpError {
  const wish = 'Expected what DefaultChatTransport of the AI SDK sends: { id, messages, trigger, messageId }.'
  return new HttpError(400, 'bad_chat', `The body ${what}. ${wish}`)
}
