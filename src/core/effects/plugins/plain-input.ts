import type { StateChange } from '../../domain/call.ts'
import { isRecord, type Json } from '../../domain/text/json.ts'
import { copyJson, type CopyOptions } from '../../domain/text/json-copy.ts'
import { maxJsonDepth } from '../../domain/text/json-limits.ts'
import { refusedKeys } from '../../domain/text/parse-json.ts'
import type { Message, ModelMessage, ToolResultMessage } from '../../domain/message.ts'
import { hasTexts, isMissingOr, isShaped, isText, isTexts } from '../../domain/text/shape.ts'
import type { SuspensionTicket } from '../../domain/suspension.ts'
import { isBlock } from '../model/check-answer.ts'
import { isContent } from '../tools/tool-result.ts'

/** Returns a copy of state changes as plain JSON; throws if one of them could not be applied. */
export function checkedChanges(changes: unknown): readonly StateChange[] {
  if (!Array.isArray(changes)) throw new TypeError(`The changes are not a list. ${changesWish}`)
  return changes.map(checkedChange)
}

const changesWish = 'Expected [{ path, value? }] with a list of keys as path and JSON as value.'

function checkedChange(change: unknown): StateChange {
  if (!isRecord(change)) throw new TypeError(`A change is not an object. ${changesWish}`)
  const path = checkedPath(change['path'])
  const { value } = change
  if (value === undefined) return { path }
  const mostDepth = maxJsonDepth - path.length
  return { path, value: plain(value, `The value for ${JSON.stringify(path)}`, { mostDepth }) }
}

function checkedPath(path: unknown): readonly string[] {
  if (!isTexts(path)) {
    throw new TypeError(`The path ${JSON.stringify(path)} is not a list of keys. ${changesWish}`)
  }
  if (path.length > maxJsonDepth) {
    throw new TypeError(`A path has ${path.length} keys. Expected at most ${maxJsonDepth}.`)
  }
  const refused = path.find((key) => refusedKeys.has(key))
  if (refused !== undefined) {
    throw new TypeError(`State path holds "${refused}", which is refused. Use another key.`)
  }
  return [...path]
}

/** Returns a copy of a ticket as plain JSON; throws if it cannot be a suspension. */
export function checkedTicket(ticket: unknown): SuspensionTicket {
  if (!isRecord(ticket)) throw new TypeError(`The ticket is not an object. ${ticketWish}`)
  const { expiresAt, ...others } = ticket
  const copy = plain(others, 'The ticket')
  if (!isTicket(copy)) throw new TypeError(`The ticket is invalid. ${ticketWish}`)
  return isNever(expiresAt) ? copy : { ...copy, expiresAt: checkedTime(expiresAt) }
}

const isTicket = isShaped<SuspensionTicket>({ reason: isMissingOr(isText), message: isMissingOr(isText) })

/** JSON turns `Infinity` into null, which every moment is later than. */
function isNever(expiresAt: unknown): boolean {
  return expiresAt === undefined || expiresAt === Infinity
}

function checkedTime(expiresAt: unknown): number {
  if (typeof expiresAt === 'number' && Number.isFinite(expiresAt)) return expiresAt
  throw new TypeError(`The ticket expires at ${String(expiresAt)}. Expected Unix milliseconds, or nothing for never.`)
}

const ticketWish = 'Expected { reason?, message?, parameters?, responseSchema?, expiresAt? }.'

/** Returns a copy of a message as plain JSON; throws if no transcript could store it. */
export function checkedMessage(message: unknown): Message {
  const copy = plain(message, 'The message')
  if (isMessage(copy)) return copy
  const wish = 'Expected one of role user, assistant or toolResult with a list of blocks as content'
  throw new TypeError(`The message is invalid. ${wish}, or of role extension with kind and data.`)
}

/** Returns a copy of a message to a model as plain JSON; throws if it is invalid. */
export function checkedModelMessage(message: unknown): ModelMessage {
  const copy = plain(message, 'The message')
  if (isModelMessage(copy)) return copy
  const wish = 'Expected one of role user, assistant or toolResult with a list of blocks as content.'
  throw new TypeError(`The message is not valid for a model. ${wish}`)
}

/** Returns true if a plain value is a message for a model. */
export function isModelMessage(message: unknown): message is ModelMessage {
  return isMessage(message) && message.role !== 'extension'
}

function isMessage(message: unknown): message is Message {
  if (!isRecord(message)) return false
  const { role, content, kind } = message
  if (role === 'extension') return typeof kind === 'string' && 'data' in message
  if (!Array.isArray(content)) return false
  if (role === 'assistant') return content.every(isBlock)
  if (role !== 'user' && role !== 'toolResult') return false
  return content.every(isContent) && (role === 'user' || isAnswer(message))
}

const isAnswer = hasTexts<ToolResultMessage>('callId', 'toolCallId', 'toolName')

/** Returns a value as our own plain JSON; throws with its name if it is not JSON, too deep or too large. */
function plain(value: unknown, what: string, options: CopyOptions = {}): Json {
  const copied = copyJson(value, options)
  if (copied.problem !== undefined) throw new TypeError(`${what} ${copied.problem}.`)
  return copied.value
}
