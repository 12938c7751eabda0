import type { ImageContent, ModelMessage, TextContent } from '../domain/message.ts'

/** A message with a text in the place of each picture; itself where it has none. */
export function maskMedia(message: ModelMessage): ModelMessage {
  if (message.role === 'assistant' || !message.content.some(({ type }) => type === 'image')) return message
  return { ...message, content: message.content.map(masked) }
}

function masked(block: TextContent | ImageContent): TextContent {
  return block.type === 'text' ? block : { type: 'text', text: `Media already seen: ${block.mimeType}.` }
}
