import { anthropic } from '../../src/adapters/providers/anthropic/anthropic.ts'
import { namedFrame, now, type Wire } from './wire.ts'

/** The first event of the Messages wire, with the counts known at the start. */
export function messageStart(usage: Readonly<Record<string, number>> = { input_tokens: 5, output_tokens: 1 }): string {
  return namedFrame({
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

/** A whole content block. */
function contentBlock(index: number, start: unknown, ...deltas: readonly unknown[]): string {
  return [
    namedFrame({ type: 'content_block_start', index, content_block: start }),
    ...deltas.map((delta) => namedFrame({ type: 'content_block_delta', index, delta })),
    namedFrame({ type: 'content_block_stop', index }),
  ].join('')
}

function weatherCall(index: number, id: string, city: string): string {
  const start = { type: 'tool_use', id, name: 'weather', input: {} }
  return contentBlock(index, start, { type: 'input_json_delta', partial_json: `{"city":"${city}"}` })
}

function ending(reason: string): readonly string[] {
  return [
    namedFrame({ type: 'message_delta', delta: { stop_reason: reason }, usage: { output_tokens: 2 } }),
    namedFrame({ type: 'message_stop' }),
  ]
}

const typeOf = {
  overloaded: 'overloaded_error',
  rateLimit: 'rate_limit_error',
  auth: 'authentication_error',
  overflow: 'invalid_request_error',
  internal: 'api_error',
  unknown: 'something_new',
} as const

/** The Messages wire. */
export const anthropicWire: Wire = {
  name: 'anthropic',
  provider: 'anthropic',
  keyVariable: 'ANTHROPIC_API_KEY',
  terminal: 'message_stop',
  make: (url, options) => anthropic('claude-sonnet-5-5', { apiKey: 'key', baseURL: url, now: () => now, ...options }),
  opening: [
    messageStart(),
    namedFrame({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    namedFrame({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hel' } }),
  ],
  closing: [
    namedFrame({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'lo' } }),
    namedFrame({ type: 'content_block_stop', index: 0 }),
    namedFrame({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } }),
    namedFrame({ type: 'message_stop' }),
  ],
  calls: [
    messageStart({ input_tokens: 10, output_tokens: 1, cache_read_input_tokens: 3 }),
    contentBlock(
      0,
      { type: 'thinking', thinking: '' },
      { type: 'thinking_delta', thinking: 'Two cities.' },
      { type: 'signature_delta', signature: 'sealed' },
    ),
    contentBlock(1, { type: 'text', text: '' }, { type: 'text_delta', text: 'Looking.' }),
    weatherCall(2, 'toolu_1', 'Oslo'),
    weatherCall(3, 'toolu_2', 'Rome'),
    namedFrame({ type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 20 } }),
    namedFrame({ type: 'message_stop' }),
  ],
  answer: (text) => [
    messageStart(),
    contentBlock(0, { type: 'text', text: '' }, { type: 'text_delta', text }),
    ...ending('end_turn'),
  ],
  call: (text, id = 'toolu_1', name = 'weather') => [
    messageStart(),
    contentBlock(0, { type: 'tool_use', id, name, input: {} }, { type: 'input_json_delta', partial_json: text }),
    ...ending('tool_use'),
  ],
  cutOff: [
    messageStart(),
    contentBlock(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'Hel' }),
    ...ending('max_tokens'),
  ],
  empty: [messageStart(), ...ending('end_turn')],
  unknown: contentBlock(7, { type: 'hologram', depth: 3 }, { type: 'hologram_delta', depth: 1 }),
  usage: { input: 10, output: 20, cacheRead: 3, cacheWrite: 0, totalTokens: 33 },
  misshapen: '{"type":"message_delta"}',
  raw: (data) => `event: content_block_delta\ndata: ${data}\n\n`,
  error: (name, message) => namedFrame({ type: 'error', error: { type: typeOf[name], message } }),
}
