import type { AssistantMessage, ImageContent, ToolCallContent, ToolResultMessage } from '../../src/domain/message.ts'
import { userMessage } from '../../src/domain/message.ts'
import { noUsage } from '../../src/domain/usage.ts'
import type { ToolDefinition } from '../../src/ports/model.ts'

export const weather: ToolDefinition = {
  name: 'weather',
  description: 'Tells the weather.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}

export const clock: ToolDefinition = { name: 'clock', description: 'Tells the time.', parameters: { type: 'object' } }

export const picture: ImageContent = { type: 'image', data: 'aW1n', mimeType: 'image/png' }

export function user(text: string) {
  return userMessage(text, 1)
}

export function assistant(
  content: AssistantMessage['content'],
  from: { readonly provider: string; readonly model: string },
): AssistantMessage {
  return { role: 'assistant', content, stopReason: 'stop', usage: noUsage, timestamp: 1, ...from }
}

export function call(id: string, more: Partial<ToolCallContent> = {}): ToolCallContent {
  return { type: 'toolCall', id, callId: `1.${id}`, name: 'weather', arguments: { city: 'Oslo' }, ...more }
}

export function result(id: string, more: Partial<ToolResultMessage> = {}): ToolResultMessage {
  return {
    role: 'toolResult',
    callId: `1.${id}`,
    toolCallId: id,
    toolName: 'weather',
    content: [{ type: 'text', text: `Rain for ${id}.` }],
    isError: false,
    status: 'success',
    details: { hidden: true },
    timestamp: 1,
    ...more,
  }
}
