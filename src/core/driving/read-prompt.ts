import type { RunInput } from '../../../machines/run/run.types.ts'
import { isRecord, type Json } from '../domain/text/json.ts'
import { copyJson } from '../domain/text/json-copy.ts'
import {
  type ExtensionMessage,
  type InputMessage,
  type Said,
  type ShownContent,
  type UserMessage,
  userMessage,
} from '../domain/message.ts'
import { blockRefusal, mediaProblem, takenMedia } from '../domain/media.ts'
import { readBlock } from '../domain/read-block.ts'
import { base64Of } from '../domain/text/base64.ts'
import { isFilledText, isListOf, isNumber, isOneOf, isShaped, isThere } from '../domain/text/shape.ts'
import { UsageError } from '../domain/text/usage-error.ts'
import { isContent } from '../effects/tools/tool-result.ts'
import type { Clock } from '../ports/clock.ts'
import type { Model } from '../ports/model.ts'
import { nameOfModel } from '../effects/model/order-models.ts'

/**
 * The prompt of a run: a text, messages, or a value for the agent's context builder. Extension messages keep their
 * order and are sent to no model.
 */
export type Prompt = Said | { readonly input: Json }

/** The agent that receives a prompt. */
export interface PromptTaker {
  readonly clock: Pick<Clock, 'now'>
  readonly parts: { readonly models: readonly Model[] }
}

/** Returns the stored form of a prompt; without a context builder or its own messages, a value becomes JSON. */
export function inputOf(prompt: Prompt, agent: PromptTaker): Pick<RunInput, 'messages' | 'value'> {
  const isMessage = typeof prompt === 'string' || Array.isArray(prompt) || (isRecord(prompt) && 'role' in prompt)
  const given: unknown = isMessage ? prompt : plainPrompt(prompt)
  if (!isRecord(given) || Object.keys(given).join() !== 'input') return { messages: messagesOf(given as string, agent) }
  const { input: value = null } = given as { readonly input?: Json }
  return { messages: [userMessage(JSON.stringify(value), agent.clock.now())], value }
}

/**
 * Returns copied messages of a prompt. Throws a `UsageError` `bad_prompt` for an invalid prompt, and for a picture or a
 * file that cannot be kept or that none of these models accepts.
 */
export function messagesOf(prompt: Said, { clock, parts }: PromptTaker): readonly InputMessage[] {
  const now = clock.now()
  if (typeof prompt === 'string') {
    if (prompt.trim() === '') throw emptyPrompt()
    return [userMessage(plainPrompt(prompt) as string, now)]
  }
  const copied = plainPrompt(withBase64(prompt))
  const messages = (Array.isArray(copied) ? copied : [copied]).map((message, place) =>
    completed(message, place, now, parts.models),
  )
  if (!messages.every(isInputMessage) || !messages.some(isUserMessage)) {
    const isElsewhere = messages.some(
      (message) => isRecord(message) && !['user', 'extension'].includes(String(message['role'])),
    )
    const advice = isElsewhere ? ` ${transcriptWish}` : ''
    throw new UsageError('bad_prompt', `The prompt is invalid. ${promptWish}${advice}`)
  }
  return messages
}

/** Completes a user message and its blocks; returns other messages unchanged. */
function completed(message: unknown, place: number, now: number, models: readonly Model[]): unknown {
  if (!isRecord(message) || message['role'] !== 'user') return message
  // A caller's message may not claim to be a result of background work.
  const { background: _, ...given } = message
  const { content, timestamp = now } = given
  if (Array.isArray(content)) {
    const blocks = content.map((block: unknown, at) => {
      const { block: kept, problem = refusedBy(models, kept) } = readBlock(block)
      if (kept !== undefined && problem === undefined) return kept
      const refusal = blockRefusal(kept ?? block, problem ?? 'it is not readable')
      throw new UsageError('bad_prompt', `The prompt is invalid. Block ${at} of message ${place}: ${refusal}`)
    })
    return { ...given, content: blocks, timestamp }
  }
  if (typeof content !== 'string') return { ...given, timestamp }
  if (content.trim() === '') throw emptyPrompt()
  return { ...given, content: [{ type: 'text', text: content }], timestamp }
}

/** Returns why every model rejects a picture or a file. A model whose vendor does not say may accept it. */
function refusedBy(models: readonly Model[], block: ShownContent | undefined): string | undefined {
  if (block === undefined || block.type === 'text') return undefined
  const problems = models.map(({ media }) => media && mediaProblem(block, media))
  const [problem] = problems
  if (problem === undefined || problems.includes(undefined)) return undefined
  return `${problem}. ${models.map((model) => `${nameOfModel(model)} takes ${takenMedia(model.media)}`).join('; ')}`
}

function emptyPrompt(): UsageError {
  return new UsageError('bad_prompt', 'The prompt is empty. Give a text or user messages.')
}

const promptWish = 'Expected a text, one or more user messages and extension messages between them, or { input: JSON }.'

const transcriptWish = 'To import a transcript with answers, use agent.session().restore(messages).'

/** Encodes bytes of pictures and files as base64 before the prompt is copied, because JSON has no bytes. */
function withBase64(prompt: Exclude<Said, string>): unknown {
  try {
    return [prompt].flat().map((message) => {
      if (!isRecord(message) || !Array.isArray(message['content'])) return message
      return { ...message, content: message['content'].map(encoded) }
    })
  } catch {
    return prompt
  }
}

function encoded(block: unknown): unknown {
  if (!isRecord(block)) return block
  const { data, image } = block
  if (data instanceof Uint8Array) return { ...block, data: base64Of(data) }
  return image instanceof Uint8Array ? { ...block, image: base64Of(image) } : block
}

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

/**
 * Returns a copy of a message with the application's own data. Throws a `UsageError` `bad_message` for one that no
 * transcript can store.
 */
export function extensionMessage(kind: string, data: Json, now: number): ExtensionMessage {
  const wish = 'Expected append(kind, data) with a non-empty text, and JSON.'
  if (!isFilledText(kind)) throw new UsageError('bad_message', `The kind of the message is invalid. ${wish}`)
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
