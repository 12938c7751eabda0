import { describe, expect, test } from 'vitest'
import { toolCallsOf } from '../../../src/core/domain/message.ts'
import { anthropicWire } from '../../../proof/wires/anthropic-wire.ts'
import { chatWire } from '../../../proof/wires/chat-wire.ts'
import { faultServer, page, stream, type StreamEnding } from '../../../proof/wires/fault-server.ts'
import { googleChunk, googleWire } from '../../../proof/wires/google-wire.ts'
import { messageItem, responsesWire, wireUsage } from '../../../proof/wires/responses-wire.ts'
import { dataFrame, namedFrame, type Wire } from '../../../proof/wires/wire.ts'
import { ask } from './ask.ts'

async function hear(wire: Wire, frames: readonly string[], ending: StreamEnding = 'end') {
  await using server = await faultServer(stream(frames, ending, wire.mediaType))
  return await ask(wire.make(server.url, { idleTimeoutMs: ending === 'hold' ? 50 : 60_000 }))
}

const chunk = (delta: unknown, reason: string | null = null, more: object = {}, usage?: object) =>
  dataFrame({
    choices: [{ index: 0, delta, finish_reason: reason, ...more }],
    ...(usage === undefined ? {} : { usage }),
  })

const chatCall = (index: number, given: object, reason: string | null = null) =>
  chunk({ tool_calls: [{ index, id: `call_${index}`, type: 'function', function: given }] }, reason)

const done = 'data: [DONE]\n\n'

describe('a reason to stop before the end of the stream', () => {
  const early = {
    'openai-chat': {
      wire: chatWire,
      frames: [chunk({ content: 'Pay 10' }, 'stop'), chunk({ content: '0.' }, 'length'), done],
    },
    google: {
      wire: googleWire,
      frames: [
        googleChunk([], 'STOP'),
        googleChunk([{ text: 'Pay 10' }], 'STOP'),
        googleChunk([{ text: '0.' }], 'MAX_TOKENS'),
      ],
    },
  }

  test.each(Object.entries(early))(
    'PRV-01 %s reads all content, and the last stop reason',
    async (_, { wire, frames }) => {
      const { message } = await hear(wire, frames)
      expect(message).toMatchObject({ content: [{ type: 'text', text: 'Pay 100.' }], stopReason: 'length' })
    },
  )

  test.each(['reset', 'hold'] as const)('PRV-01 fails if a stream that continued ends by %s', async (ending) => {
    for (const { wire, frames } of Object.values(early)) {
      const { message, error } = await hear(
        wire,
        frames.filter((frame) => frame !== done),
        ending,
      )
      expect(message).toBeUndefined()
      expect(error).toMatchObject({ kind: 'network' })
    }
  })

  test("PRV-01 openai-chat reads a call that arrives after the first one's stop reason", async () => {
    const calls = [0, 1].map((index) => chatCall(index, { name: 'put', arguments: `{"at":${index}}` }, 'tool_calls'))
    const { message } = await hear(chatWire, [...calls, done])
    expect(message === undefined ? [] : toolCallsOf(message).map((call) => call.arguments)).toEqual([
      { at: 0 },
      { at: 1 },
    ])
  })
})

describe('an answer that only the final event of Responses has', () => {
  const created = namedFrame({ type: 'response.created', response: { id: 'r', model: 'm', output: [] } })
  const call = { type: 'function_call', id: 'fc', call_id: 'call_1', name: 'weather', arguments: { city: 'Oslo' } }
  const reasoning = { type: 'reasoning', id: 'rs', summary: [], encrypted_content: 'sealed' }
  const completed = (...output: readonly object[]) =>
    namedFrame({
      type: 'response.completed',
      response: { id: 'r', status: 'completed', model: 'm', output, usage: wireUsage },
    })
  const delta = namedFrame({ type: 'response.output_text.delta', output_index: 0, delta: 'Hel' })
  const text = namedFrame({ type: 'response.output_text.done', output_index: 0, text: 'Hello' })

  test.each([
    ['all items are there alone', [completed(reasoning, messageItem('Hello'), call)], ['thinking', 'Hello', 'weather']],
    ['the text came in no delta', [text, completed(messageItem('Hello'))], ['Hello']],
    ['a delta came without its item', [delta, completed(messageItem('Hello'))], ['Hello']],
    ['the text came at another place', [delta, text, completed(reasoning, messageItem('Hel'))], ['Hel', 'thinking']],
    ['the final event is empty', [delta, completed()], ['Hel']],
  ])('PRV-01 reads an answer of Responses once if %s', async (_, frames, expected) => {
    const { events, message } = await hear(responsesWire, [created, ...frames])
    const told = message?.content.map((block) =>
      block.type === 'text' ? block.text : block.type === 'toolCall' ? block.name : block.type,
    )
    expect(told).toEqual(expected)
    const deltas = events.flatMap((event) => (event.type === 'text' ? [event.delta] : [])).join('')
    expect(deltas).toBe(expected.find((word) => word.startsWith('Hel')))
  })

  test('PRV-01 reads a refusal that only the final event contains', async () => {
    const item = { ...messageItem(''), content: [{ type: 'refusal', refusal: 'I will not.' }] }
    const { message } = await hear(responsesWire, [created, completed(item)])
    expect(message?.errorMessage).toBe('The model refused to answer: I will not.')
  })
})

