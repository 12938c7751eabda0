import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionContentPart,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions'
import {
  type AssistantMessage,
  type ModelMessage,
  type ShownContent,
  type ThinkingContent,
  type ToolCallContent,
  textOf,
} from '../../../core/domain/message.ts'
import { mediaTypeOf } from '../../../core/domain/media.ts'
import { accepted } from '../wire/accepted.ts'
import {
  isSendable,
  resultText,
  sendableText,
  sentName,
  shortIds,
  shownBehind,
  wireCallIds,
  type WireCallIds,
  type WireTarget,
} from '../wire/history.ts'
import type { OpenAICompat } from './compat.ts'

/**
 * Returns a transcript in the form of Chat Completions. Pictures and files of tool results follow their results as a
 * user message.
 */
export function chatMessages(
  messages: readonly ModelMessage[],
  target: WireTarget,
  { shortCallIds, reasoningField }: OpenAICompat,
): ChatCompletionMessageParam[] {
  const ids = wireCallIds(messages, target.provider, shortCallIds ? shortIds : accepted['openai-chat'].ids)
  const wire: ChatCompletionMessageParam[] = []
  let behind: ChatCompletionContentPart[] = []
  const showBehind = () => {
    if (behind.length > 0) wire.push({ role: 'user', content: behind })
    behind = []
  }
  for (const message of messages) {
    if (message.role === 'toolResult') {
      wire.push({ role: 'tool', tool_call_id: ids.ofResult(message), content: resultText(message) })
      behind.push(...shownBehind(message, partOf))
      continue
    }
    showBehind()
    if (message.role === 'user') wire.push(...userMessages(message.content))
    else wire.push(...assistantMessages(message, ids, target, reasoningField))
  }
  showBehind()
  return wire
}

function userMessages(content: readonly ShownContent[]): ChatCompletionMessageParam[] {
  const parts = content.flatMap(partOf)
  if (parts.length === 0) return []
  const [only] = parts
  return [{ role: 'user', content: parts.length === 1 && only?.type === 'text' ? only.text : parts }]
}

function partOf(block: ShownContent): ChatCompletionContentPart[] {
  if (block.type === 'text') return isSendable(block.text) ? [{ type: 'text', text: sendableText(block.text) }] : []
  const url = `data:${mediaTypeOf(block)};base64,${block.data}`
  if (block.type === 'image') return [{ type: 'image_url', image_url: { url } }]
  return [{ type: 'file', file: { filename: sentName(block), file_data: url } }]
}

function assistantMessages(
  message: AssistantMessage,
  ids: WireCallIds,
  target: WireTarget,
  reasoningField: OpenAICompat['reasoningField'],
): ChatCompletionAssistantMessageParam[] {
  const text = sendableText(textOf(message))
  const calls = message.content.filter((block) => block.type === 'toolCall')
  if (!isSendable(text) && calls.length === 0) return []
  const told = thinkingOf(message, target)
  return [
    {
      role: 'assistant',
      ...(told?.field === 'content' ? contentWith(told.blocks, text) : { content: isSendable(text) ? text : null }),
      ...(told === undefined || told.field === 'content' ? {} : reasoningOf(told, reasoningField)),
      ...(calls.length > 0 ? { tool_calls: calls.map((call) => callOf(call, ids)) } : {}),
    },
  ]
}

function callOf(call: ToolCallContent, ids: WireCallIds) {
  return {
    id: ids.ofCall(call),
    type: 'function' as const,
    function: { name: call.name, arguments: JSON.stringify(call.arguments) },
  }
}

/** The thinking of a message and the field that its server used for it. */
interface Told {
  readonly field: 'reasoning_content' | 'reasoning' | 'content'
  readonly blocks: readonly ThinkingContent[]
}

/** Servers that send thinking on this wire require it back in the same field. */
function thinkingOf(message: AssistantMessage, target: WireTarget): Told | undefined {
  const blocks = message.content.filter((block) => block.type === 'thinking')
  const field = blocks.map((block) => fieldOf(block, target)).find((name) => name !== undefined)
  return field === undefined ? undefined : { field, blocks }
}

function reasoningOf(
  { field, blocks }: Told,
  wanted: OpenAICompat['reasoningField'],
): Readonly<Record<string, string>> {
  return { [wanted === 'either' ? field : wanted]: sendableText(blocks.map(({ thinking }) => thinking).join('')) }
}

/** The content as parts; the package has no type for those of thinking, which its server alone takes. */
function contentWith(blocks: readonly ThinkingContent[], text: string): object {
  const thinking = blocks.map((block) => ({
    type: 'thinking',
    thinking: [{ type: 'text', text: sendableText(block.thinking) }],
    closed: true,
    ...(block.signature === undefined ? {} : { signature: block.signature }),
  }))
  return { content: [...thinking, ...(isSendable(text) ? [{ type: 'text', text }] : [])] }
}

function fieldOf({ providerData }: ThinkingContent, { provider, model }: WireTarget): Told['field'] | undefined {
  if (providerData?.provider !== provider || providerData.model !== model) return undefined
  const { data } = providerData
  return data === 'reasoning_content' || data === 'reasoning' || data === 'content' ? data : undefined
}
