import type { RunInput } from '../../machines/run/run.types.ts'
import { isRecord, type Json } from '../domain/json.ts'
import { copyJson } from '../domain/json-copy.ts'
import { type UserMessage, userMessage } from '../domain/message.ts'
import { UsageError } from '../domain/usage-error.ts'
import { isContent } from '../effects/tool-result.ts'

/** What a run is started with: a text, messages, or a value for the agent's context builder. */
export type Prompt = string | readonly UserMessage[] | { readonly input: Json }

/** A prompt as a run is stored with it; without a context builder, or messages of its own, a value is read as JSON. */
export function inputOf(prompt: Prompt, now: number): Pick<RunInput, 'messages' | 'value'> {
  const given = typeof prompt === 'string' || Array.isArray(prompt) ? prompt : plainPrompt(prompt)
  if (!isRecord(given) || Object.keys(given).join() !== 'input') return { messages: messagesOf(given as string, now) }
  const { input: value = null } = given
  return { messages: [userMessage(JSON.stringify(value), now)], value }
}

/** The messages of a prompt, copied; throws a `UsageError` `bad_prompt` for what is none. */
export function messagesOf(prompt: string | readonly UserMessage[], now: number): readonly UserMessage[] {
  if (typeof prompt === 'string') {
    if (prompt.trim() === '') throw new UsageError('bad_prompt', 'The prompt is empty. Give a text or user messages.')
    return [userMessage(plainPrompt(prompt) as string, now)]
  }
  const messages = plainPrompt(prompt)
  if (!Array.isArray(messages) || messages.length === 0 || !messages.every(isUserMessage)) {
    throw new UsageError('bad_prompt', `The prompt is not readable. ${promptWish}`)
  }
  return messages
}

const promptWish = 'Expected a text, one or more user messages, or { input: JSON }.'

function plainPrompt(prompt: unknown): Json {
  const copied = copyJson(prompt)
  if (copied.problem === undefined) return copied.value
  throw new UsageError('bad_prompt', `The prompt ${copied.problem}. ${promptWish}`)
}

function isUserMessage(message: unknown): message is UserMessage {
  return isRecord(message) && message['role'] === 'user' && isContentList(message['content'])
}

function isContentList(content: unknown): boolean {
  return Array.isArray(content) && content.every(isContent)
}
