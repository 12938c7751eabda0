import { mediaTitle } from '../domain/media.ts'
import { type Content, type ModelMessage, textOf } from '../domain/message.ts'

/** A conversation as one text, for a model that is to tell it in short. What a model thought is left out. */
export function toldConversation(messages: readonly ModelMessage[]): string {
  return messages.map((message) => `${speakerOf(message)}: ${message.content.map(told).join('').trim()}`).join('\n\n')
}

function speakerOf(message: ModelMessage): string {
  if (message.role === 'toolResult') return `Result of ${message.toolName}`
  return message.role === 'user' ? 'User' : 'Assistant'
}

function told(block: Content): string {
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

/** The message that stands for what was said before; undefined where a model has said nothing. */
export function summaryText(answer: Parameters<typeof textOf>[0]): string | undefined {
  const text = textOf(answer).trim()
  return text === '' ? undefined : `[Summary] ${text}`
}
