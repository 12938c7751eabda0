import { mediaTitle } from '../domain/media.ts'
import type { Content, ModelMessage } from '../domain/message.ts'

/** Returns a conversation as one text for a model that summarizes it, without thoughts. */
export function toldConversation(messages: readonly ModelMessage[]): string {
  return messages
    .map((message) => `${speakerOf(message)}: ${message.content.map(blockText).join('').trim()}`)
    .join('\n\n')
}

function speakerOf(message: ModelMessage): string {
  if (message.role === 'toolResult') return `Result of ${message.toolName}`
  return message.role === 'user' ? 'User' : 'Assistant'
}

function blockText(block: Content): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'thinking':
      return ''
    case 'image':
      return `[${block.mimeType}]`
    case 'file':
      return `[${mediaTitle(block)}]`
    case 'toolCall':
      return `\n[called ${block.name} with ${JSON.stringify(block.arguments)}]`
  }
}
