import type {
  ContentBlock,
  DocumentFormat,
  ConverseStreamCommandInput,
  ImageFormat,
  Message,
  ToolResultContentBlock,
} from '@aws-sdk/client-bedrock-runtime'
import { isRecord, hashText, type Json } from '../../../core/domain/text/json.ts'
import type {
  AssistantMessage,
  FileContent,
  ModelMessage,
  ShownContent,
  ThinkingContent,
  ToolResultMessage,
} from '../../../core/domain/message.ts'
import { checksPrefix } from '../anthropic/thinking.ts'
import { accepted } from '../wire/accepted.ts'
import { isSendable, originOf, sendableText, wireCallIds, type WireCallIds } from '../wire/history.ts'

/** The package's type of a JSON value. */
export type WireJson = Exclude<ConverseStreamCommandInput['additionalModelRequestFields'], undefined>

/** A transcript in the wire's form, with the hash of everything before the answer. */
export interface BedrockHistory {
  readonly messages: Message[]
  /** Hash of head and messages; kept with the answer's thinking, which is only valid after just these. */
  readonly prefix: string
}

/**
 * Returns a transcript in the form that the wire requires: users and assistants alternate, results are user blocks, and
 * no block is empty.
 */
export function bedrockHistory(messages: readonly ModelMessage[], model: string, head: string): BedrockHistory {
  const ids = wireCallIds(messages, 'bedrock', accepted['bedrock-converse'].ids)
  const wire: { readonly role: 'user' | 'assistant'; readonly content: ContentBlock[] }[] = []
  let prefix = hashText(head)
  const names = new Set<string>()
  for (const message of messages) {
    const role = message.role === 'assistant' ? 'assistant' : 'user'
    const content = blocksOf(message, ids, { model, prefix, names })
    prefix = hashText(prefix + JSON.stringify([message.role, message.content]))
    const last = wire.at(-1)
    if (content.length === 0) continue
    if (last?.role === 'user' && role === 'user') last.content.push(...content)
    else wire.push({ role, content })
  }
  return { messages: wire, prefix }
}

interface Place {
  readonly model: string
  readonly prefix: string
  /** Names of documents, each of which a request may have once. */
  readonly names: Set<string>
}

function blocksOf(message: ModelMessage, ids: WireCallIds, place: Place): ContentBlock[] {
  if (message.role === 'user') return withText(message.content.flatMap((block) => shownBlock(block, place)))
  if (message.role === 'toolResult') return [resultBlock(message, ids, place)]
  return assistantBlocks(message, ids, place)
}

/** The wire refuses a message that has a document and no text. */
function withText(blocks: ContentBlock[]): ContentBlock[] {
  const isBare = blocks.some(({ document }) => document !== undefined) && blocks.every(({ text }) => text === undefined)
  return isBare ? [...blocks, { text: '(see the document)' }] : blocks
}

function shownBlock(block: ShownContent, place: Place): (ContentBlock & ToolResultContentBlock)[] {
  if (block.type === 'text') return isSendable(block.text) ? [{ text: sendableText(block.text) }] : []
  if (block.type === 'file') return documentBlock(block, place)
  const format = formatOf(block.mimeType)
  if (format === undefined) return []
  return [{ image: { format, source: { bytes: Buffer.from(block.data, 'base64') } } }]
}

const documentFormats: Readonly<Record<string, DocumentFormat>> = {
  'application/pdf': 'pdf',
  'application/msword': 'doc',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
}

function documentBlock(block: FileContent, { names }: Place): (ContentBlock & ToolResultContentBlock)[] {
  const format = documentFormats[block.mediaType]
  if (format === undefined) return []
  const source = { bytes: Buffer.from(block.data, 'base64') }
  return [{ document: { format, name: freeName(block, names), source } }]
}

/** The wire takes letters, digits, single blanks, hyphens and brackets. */
function freeName({ name = 'document' }: FileContent, names: Set<string>): string {
  const legal =
    name
      .replaceAll(/[^A-Za-z0-9()[\]-]+/g, ' ')
      .trim()
      .slice(0, 50) || 'document'
  let free = legal
  for (let count = 2; names.has(free); count++) free = `${legal} (${count})`
  names.add(free)
  return free
}

function formatOf(mimeType: string): ImageFormat | undefined {
  const format = mimeType.replace(/^image\//, '')
  return format === 'png' || format === 'jpeg' || format === 'gif' || format === 'webp' ? format : undefined
}

/** Only some families know a status; for the others the text says it. */
function resultBlock(message: ToolResultMessage, ids: WireCallIds, place: Place): ContentBlock {
  const content = message.content.flatMap((block) => shownBlock(block, place))
  const knowsStatus = /claude|nova/.test(place.model)
  return {
    toolResult: {
      toolUseId: ids.ofResult(message),
      content: content.length === 0 ? [{ text: '(no output)' }] : content,
      ...(message.isError && knowsStatus ? { status: 'error' } : {}),
    },
  }
}

function assistantBlocks(message: AssistantMessage, ids: WireCallIds, place: Place): ContentBlock[] {
  return message.content.flatMap((block): ContentBlock[] => {
    if (block.type === 'text') return shownBlock(block, place)
    if (block.type === 'thinking') return thinkingBlock(block, place)
    const input = isRecord(block.arguments) ? wireJson(block.arguments) : {}
    return [{ toolUse: { toolUseId: ids.ofCall(block), name: block.name, input } }]
  })
}

/** Thinking is sent back unchanged and only to its model; if that model checks it, only after the same messages. */
function thinkingBlock(block: ThinkingContent, place: Place): ContentBlock[] {
  const origin = originOf(block, { provider: 'bedrock', model: place.model })
  if (origin === undefined) return []
  if (checksPrefix(place.model) && origin['prefix'] !== place.prefix) return []
  const { redacted } = origin
  if (typeof redacted === 'string') {
    return [{ reasoningContent: { redactedContent: Buffer.from(redacted, 'base64') } }]
  }
  const signature = block.signature === undefined ? {} : { signature: block.signature }
  return [{ reasoningContent: { reasoningText: { text: block.thinking, ...signature } } }]
}

/** Returns a copy of a value that the package may keep and change. */
export function wireJson(value: Json | object): WireJson {
  if (Array.isArray(value)) return value.map(wireJson)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => (item === undefined ? [] : [[key, wireJson(item)]])),
  )
}
