import { expect, test } from 'vitest'
import type { ToolCallContent } from '../../../src/core/domain/message.ts'
import { openaiChat } from '../../../src/adapters/providers/openai-chat/openai-chat.ts'
import { ask, requestOf } from './ask.ts'
import { faultServer, stream } from '../../../proof/wires/fault-server.ts'
import { chatChunk, chatWire } from '../../../proof/wires/chat-wire.ts'
import { dataFrame as chatFrame, now } from '../../../proof/wires/wire.ts'

function usage(counts: object): string {
  return chatFrame({ id: 'chatcmpl-1', model: 'gpt-6-luna-2026', choices: [], usage: counts })
}

function call(index: number, part: { readonly id?: string; readonly name?: string; readonly text?: string }): string {
  const { id, name, text } = part
  return chatChunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: text } }] })
}

async function answerTo(...frames: readonly string[]) {
  await using server = await faultServer(stream([...frames, 'data: [DONE]\n\n']))
  return await ask(chatWire.make(server.url))
}

async function callsOf(...frames: readonly string[]): Promise<readonly unknown[]> {
  const { message } = await answerTo(...frames)
  return message?.content.filter((block): block is ToolCallContent => block.type === 'toolCall') ?? []
}

test('PRV-02 PRV-07 PRV-09 streams reasoning, text and parallel tool calls with interleaved arguments', async () => {
  const { events } = await answerTo(
    chatChunk({ role: 'assistant', content: '' }),
    chatChunk({ reasoning_content: 'Let me ' }),
    chatChunk({ reasoning_content: 'see.' }),
    chatChunk({ content: 'Two cities.' }),
    call(0, { id: 'call_1', name: 'weather', text: '' }),
    call(1, { id: 'call_2', name: 'weather', text: '' }),
    call(0, { text: '{"city":' }),
    call(1, { text: '{"city"' }),
    call(0, { text: '"Oslo"}' }),
    call(1, { text: ':"Rome"}' }),
    chatChunk({}, 'tool_calls'),
    usage({
      prompt_tokens: 142,
      completion_tokens: 42,
      total_tokens: 184,
      prompt_tokens_details: { cached_tokens: 100, cache_write_tokens: 30 },
    }),
  )
  expect(events).toEqual([
    { type: 'thinking', delta: 'Let me ' },
    { type: 'thinking', delta: 'see.' },
    { type: 'text', delta: 'Two cities.' },
    { type: 'toolCall', id: 'call_1', name: 'weather', delta: '' },
    { type: 'toolCall', id: 'call_2', name: 'weather', delta: '' },
    { type: 'toolCall', id: 'call_1', name: 'weather', delta: '{"city":' },
    { type: 'toolCall', id: 'call_2', name: 'weather', delta: '{"city"' },
    { type: 'toolCall', id: 'call_1', name: 'weather', delta: '"Oslo"}' },
    { type: 'toolCall', id: 'call_2', name: 'weather', delta: ':"Rome"}' },
    {
      type: 'finished',
      message: {
        role: 'assistant',
        content: [
          {
            type: 'thinking',
            thinking: 'Let me see.',
            providerData: { provider: 'openai', model: 'gpt-6-luna', data: 'reasoning_content' },
          },
          { type: 'text', text: 'Two cities.' },
          { type: 'toolCall', id: 'call_1', name: 'weather', arguments: { city: 'Oslo' } },
          { type: 'toolCall', id: 'call_2', name: 'weather', arguments: { city: 'Rome' } },
        ],
        stopReason: 'toolUse',
        model: 'gpt-6-luna-2026',
        provider: 'openai',
        usage: { input: 12, output: 42, cacheRead: 100, cacheWrite: 30, totalTokens: 184 },
        timestamp: now,
      },
    },
  ])
})

test('PRV-02 reads reasoning from the field `reasoning` too', async () => {
  const { message } = await answerTo(chatChunk({ reasoning: 'hm' }), chatChunk({ content: 'ok' }, 'stop'))
  expect(message?.content[0]).toMatchObject({ type: 'thinking', thinking: 'hm', providerData: { data: 'reasoning' } })
})

