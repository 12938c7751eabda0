import {
  type AssistantMessage,
  type ImageContent,
  type ToolCallContent,
  type ToolResultMessage,
  userMessage,
} from '../../../src/core/domain/message.ts'
import { noUsage } from '../../../src/core/domain/usage.ts'
import type { ModelRequest, ToolDefinition } from '../../../src/core/ports/model.ts'

/** A tool with one required argument. */
export const weather: ToolDefinition = {
  name: 'weather',
  description: 'Tells the weather.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}

/** A tool without arguments. */
export const clock: ToolDefinition = { name: 'clock', description: 'Tells the time.', parameters: { type: 'object' } }

/** The first bytes of a picture. */
export const picture: ImageContent = { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' }

/** A user message at time 1. */
export function user(text: string) {
  return userMessage(text, 1)
}

/** An answer of some provider and model. */
export function assistant(
  content: AssistantMessage['content'],
  from: { readonly provider: string; readonly model: string },
): AssistantMessage {
  return { role: 'assistant', content, stopReason: 'stop', usage: noUsage, timestamp: 1, ...from }
}

/** A call for the weather; our id is `1.` and the provider id. */
export function call(id: string, more: Partial<ToolCallContent> = {}): ToolCallContent {
  return { type: 'toolCall', id, callId: `1.${id}`, name: 'weather', arguments: { city: 'Oslo' }, ...more }
}

/** The result of `call` with the same id. */
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

/** A request that asks for everything there is, after a history with calls, results, images and another model's words. */
export function richRequest(from: { readonly provider: string; readonly model: string }): ModelRequest {
  return {
    system: 'Be brief.',
    tools: [clock, weather],
    temperature: 0.5,
    maxTokens: 100,
    requiredCall: true,
    cache: { system: true },
    output: { name: 'answer', schema: answerSchema },
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Weather?' }, picture], timestamp: 1 },
      user('  '),
      assistant([{ type: 'text', text: 'Looking.' }, { type: 'text', text: '' }, call('a'), call('b')], from),
      result('a', { content: [{ type: 'text', text: 'Rain.' }, picture] }),
      result('b', { content: [], isError: true, status: 'error' }),
      user('And now?'),
      assistant([], from),
      assistant([call('c.1')], { provider: 'elsewhere', model: 'another' }),
      result('c.1', { content: [picture] }),
      assistant([{ type: 'text', text: 'It rains.' }], from),
      user('Thanks \ud800 so much'),
    ],
    signal: new AbortController().signal,
  }
}

const answerSchema = {
  type: 'object',
  properties: { a: { type: 'string' } },
  required: ['a'],
  additionalProperties: false,
}
