import type { Model } from '../../src/ports/model.ts'
import { anthropic } from '../../src/providers/anthropic/anthropic.ts'
import { openaiChat } from '../../src/providers/openai-chat/openai-chat.ts'

/** One time for all timestamps and Retry-After dates: 2026-11-22T00:00:00Z. */
export const now = Date.parse('2026-11-22T00:00:00Z')

/** Options both wires share. */
export interface WireOptions {
  readonly idleTimeoutMs?: number
  readonly apiKey?: string
  readonly fetch?: typeof globalThis.fetch
}

/** What the tests of faults need to know of a wire. */
export interface Wire {
  readonly name: string
  readonly keyVariable: string
  readonly terminal: string
  readonly make: (url: string, options?: WireOptions) => Model
  /** Frames that give the text delta `Hel` and leave the answer open. */
  readonly opening: readonly string[]
  /** Frames that make `Hel` a whole `Hello`. */
  readonly closing: readonly string[]
  /** Data that is JSON but not of the wire's shape. */
  readonly misshapen: string
  /** A frame whose data is given as it is. */
  raw(data: string): string
  /** A frame with an error event. */
  error(type: string, message: string): string
}

/** A frame of the Messages wire: an event named by its type. */
export function anthropicFrame(event: { readonly type: string; readonly [key: string]: unknown }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}

/** A frame of the Chat Completions wire. */
export function chatFrame(chunk: unknown): string {
  return `data: ${JSON.stringify(chunk)}\n\n`
}

/** A chunk of Chat Completions with one choice. */
export function chatChunk(delta: unknown, finishReason: string | null = null): string {
  return chatFrame({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'gpt-6-luna-2026',
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  })
}

/** The first event of the Messages wire, with the counts known at the start. */
export function messageStart(usage: Readonly<Record<string, number>> = { input_tokens: 5, output_tokens: 1 }): string {
  return anthropicFrame({
    type: 'message_start',
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-5-5-2026',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage,
    },
  })
}

/** The Messages wire. */
export const anthropicWire: Wire = {
  name: 'anthropic',
  keyVariable: 'ANTHROPIC_API_KEY',
  terminal: 'message_stop',
  make: (url, options) => anthropic('claude-sonnet-5-5', { apiKey: 'key', baseURL: url, now: () => now, ...options }),
  opening: [
    messageStart(),
    anthropicFrame({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    anthropicFrame({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hel' } }),
  ],
  closing: [
    anthropicFrame({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'lo' } }),
    anthropicFrame({ type: 'content_block_stop', index: 0 }),
    anthropicFrame({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } }),
    anthropicFrame({ type: 'message_stop' }),
  ],
  misshapen: '{"type":"message_delta"}',
  raw: (data) => `event: content_block_delta\ndata: ${data}\n\n`,
  error: (type, message) => anthropicFrame({ type: 'error', error: { type, message } }),
}

/** The Chat Completions wire. */
export const chatWire: Wire = {
  name: 'openai-chat',
  keyVariable: 'OPENAI_API_KEY',
  terminal: 'a finish_reason',
  make: (url, options) => openaiChat('gpt-6-luna', { apiKey: 'key', baseURL: url, now: () => now, ...options }),
  opening: [chatChunk({ role: 'assistant', content: '' }), chatChunk({ content: 'Hel' })],
  closing: [chatChunk({ content: 'lo' }), chatChunk({}, 'stop'), 'data: [DONE]\n\n'],
  misshapen: '{"choices":[{"delta":"Hel"}]}',
  raw: (data) => `data: ${data}\n\n`,
  error: (type, message) => chatFrame({ error: { type, message, code: null } }),
}
