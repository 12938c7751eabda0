import { type Message, Part, Role } from '@a2a-js/sdk'
import { ContentTypeNotSupportedError, RequestMalformedError } from '@a2a-js/sdk/errors'
import { blockRefusal } from '../../core/domain/media.ts'
import { readBlock } from '../../core/domain/read-block.ts'
import { toPlainJson } from '../../core/domain/text/json.ts'
import type { Json } from '../../index.ts'
import type { ShownContent } from '../../ports.ts'

/** Returns a part with a JSON value. */
export function dataPart(data: Json): Part {
  return Part.fromJSON({ data, mediaType: 'application/json' })
}

/** Returns a part of a transcript's content, or of a text. */
export function partOf(given: ShownContent | string): Part {
  if (typeof given === 'string') return Part.fromJSON({ text: given, mediaType: 'text/plain' })
  if (given.type === 'text') return partOf(given.text)
  if (given.type === 'image') return Part.fromJSON({ raw: given.data, mediaType: given.mimeType })
  return Part.fromJSON({ raw: given.data, mediaType: given.mediaType, filename: given.name })
}

/** Returns a message of a task. */
export function messageOf(
  { runId: taskId, contextId }: { readonly runId: string; readonly contextId: string },
  messageId: string,
  parts: Part[],
  role = Role.ROLE_AGENT,
): Message {
  return { messageId, contextId, taskId, role, parts, metadata: undefined, extensions: [], referenceTaskIds: [] }
}

/** Converts a client's part to a block of a prompt. Throws for an unsupported part; nothing is fetched. */
export function contentOf({ content, filename, mediaType }: Part): ShownContent {
  if (content?.$case === 'text') return { type: 'text', text: content.value }
  if (content?.$case === 'data') {
    const data = toPlainJson(content.value)
    if (data !== undefined) return { type: 'text', text: JSON.stringify(data) }
    throw new RequestMalformedError('A part has data that is nested too deep, or too large.')
  }
  if (content?.$case === 'url') {
    throw new ContentTypeNotSupportedError('A part is an address, and nothing is fetched. Send its content as raw.')
  }
  if (content === undefined) throw new RequestMalformedError('A part has no content. Expected text, raw or data.')
  const type = mediaType.startsWith('image/') ? ('image' as const) : ('file' as const)
  const given = { type, data: content.value.toString('base64'), mediaType, name: filename }
  const { block, problem } = readBlock(given)
  if (block === undefined) throw new ContentTypeNotSupportedError(blockRefusal(given, problem))
  return block
}
