import { openaiChat } from '../../src/adapters/providers/openai-chat/openai-chat.ts'
import { dataFrame, now, type Wire } from './wire.ts'

/** A chunk of Chat Completions with one choice. */
export function chatChunk(delta: unknown, finishReason: string | null = null): string {
  return dataFrame({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'gpt-6-luna-2026',
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  })
}

const begun = chatChunk({ role: 'assistant', content: '' })

/** The arguments come in two parts, the id with the first. */
function chatCall(index: number, id: string, city: string): string {
  return [`{"city":`, `"${city}"}`]
    .map((text, place) => ({
      index,
      ...(place === 0 ? { id, type: 'function' } : {}),
      function: { name: 'weather', arguments: text },
    }))
    .map((call) => chatChunk({ tool_calls: [call] }))
    .join('')
}

const typeOf = {
  overloaded: 'overloaded_error',
  rateLimit: 'rate_limit_error',
  auth: 'authentication_error',
  overflow: 'invalid_request_error',
  internal: 'api_error',
  unknown: 'something_new',
} as const

/** The Chat Completions wire. */
export const chatWire: Wire = {
  name: 'openai-chat',
  provider: 'openai',
  keyVariable: 'OPENAI_API_KEY',
  terminal: 'a finish_reason',
  make: (url, options) => openaiChat('gpt-6-luna', { apiKey: 'key', baseURL: url, now: () => now, ...options }),
  opening: [begun, chatChunk({ content: 'Hel' })],
  closing: [chatChunk({ content: 'lo' }), chatChunk({}, 'stop'), 'data: [DONE]\n\n'],
  calls: [
    begun,
    chatChunk({ reasoning_content: 'Two cities.' }),
    chatChunk({ content: 'Looking.' }),
    chatCall(0, 'call_1', 'Oslo'),
    chatCall(1, 'call_2', 'Rome'),
    chatChunk({}, 'tool_calls'),
    dataFrame({
      choices: [],
      usage: {
        prompt_tokens: 13,
        completion_tokens: 20,
        total_tokens: 33,
        prompt_tokens_details: { cached_tokens: 3 },
        completion_tokens_details: { reasoning_tokens: 4 },
      },
    }),
    'data: [DONE]\n\n',
  ],
  answer: (text) => [begun, chatChunk({ content: text }), chatChunk({}, 'stop'), 'data: [DONE]\n\n'],
  call: (text, id = 'call_1', name = 'weather') => [
    begun,
    chatChunk({ tool_calls: [{ index: 0, id, type: 'function', function: { name, arguments: text } }] }),
    chatChunk({}, 'tool_calls'),
    'data: [DONE]\n\n',
  ],
  cutOff: [begun, chatChunk({ content: 'Hel' }), chatChunk({}, 'length'), 'data: [DONE]\n\n'],
  empty: [chatChunk({ role: 'assistant' }), chatChunk({}, 'stop'), 'data: [DONE]\n\n'],
  unknown: chatChunk({ hologram: { depth: 3 } }),
  usage: { input: 10, output: 20, cacheRead: 3, cacheWrite: 0, totalTokens: 33 },
  excused: {
    'cache marks': 'the provider caches by itself: the wire has no marks',
    'content after the end': 'a reason to stop is no end: gateways send one with every chunk',
  },
  misshapen: '{"choices":[{"delta":"Hel"}]}',
  raw: (data) => `data: ${data}\n\n`,
  error: (name, message) => dataFrame({ error: { type: typeOf[name], message, code: null } }),
}
