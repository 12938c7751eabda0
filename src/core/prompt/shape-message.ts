import { isRecord, type Json, mapChanged } from '../domain/text/json.ts'
import {
  type AssistantMessage,
  type Content,
  type ModelMessage,
  textOf,
  toolCallsOf,
  type ToolResultMessage,
  type UserMessage,
  userMessage,
} from '../domain/message.ts'
import { shortenBytes, shortenLines } from './shorten-text.ts'
import { wholeCharacters } from './estimate-tokens.ts'

const summaryLength = 200

/** Returns a result with an output of at most `most` lines; the result itself if it fits. */
export function withFewLines(message: ToolResultMessage, most: number): ToolResultMessage {
  return withTexts(message, (text) => shortenLines(text, most))
}

/** Returns a message whose texts, also in call arguments, have at most `most` bytes; the message itself if all fit. */
export function withFewBytes(message: ModelMessage, most: number): ModelMessage {
  const shorten = (text: string) => shortenBytes(text, most)
  if (message.role !== 'assistant') return withTexts(message, shorten)
  const content = mapChanged(message.content, (block) => {
    if (block.type === 'toolCall') {
      const given = mapTexts(block.arguments, shorten)
      return given === block.arguments ? block : { ...block, arguments: given }
    }
    return withText(block, shorten)
  })
  return content === message.content ? message : { ...message, content }
}

/** Returns the texts of a message that may be cut; a model's thoughts must be sent unchanged. */
export function textsOf({ content }: ModelMessage): readonly string[] {
  const texts: string[] = []
  const take = (text: string) => {
    texts.push(text)
    return text
  }
  for (const block of content) {
    if (block.type === 'text') take(block.text)
    if (block.type === 'toolCall') mapTexts(block.arguments, take)
  }
  return texts
}

/** Returns a one-line summary of an answer; undefined if the answer is not longer. */
export function summaryOf(message: AssistantMessage): UserMessage | undefined {
  const names = toolCallsOf(message).map(({ name }) => name)
  const text = textOf(message).trim()
  if (names.length === 0 && text.length <= summaryLength) return undefined
  const end = wholeCharacters(text, summaryLength)
  const said = end < text.length ? `${text.slice(0, end)}…` : text
  const called = names.length === 0 ? '' : `[called ${namesIn(names)}]`
  return userMessage(['[Summary]', said, called].filter((part) => part !== '').join(' '), message.timestamp)
}

/** Returns the message that replaces dropped ones. */
export function removedNote(count: number, timestamp: number): UserMessage {
  return userMessage(`[Context compacted: ${count} messages removed to fit context window]`, timestamp)
}

const mostNames = 8

function namesIn(names: readonly string[]): string {
  const different = [...new Set(names)]
  const shown = different.slice(0, mostNames).join(', ')
  return different.length > mostNames ? `${shown} and ${different.length - mostNames} more` : shown
}

function withTexts<M extends UserMessage | ToolResultMessage>(message: M, shorten: (text: string) => string): M {
  const content = mapChanged(message.content, (block) => withText(block, shorten))
  return content === message.content ? message : { ...message, content }
}

/** Removes the provider's data of a changed text, because it applies only to the original. */
function withText<Block extends Content>(block: Block, shorten: (text: string) => string): Block {
  if (block.type !== 'text') return block
  const text = shorten(block.text)
  if (text === block.text) return block
  const { providerData: _, ...rest } = block
  return { ...rest, text } as Block
}

function mapTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return mapChanged(value as readonly Json[], (item) => mapTexts(item, change))
  if (!isRecord(value)) return value
  const entries = Object.entries(value as Readonly<Record<string, Json>>)
  const made = entries.map(([key, item]) => [key, mapTexts(item, change)] as const)
  return made.every(([, item], index) => item === entries[index]?.[1]) ? value : Object.fromEntries(made)
}
