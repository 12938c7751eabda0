import { expect, test } from 'vitest'
import type { ToolCallContent } from '../../../src/core/domain/message.ts'
import { anthropic } from '../../../src/adapters/providers/anthropic/anthropic.ts'
import { ask } from './ask.ts'
import { faultServer, stream } from '../../../proof/wires/fault-server.ts'
import { anthropicWire, messageStart } from '../../../proof/wires/anthropic-wire.ts'
import { namedFrame as frame, now } from '../../../proof/wires/wire.ts'

function start(index: number, block: unknown): string {
  return frame({ type: 'content_block_start', index, content_block: block })
}

function delta(index: number, change: unknown): string {
  return frame({ type: 'content_block_delta', index, delta: change })
}

function json(index: number, part: string): string {
  return delta(index, { type: 'input_json_delta', partial_json: part })
}

function stop(index: number): string {
  return frame({ type: 'content_block_stop', index })
}

function tool(index: number, id: string, name: string): string {
  return start(index, { type: 'tool_use', id, name, input: {} })
}

function ending(reason: string, more: object = {}, usage: object = { output_tokens: 20 }): string {
  return (
    frame({ type: 'message_delta', delta: { stop_reason: reason, ...more }, usage }) + frame({ type: 'message_stop' })
  )
}

async function answerTo(...frames: readonly string[]) {
  await using server = await faultServer(stream([messageStart(), ...frames]))
  return await ask(anthropicWire.make(server.url))
}

async function callsOf(...frames: readonly string[]): Promise<readonly unknown[]> {
  const { message } = await answerTo(...frames)
  return message?.content.filter((block): block is ToolCallContent => block.type === 'toolCall') ?? []
}

test('PRV-02 PRV-07 PRV-09 streams thinking, text and parallel tool calls with interleaved arguments', async () => {
  await using server = await faultServer(
    stream([
      messageStart({
        input_tokens: 12,
        output_tokens: 1,
        cache_read_input_tokens: 100,
        cache_creation_input_tokens: 30,
      }),
      frame({ type: 'ping' }),
      start(0, { type: 'thinking', thinking: '', signature: '' }),
      delta(0, { type: 'thinking_delta', thinking: 'Let me ' }),
      delta(0, { type: 'thinking_delta', thinking: 'see.' }),
      delta(0, { type: 'signature_delta', signature: 'c2ln' }),
      stop(0),
      start(1, { type: 'redacted_thinking', data: 'b3BhcXVl' }),
      stop(1),
      start(2, { type: 'text', text: '' }),
      delta(2, { type: 'text_delta', text: 'Two cities.' }),
      stop(2),
      tool(3, 'toolu_1', 'weather'),
      tool(4, 'toolu_2', 'weather'),
      json(3, '{"city":'),
      json(4, '{"city"'),
      json(3, '"Oslo"}'),
      json(4, ':"Rome"}'),
      stop(3),
      stop(4),
      ending('tool_use', {}, { output_tokens: 42, input_tokens: 12, cache_read_input_tokens: null }),
    ]),
  )
  const { events } = await ask(anthropicWire.make(server.url))
  const providerData = { provider: 'anthropic', model: 'claude-sonnet-5-5' }
  expect(events).toEqual([
    { type: 'thinking', delta: 'Let me ' },
    { type: 'thinking', delta: 'see.' },
    { type: 'text', delta: 'Two cities.' },
    { type: 'toolCall', id: 'toolu_1', name: 'weather', delta: '' },
    { type: 'toolCall', id: 'toolu_2', name: 'weather', delta: '' },
    { type: 'toolCall', id: 'toolu_1', name: 'weather', delta: '{"city":' },
    { type: 'toolCall', id: 'toolu_2', name: 'weather', delta: '{"city"' },
    { type: 'toolCall', id: 'toolu_1', name: 'weather', delta: '"Oslo"}' },
    { type: 'toolCall', id: 'toolu_2', name: 'weather', delta: ':"Rome"}' },
    {
      type: 'finished',
      message: {
        role: 'assistant',
        content: [
          {
            type: 'thinking',
            thinking: 'Let me see.',
            signature: 'c2ln',
            providerData: { ...providerData, data: { prefix: expect.any(String) } },
          },
          {
            type: 'thinking',
            thinking: '',
            providerData: { ...providerData, data: { redacted: 'b3BhcXVl', prefix: expect.any(String) } },
          },
          { type: 'text', text: 'Two cities.' },
          { type: 'toolCall', id: 'toolu_1', name: 'weather', arguments: { city: 'Oslo' } },
          { type: 'toolCall', id: 'toolu_2', name: 'weather', arguments: { city: 'Rome' } },
        ],
        stopReason: 'toolUse',
        model: 'claude-sonnet-5-5-2026',
        provider: 'anthropic',
        usage: { input: 12, output: 42, cacheRead: 100, cacheWrite: 30, totalTokens: 184 },
        timestamp: now,
      },
    },
  ])
})

