import { mediaTypeOf } from '../domain/media.ts'
import type { ModelMessage, ShownContent, TextContent } from '../domain/message.ts'

/** Returns a message with a text instead of each picture and file; the message itself if it has none. */
export function maskMedia(message: ModelMessage): ModelMessage {
  if (message.role === 'assistant' || message.content.every(({ type }) => type === 'text')) return message
  return { ...message, content: message.content.map(masked) }
}

function masked(block: ShownContent): TextContent {
  return block.type === 'text' ? block : { type: 'text', text: `Media already seen: ${mediaTypeOf(block)}.` }
}
