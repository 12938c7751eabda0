import type {
  Base64ImageSource,
  ContentBlockParam,
  DocumentBlockParam,
  ImageBlockParam,
  TextBlockParam,
  ToolResultBlockParam,
} from '@anthropic-ai/sdk/resources/messages/messages'
import { hashText, isRecord } from '../../../core/domain/text/json.ts'
import type {
  AssistantMessage,
  FileContent,
  ImageContent,
  ModelMessage,
  ShownContent,
  TextContent,
  ThinkingContent,
  ToolResultMessage,
} from '../../../core/domain/message.ts'
import { checksPrefix } from './thinking.ts'
import { accepted } from '../wire/accepted.ts'
import type { ModelSettings } from '../wire/model-options.ts'
import { isSendable, originOf, sendableText, wireCallIds, type WireCallIds } from '../wire/history.ts'
import { ownSummary } from '../wire/own-summary.ts'

/** A message of the wire, whose content is always in blocks. */
export interface AnthropicMessage {
  readonly role: 'user' | 'assistant'
  readonly content: ContentBlockParam[]
}

/** A transcript in the wire's form, with the hash of everything before the answer. */
export interface AnthropicHistory {
  readonly messages: AnthropicMessage[]
  /** Hash of head and messages; kept with the answer's thinking, which is only valid after just these. */
  readonly prefix: string
}

/**
 * Returns a transcript in the form that the wire requires: users and assistants alternate, results are user blocks, and
 * no block is empty. `head` is the text before the messages (system prompt and tools).
 */
export function anthropicHistory(
  messages: readonly ModelMessage[],
  { model, compacts }: Pick<ModelSettings, 'model' | 'compacts'>,
  head: string,
): AnthropicHistory {
  const ids = wireCallIds(messages, 'anthropic', accepted['anthropic-messages'].ids)
  const wire: AnthropicMessage[] = []
  let prefix = hashText(head)
  let marked = 0
  const markAll = () => {
    for (const message of wire.slice(marked)) prefix = hashText(prefix + JSON.stringify(message))
    marked = wire.length
  }
  // The wire accepts the provider's summary only before all messages.
  const summary = ownSummary(messages[0], { provider: 'anthropic', model, compacts })
  if (summary !== undefined) wire.push({ role: 'assistant', content: [summary as unknown as ContentBlockParam] })
  for (const message of summary === undefined ? messages : messages.slice(1)) {
    if (message.role === 'assistant') markAll()
    const role = message.role === 'assistant' ? 'assistant' : 'user'
    const content = blocksOf(message, ids, { model, prefix })
    const last = wire.at(-1)
    if (content.length === 0) continue
    if (last?.role === 'user' && role === 'user') last.content.push(...content)
    else wire.push({ role, content })
  }
  markAll()
  return { messages: wire, prefix }
}

interface Place {
  readonly model: string
  readonly prefix: string
}

function blocksOf(message: ModelMessage, ids: WireCallIds, place: Place): ContentBlockParam[] {
  if (message.role === 'user') return shownBlocks(message.content)
  if (message.role === 'toolResult') return [resultBlock(message, ids)]
  return assistantBlocks(message, ids, place)
}

type ShownParam = TextBlockParam | ImageBlockParam | DocumentBlockParam

function shownBlocks(content: readonly ShownContent[]): ShownParam[] {
  return content.flatMap((block): ShownParam[] => {
    if (block.type === 'text') return textBlock(block)
    return block.type === 'image' ? imageBlock(block) : [documentBlock(block)]
  })
}

/** A legal request has no file but PDFs. */
function documentBlock({ data, name }: FileContent): DocumentBlockParam {
  const source = { type: 'base64', media_type: 'application/pdf', data } as const
  return { type: 'document', source, ...(name === undefined ? {} : { title: name }) }
}

function textBlock({ text }: TextContent): TextBlockParam[] {
  return isSendable(text) ? [{ type: 'text', text: sendableText(text) }] : []
}

/** A legal request has no picture of another type. */
function imageBlock({ data, mimeType }: ImageContent): ImageBlockParam[] {
  return isImageType(mimeType) ? [{ type: 'image', source: { type: 'base64', media_type: mimeType, data } }] : []
}

function isImageType(type: string): type is Base64ImageSource['media_type'] {
  return /^image\/(jpeg|png|gif|webp)$/.test(type)
}

/** An error without content is refused by the wire, so an empty result says that it is one. */
function resultBlock(message: ToolResultMessage, ids: WireCallIds): ToolResultBlockParam {
  const content = shownBlocks(message.content)
  return {
    type: 'tool_result',
    tool_use_id: ids.ofResult(message),
    content: content.length === 0 ? [{ type: 'text', text: '(no output)' }] : content,
    ...(message.isError ? { is_error: true } : {}),
  }
}

function assistantBlocks(message: AssistantMessage, ids: WireCallIds, place: Place): ContentBlockParam[] {
  return message.content.flatMap((block): ContentBlockParam[] => {
    if (block.type === 'text') return textBlock(block)
    if (block.type === 'thinking') return thinkingBlock(block, place)
    return [{ type: 'tool_use', id: ids.ofCall(block), name: block.name, input: inputOf(block.arguments) }]
  })
}

/** The wire takes objects only. */
function inputOf(given: unknown): object {
  return isRecord(given) ? given : {}
}

/** Thinking is sent back unchanged and only to its model; if that model checks it, only after the same messages. */
function thinkingBlock(block: ThinkingContent, place: Place): ContentBlockParam[] {
  const origin = originOf(block, { provider: 'anthropic', model: place.model })
  if (origin === undefined) return []
  if (checksPrefix(place.model) && origin['prefix'] !== place.prefix) return []
  if (typeof origin['redacted'] === 'string') return [{ type: 'redacted_thinking', data: origin['redacted'] }]
  return block.signature === undefined
    ? []
    : [{ type: 'thinking', thinking: block.thinking, signature: block.signature }]
}