describe('a failure in place of an end', () => {
  const error = { message: 'upstream timed out', code: 504 }
  const text = chunk({ content: 'Partial' })

  test.each([
    ['an error in the choice', [text, chunk({}, 'error', { error })], 'network', 'upstream timed out'],
    ['an error without a code', [text, chunk({}, 'error', { error: 'boom' })], 'network', 'boom'],
    ['an error of the request', [text, chunk({}, 'error', { error: { message: 'bad', code: 400 } })], 'api', 'bad'],
    ['a reason alone', [text, chunk({}, 'error'), done], 'network', '"error"'],
    [
      'a native reason',
      [chunk({}, 'stop', { native_finish_reason: 'network_error' }), done],
      'network',
      '"network_error"',
    ],
    [
      'a reason of DeepSeek',
      [text, chunk({}, 'insufficient_system_resource'), done],
      'network',
      'insufficient_system_resource',
    ],
  ])('PRV-05 openai-chat: %s', async (_, frames, kind, words) => {
    const { error: thrown, message } = await hear(chatWire, frames)
    expect(message).toBeUndefined()
    expect(thrown).toMatchObject({ name: 'ModelError', kind })
    expect(String(thrown)).toContain(words)
  })

  test.each([
    [
      413,
      '{"error":{"message":"Request too large on tokens per minute (TPM): Limit 6000","type":"tokens"}}',
      'rate_limit',
    ],
    [413, '{"error":{"message":"Too large","code":"rate_limit_exceeded"}}', 'rate_limit'],
    [413, '{"error":{"message":"Too large"}}', 'api'],
  ])('PRV-05 classifies HTTP %i %s as %s', async (status, body, kind) => {
    await using server = await faultServer(page(status, body, { 'content-type': 'application/json' }))
    expect((await ask(chatWire.make(server.url))).error).toMatchObject({ kind, status })
  })
})

test.each([
  ['eos', 'stop'],
  ['STOP', 'stop'],
  ['end_turn', 'stop'],
  ['tool_use', 'stop'],
  ['max_tokens', 'length'],
  ['MAX-TOKENS', 'length'],
])('PRV-01 openai-chat reads %s as %s', async (reason, stopReason) => {
  const { message } = await hear(chatWire, [chunk({ content: 'Hi' }, reason), done])
  expect(message).toMatchObject({ stopReason })
  expect(message).not.toHaveProperty('errorMessage')
})

describe('servers that speak nearly the wire', () => {
  const begin = namedFrame({ type: 'message_start', message: { usage: { input_tokens: 5, output_tokens: 1 } } })
  const delta = (given: object, index = 0) => namedFrame({ type: 'content_block_delta', index, delta: given })
  const end = (usage: object) => [
    namedFrame({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage }),
    namedFrame({ type: 'message_stop' }),
  ]

  test('PRV-01 anthropic reads a delta without its block, and the larger of two counts', async () => {
    const { message } = await hear(anthropicWire, [
      begin,
      delta({ type: 'text_delta', text: 'Hi' }),
      ...end({ input_tokens: 0, output_tokens: 7 }),
    ])
    expect(message).toMatchObject({ content: [{ type: 'text', text: 'Hi' }], usage: { input: 5, output: 7 } })
  })

  test.each([
    ['the start alone', { city: 'Oslo' }, []],
    ['the start as text', '{"city":"Oslo"}', []],
    ['the start and the deltas', { city: 'Oslo' }, ['{"city":', '"Oslo"}']],
    ['the deltas alone', {}, ['{"city":"Oslo"}']],
  ])('PRV-07 anthropic reads the input of a call from %s', async (_, input, parts) => {
    const { events, message } = await hear(anthropicWire, [
      begin,
      namedFrame({
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'tool_use', id: 't', name: 'weather', input },
      }),
      ...parts.map((part) => delta({ type: 'input_json_delta', partial_json: part })),
      namedFrame({ type: 'content_block_stop', index: 0 }),
      ...end({}),
    ])
    expect(message?.content).toEqual([{ type: 'toolCall', id: 't', name: 'weather', arguments: { city: 'Oslo' } }])
    expect(events.map((event) => (event.type === 'toolCall' ? event.delta : '')).join('')).toBe('{"city":"Oslo"}')
  })

  test('PRV-07 anthropic refuses the arguments of a call that never began', async () => {
    const { error } = await hear(anthropicWire, [
      begin,
      delta({ type: 'input_json_delta', partial_json: '{}' }),
      ...end({}),
    ])
    expect(error).toMatchObject({ kind: 'network' })
  })

  test('PRV-07 openai-chat accepts arguments that are an object', async () => {
    const { message } = await hear(chatWire, [
      chatCall(0, { name: 'weather', arguments: { city: 'Oslo' } }, 'tool_calls'),
      done,
    ])
    expect(message?.content).toMatchObject([{ type: 'toolCall', name: 'weather', arguments: { city: 'Oslo' } }])
  })

  test("PRV-01 PRV-04 openai-chat keeps counts that a late chunk sets to zero, and reads DeepSeek's cache hits", async () => {
    const usage = { prompt_tokens: 13, completion_tokens: 4, total_tokens: 17, prompt_cache_hit_tokens: 3 }
    const zeros = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }
    const { message } = await hear(chatWire, [
      chunk({ content: 'Hi' }, null, {}, usage),
      chunk({}, 'stop', {}, zeros),
      done,
    ])
    expect(message?.usage).toEqual({ input: 10, output: 4, cacheRead: 3, cacheWrite: 0, totalTokens: 17 })
  })

  test('PRV-01 google keeps counts that a late chunk sets to zero', async () => {
    const counted = googleChunk([{ text: 'Hi' }], undefined, { promptTokenCount: 13, candidatesTokenCount: 4 })
    const { message } = await hear(googleWire, [
      counted,
      googleChunk([], 'STOP', { promptTokenCount: 0, candidatesTokenCount: 0 }),
    ])
    expect(message?.usage).toMatchObject({ input: 13, output: 4 })
  })
})