test('PRV-07 distinguishes malformed arguments from empty ones', async () => {
  expect(
    await callsOf(
      tool(0, 'a', 'broken'),
      json(0, '{"city": Oslo}'),
      tool(1, 'b', 'empty'),
      json(1, ''),
      tool(2, 'c', 'hostile'),
      json(2, '{"a":{"__proto__":{"isAdmin":true}}}'),
      ending('tool_use'),
    ),
  ).toEqual([
    { type: 'toolCall', id: 'a', name: 'broken', arguments: {}, malformed: expect.stringContaining('JSON') },
    { type: 'toolCall', id: 'b', name: 'empty', arguments: {} },
    { type: 'toolCall', id: 'c', name: 'hostile', arguments: {}, malformed: expect.stringContaining('__proto__') },
  ])
})

test('PRV-07 reads arguments that arrive complete at the start of their block', async () => {
  expect(
    await callsOf(start(0, { type: 'tool_use', id: 'a', name: 'x', input: { n: 1 } }), ending('tool_use')),
  ).toEqual([{ type: 'toolCall', id: 'a', name: 'x', arguments: { n: 1 } }])
})

test('PRV-07 marks only the call that the token limit cut off', async () => {
  const whole = [tool(0, 'a', 'write'), json(0, '{"text":"all"}'), stop(0)]
  const complete = { type: 'toolCall', id: 'a', name: 'write', arguments: { text: 'all' } }
  const cut = { type: 'toolCall', id: 'b', name: 'write', arguments: {}, truncated: true }

  const half = [tool(1, 'b', 'write'), json(1, '{"text":"ha')]
  expect(await callsOf(...whole, ...half, ending('max_tokens'))).toEqual([complete, cut])
  expect(await callsOf(...whole, tool(1, 'b', 'write'), ending('max_tokens'))).toEqual([complete, cut])

  const text = [start(1, { type: 'text', text: '' }), delta(1, { type: 'text_delta', text: 'and' })]
  expect(await callsOf(...whole, ...text, ending('max_tokens'))).toEqual([complete])

  const broken = [tool(0, 'a', 'write'), json(0, '{"text":')]
  expect(await callsOf(...broken, ...text, ending('max_tokens'))).toMatchObject([{ malformed: expect.any(String) }])
})

test.each([
  ['end_turn', { stopReason: 'stop' }],
  ['stop_sequence', { stopReason: 'stop' }],
  ['tool_use', { stopReason: 'stop' }],
  ['max_tokens', { stopReason: 'length' }],
  ['model_context_window_exceeded', { stopReason: 'length' }],
  ['pause_turn', { stopReason: 'length' }],
  ['refusal', { stopReason: 'error', errorMessage: expect.stringContaining('refused') }],
  ['brand_new', { stopReason: 'stop', errorMessage: expect.stringContaining('"brand_new"') }],
])('PRV-01 ends on %s with %o', async (reason, expected) => {
  const text = [start(0, { type: 'text', text: '' }), delta(0, { type: 'text_delta', text: 'Hi' })]
  const { message } = await answerTo(...text, ending(reason))
  expect(message).toMatchObject({ ...expected, content: [{ type: 'text', text: 'Hi' }] })
})

test('PRV-01 reads token counts that arrive before the stop reason', async () => {
  const counts = frame({ type: 'message_delta', delta: {}, usage: { output_tokens: 3 } })
  const { message } = await answerTo(counts, ending('max_tokens', {}, { output_tokens: 4, input_tokens: null }))
  expect(message).toMatchObject({ stopReason: 'length', usage: { input: 5, output: 4 } })
})

test('PRV-01 reports why the model refused', async () => {
  const details = { type: 'refusal', category: 'cyber', explanation: 'It would harm.' }
  const { message } = await answerTo(ending('refusal', { stop_details: details }))
  expect(message?.errorMessage).toBe('The model refused to answer: It would harm.')
})

test('PRV-02 sends the key and headers, and nothing that identifies another client', async () => {
  await using server = await faultServer(stream([...anthropicWire.opening, ...anthropicWire.closing]))
  await ask(anthropic('claude-opus-5-5', { apiKey: 'secret', baseURL: server.url, headers: { 'x-team': 'north' } }))
  expect(server.requests[0]).toMatchObject({
    path: '/v1/messages',
    headers: { authorization: 'Bearer secret', 'x-team': 'north', 'user-agent': expect.stringMatching(/^Anthropic/) },
  })
  expect(server.requests[0]?.headers).not.toHaveProperty('anthropic-beta')
})
