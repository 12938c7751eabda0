import { isRecord, type Json } from '../domain/json.ts'
import { copyJson } from '../domain/json-copy.ts'
import { type UserMessage, userMessage } from '../domain/message.ts'
import { UsageError } from '../domain/usage-error.ts'
import { isContent } from '../effects/tool-result.ts'

/** What the user says: a text, or messages. */
export type Prompt = string | readonly UserMessage[]

/** The messages of a prompt, copied; throws a `UsageError` `bad_prompt` for what is none. */
export function messagesOf(prompt: Prompt, now: number): readonly UserMessage[] {
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

const promptWish = 'Expected a text, or one or more user messages.'

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
