import { azure } from '../../src/adapters/providers/openai-responses/azure.ts'
import { openaiResponses } from '../../src/adapters/providers/openai-responses/openai-responses.ts'
import { namedFrame, now, type Wire } from './wire.ts'

/** The object that begins and ends a stream of the Responses wire, as far as it is read. */
export function wireResponse(more: Readonly<Record<string, unknown>> = {}): object {
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    model: 'gpt-6.1-sol-2026',
    status: 'in_progress',
    output: [],
    ...more,
  }
}

/** A whole item: added, its deltas of one kind, done. */
export function wireItem(
  index: number,
  item: Readonly<Record<string, unknown>>,
  kind: string,
  ...deltas: string[]
): string {
  const part = { output_index: index, item_id: item['id'], content_index: 0, summary_index: 0 }
  const { status: _status, ...begun } = item
  return [
    namedFrame({ type: 'response.output_item.added', output_index: index, item: { ...begun, status: 'in_progress' } }),
    ...deltas.map((delta) => namedFrame({ type: `response.${kind}.delta`, ...part, delta })),
    namedFrame({ type: 'response.output_item.done', output_index: index, item }),
  ].join('')
}

/** The item of a text. */
export function messageItem(text: string) {
  const content = [{ type: 'output_text', text, annotations: [] }]
  return { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content }
}

function weatherCall(index: number, id: string, city: string): string {
  const text = `{"city":"${city}"}`
  const item = { id: `fc_${index}`, type: 'function_call', call_id: id, name: 'weather', arguments: text }
  return wireItem(index, { ...item, status: 'completed' }, 'function_call_arguments', text)
}

/** The usage of an answer, as the wire counts it. */
export const wireUsage = {
  input_tokens: 13,
  input_tokens_details: { cached_tokens: 3, cache_write_tokens: 0 },
  output_tokens: 20,
  output_tokens_details: { reasoning_tokens: 4 },
  total_tokens: 33,
}

const completed = namedFrame({
  type: 'response.completed',
  response: wireResponse({ status: 'completed', usage: wireUsage }),
})

const codeOf = {
  overloaded: 'overloaded',
  rateLimit: 'rate_limit_exceeded',
  auth: 'invalid_api_key',
  overflow: 'context_length_exceeded',
  internal: 'server_error',
  unknown: 'something_new',
} as const

/** The Responses wire. */
export const responsesWire: Wire = {
  name: 'openai-responses',
  provider: 'openai',
  keyVariable: 'OPENAI_API_KEY',
  terminal: 'response.completed',
  make: (url, options) => openaiResponses('gpt-6.1-sol', { apiKey: 'key', baseURL: url, now: () => now, ...options }),
  opening: [
    namedFrame({ type: 'response.created', response: wireResponse() }),
    namedFrame({ type: 'response.output_item.added', output_index: 0, item: { ...messageItem(''), content: [] } }),
    namedFrame({
      type: 'response.output_text.delta',
      output_index: 0,
      content_index: 0,
      item_id: 'msg_1',
      delta: 'Hel',
    }),
  ],
  closing: [
    namedFrame({
      type: 'response.output_text.delta',
      output_index: 0,
      content_index: 0,
      item_id: 'msg_1',
      delta: 'lo',
    }),
    namedFrame({ type: 'response.output_item.done', output_index: 0, item: messageItem('Hello') }),
    completed,
  ],
  calls: [
    namedFrame({ type: 'response.created', response: wireResponse() }),
    wireItem(
      0,
      {
        id: 'rs_1',
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: 'Two cities.' }],
        encrypted_content: 'sealed',
      },
      'reasoning_summary_text',
      'Two cities.',
    ),
    wireItem(1, messageItem('Looking.'), 'output_text', 'Looking.'),
    weatherCall(2, 'call_1', 'Oslo'),
    weatherCall(3, 'call_2', 'Rome'),
    completed,
  ],
  answer: (text) => [
    namedFrame({ type: 'response.created', response: wireResponse() }),
    wireItem(0, messageItem(text), 'output_text', text),
    completed,
  ],
  call: (text, id = 'call_1', name = 'weather') => {
    const item = { id: 'fc_1', type: 'function_call', call_id: id, name, arguments: text, status: 'completed' }
    return [
      namedFrame({ type: 'response.created', response: wireResponse() }),
      wireItem(0, item, 'function_call_arguments', text),
      completed,
    ]
  },
  cutOff: [
    namedFrame({ type: 'response.created', response: wireResponse() }),
    wireItem(0, messageItem('Hel'), 'output_text', 'Hel'),
    namedFrame({
      type: 'response.incomplete',
      response: wireResponse({
        status: 'incomplete',
        incomplete_details: { reason: 'max_output_tokens' },
        usage: wireUsage,
      }),
    }),
  ],
  empty: [namedFrame({ type: 'response.created', response: wireResponse() }), completed],
  unknown: wireItem(7, { id: 'h1', type: 'hologram', depth: 3 }, 'hologram', 'x'),
  usage: { input: 10, output: 20, cacheRead: 3, cacheWrite: 0, totalTokens: 33 },
  excused: { 'cache marks': 'the provider caches by itself: the wire has no marks' },
  misshapen: '{"type":"response.output_item.done","output_index":0}',
  raw: (data) => `data: ${data}\n\n`,
  error: (name, message) => namedFrame({ type: 'error', code: codeOf[name], message, param: null, sequence_number: 9 }),
}

/** The same at Azure. */
export const azureWire: Wire = {
  ...responsesWire,
  name: 'azure',
  provider: 'azure',
  keyVariable: 'AZURE_OPENAI_API_KEY',
  make: (url, options) =>
    azure('my-gpt', { apiKey: 'key', endpoint: url, model: 'gpt-6.1-sol', now: () => now, ...options }),
}