test('PRV-02 distinguishes calls if a server gives all of them index 0, no id, or a late name', async () => {
  const frames = [call(0, { id: 'a', name: 'x', text: '{"n":1}' }), call(0, { id: 'b', name: 'x', text: '{"n":2}' })]
  expect(await callsOf(...frames, chatChunk({}, 'stop'))).toMatchObject([
    { id: 'a', arguments: { n: 1 } },
    { id: 'b', arguments: { n: 2 } },
  ])
  const late = [call(0, { id: 'a', text: '' }), call(0, { name: 'x', text: '{}' })]
  expect(await callsOf(...late, chatChunk({}, 'tool_calls'))).toMatchObject([{ id: 'a', name: 'x' }])
  const nameless = [call(0, { name: 'x', text: '{"n"' }), call(0, { text: ':1}' }), call(1, { name: 'y', text: '{}' })]
  expect(await callsOf(...nameless, chatChunk({}, 'tool_calls'))).toMatchObject([
    { id: 'call_0', name: 'x', arguments: { n: 1 } },
    { id: 'call_1', name: 'y', arguments: {} },
  ])
})

test('PRV-07 distinguishes malformed arguments from empty ones', async () => {
  expect(
    await callsOf(
      call(0, { id: 'a', name: 'broken', text: '{"city": Oslo}' }),
      call(1, { id: 'b', name: 'empty', text: '' }),
      chatChunk({}, 'tool_calls'),
    ),
  ).toEqual([
    { type: 'toolCall', id: 'a', name: 'broken', arguments: {}, malformed: expect.stringContaining('JSON') },
    { type: 'toolCall', id: 'b', name: 'empty', arguments: {} },
  ])
})

test('PRV-07 marks only the call that the token limit cut off', async () => {
  expect(
    await callsOf(
      call(0, { id: 'a', name: 'write', text: '{"text":"all"}' }),
      call(1, { id: 'b', name: 'write', text: '{"text":"ha' }),
      chatChunk({}, 'length'),
    ),
  ).toEqual([
    { type: 'toolCall', id: 'a', name: 'write', arguments: { text: 'all' } },
    { type: 'toolCall', id: 'b', name: 'write', arguments: {}, truncated: true },
  ])
})

test.each([
  ['stop', { stopReason: 'stop' }],
  ['tool_calls', { stopReason: 'stop' }],
  ['length', { stopReason: 'length' }],
  ['model_length', { stopReason: 'length' }],
  ['content_filter', { stopReason: 'error', errorMessage: expect.stringContaining('content_filter') }],
  ['brand_new', { stopReason: 'stop', errorMessage: expect.stringContaining('"brand_new"') }],
])('PRV-01 ends on %s with %o', async (reason, expected) => {
  const { message } = await answerTo(chatChunk({ content: 'Hi' }), chatChunk({}, reason))
  expect(message).toMatchObject({ ...expected, content: [{ type: 'text', text: 'Hi' }] })
})

test('PRV-01 treats a refusal as an error that quotes it', async () => {
  const { message } = await answerTo(chatChunk({ refusal: 'I will ' }), chatChunk({ refusal: 'not.' }, 'stop'))
  expect(message).toMatchObject({
    stopReason: 'error',
    errorMessage: 'The model refused to answer: I will not.',
    content: [],
  })
})

test('PRV-01 is cancelled even after the terminal event', async () => {
  await using server = await faultServer(stream([chatChunk({ content: 'Hi' }, 'stop')], 'hold'))
  const stop = new AbortController()
  const { message, error } = await ask(chatWire.make(server.url), requestOf({ signal: stop.signal }), () =>
    stop.abort(),
  )
  expect(message).toBeUndefined()
  expect(error).toMatchObject({ kind: 'cancelled' })
})

test('PRV-09 has no usage if the server sends none', async () => {
  const { message } = await answerTo(chatChunk({ content: 'Hi' }, 'stop'))
  expect(message?.usage).toEqual({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 })
})

test('PRV-05 PRV-06 classifies error events by their code', async () => {
  const overflow = chatFrame({ error: { message: 'too much', code: 'context_length_exceeded' } })
  expect((await answerTo(overflow)).error).toMatchObject({ kind: 'overflow' })
  expect((await answerTo(chatFrame({ error: { message: 'busy', code: 429 } }))).error).toMatchObject({
    kind: 'rate_limit',
  })
  expect((await answerTo(chatFrame({ error: { message: 'down', code: 502 } }))).error).toMatchObject({
    kind: 'network',
  })
})

test('PRV-02 sends the key and headers, under the given provider name', async () => {
  await using server = await faultServer(stream([...chatWire.opening, ...chatWire.closing]))
  const options = { apiKey: 'secret', baseURL: `${server.url}/v1`, headers: { 'x-team': 'north' }, provider: 'local' }
  const { message } = await ask(openaiChat('llama-4', options))
  expect(message?.provider).toBe('local')
  expect(server.requests[0]).toMatchObject({
    path: '/v1/chat/completions',
    headers: { authorization: 'Bearer secret', 'x-team': 'north' },
  })
})
