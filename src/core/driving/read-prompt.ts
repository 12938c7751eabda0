import type { RunInput } from '../../../machines/run/run.types.ts'
import { isRecord, type Json } from '../domain/text/json.ts'
import { copyJson } from '../domain/text/json-copy.ts'
import {
  type ExtensionMessage,
  type InputMessage,
  type Said,
  type UserMessage,
  userMessage,
} from '../domain/message.ts'
import { isFilledText, isListOf, isNumber, isOneOf, isShaped, isThere } from '../domain/text/shape.ts'
import { UsageError } from '../domain/text/usage-error.ts'
import { isContent } from '../effects/tools/tool-result.ts'

/**
 * What a run is started with: a text, messages, or a value for the agent's context builder. Extension messages among the
 * others are kept in order, and sent to no model.
 */
export type Prompt = Said | { readonly input: Json }

/** A prompt as a run is stored with it; without a context builder, or messages of its own, a value is read as JSON. */
export function inputOf(prompt: Prompt, now: number): Pick<RunInput, 'messages' | 'value'> {
  const given = typeof prompt === 'string' || Array.isArray(prompt) ? prompt : plainPrompt(prompt)
  if (!isRecord(given) || Object.keys(given).join() !== 'input') return { messages: messagesOf(given as string, now) }
  const { input: value = null } = given
  return { messages: [userMessage(JSON.stringify(value), now)], value }
}

/** The messages of a prompt, copied; throws a `UsageError` `bad_prompt` for what is none. */
export function messagesOf(prompt: Said, now: number): readonly InputMessage[] {
  if (typeof prompt === 'string') {
    if (prompt.trim() === '') throw emptyPrompt()
    return [userMessage(plainPrompt(prompt) as string, now)]
  }
  const copied = plainPrompt(prompt)
  const messages = (Array.isArray(copied) ? copied : [copied]).map((message) => completed(message, now))
  if (!messages.every(isInputMessage) || !messages.some(isUserMessage)) {
    const isElsewhere = messages.some(
      (message) => isRecord(message) && !['user', 'extension'].includes(String(message['role'])),
    )
    const advice = isElsewhere ? ` ${transcriptWish}` : blockAdvice(messages)
    throw new UsageError('bad_prompt', `The prompt is not readable. ${promptWish}${advice}`)
  }
  return messages
}

/** Names the first block of a message that is no text and no picture of ours, as other libraries have theirs. */
function blockAdvice(messages: readonly unknown[]): string {
  for (const [place, message] of messages.entries()) {
    const content = isRecord(message) ? message['content'] : undefined
    const at = Array.isArray(content) ? content.findIndex((block) => !isContent(block)) : -1
    if (at >= 0) return ` Block ${at} of message ${place} is neither ${blockWish}.`
  }
  return ''
}

/** A message of a user with what may be left out of it; anything else as it is. */
function completed(message: unknown, now: number): unknown {
  if (!isRecord(message) || message['role'] !== 'user') return message
  const { content, timestamp = now } = message
  if (typeof content !== 'string') return { ...message, timestamp }
  if (content.trim() === '') throw emptyPrompt()
  return { ...message, content: [{ type: 'text', text: content }], timestamp }
}

function emptyPrompt(): UsageError {
  return new UsageError('bad_prompt', 'The prompt is empty. Give a text or user messages.')
}

const promptWish = 'Expected a text, one or more user messages and extension messages between them, or { input: JSON }.'

const blockWish = "{ type: 'text', text } nor { type: 'image', data, mimeType } with data in base64"

const transcriptWish = 'A transcript with answers is taken over by agent.session().restore(messages).'

function plainPrompt(prompt: unknown): Json {
  const copied = copyJson(prompt)
  if (copied.problem === undefined) return copied.value
  throw new UsageError('bad_prompt', `The prompt ${copied.problem}. ${promptWish}`)
}

function isInputMessage(message: unknown): message is InputMessage {
  return isUserMessage(message) || isExtension(message)
}

const isExtension = isShaped<ExtensionMessage>({
  role: isOneOf('extension'),
  kind: isFilledText,
  data: isThere,
  timestamp: isNumber,
})

/** A message of the application's own, copied; throws a `UsageError` `bad_message` for one no transcript could hold. */
export function extensionMessage(kind: string, data: Json, now: number): ExtensionMessage {
  const wish = 'Expected append(kind, data) with a text that is not empty, and JSON.'
  if (!isFilledText(kind)) throw new UsageError('bad_message', `The kind of the message is not readable. ${wish}`)
  const copied = copyJson(data, { isStrict: true })
  if (copied.problem !== undefined)
    throw new UsageError('bad_message', `The data of the message ${copied.problem}. ${wish}`)
  return { role: 'extension', kind, data: copied.value, timestamp: now }
}

const isUserMessage = isShaped<UserMessage>({
  role: isOneOf('user'),
  content: isListOf(isContent),
  timestamp: isNumber,
})
