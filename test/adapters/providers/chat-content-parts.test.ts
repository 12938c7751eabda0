import { expect, test } from 'vitest'
import { compatible } from '../../../src/adapters/providers/openai-chat/presets.ts'
import { chatChunk } from '../../../proof/wires/chat-wire.ts'
import { aiSdkWire } from '../../../proof/wires/ai-sdk-wire.ts'
import { faultServer, stream } from '../../../proof/wires/fault-server.ts'
import { ask, requestOf } from './ask.ts'
import { call, result, user } from './history.ts'

function thinking(text: string, more: object = {}): string {
  return chatChunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text }], ...more }] })
}

function magistral(baseURL: string, model = 'magistral-medium-latest') {
  return compatible('mistral', model, { apiKey: 'key', baseURL, now: () => 1 })
}

async function answerTo(...frames: readonly string[]) {
  await using server = await faultServer(stream([...frames, 'data: [DONE]\n\n']))
  return await ask(magistral(server.url))
}

/** The stream of the server with this name: its own thinking in parts, then its answer in parts or as a text. */
const reasoned = [
  chatChunk({ role: 'assistant', content: '' }),
  thinking('Two '),
  thinking('cities.', { closed: true, signature: 'sealed' }),
  chatChunk({ content: [{ type: 'text', text: 'Hel' }] }),
  chatChunk({ content: 'lo' }),
  chatChunk({ content: '' }, 'stop'),
]

const said = {
  content: [
    {
      type: 'thinking',
      thinking: 'Two cities.',
      signature: 'sealed',
      providerData: { provider: 'mistral', model: 'magistral-medium-latest', data: 'content' },
    },
    { type: 'text', text: 'Hello' },
  ],
} as const

test('PRV-02 PRV-09 reads content that arrives in parts, thinking and text', async () => {
  const { events, message } = await answerTo(...reasoned)
  expect(events.slice(0, -1)).toEqual([
    { type: 'thinking', delta: 'Two ' },
    { type: 'thinking', delta: 'cities.' },
    { type: 'text', delta: 'Hel' },
    { type: 'text', delta: 'lo' },
  ])
  expect(message).toMatchObject({ ...said, stopReason: 'stop' })
})

test('PRV-02 reads a stream like a language model of the AI SDK', async () => {
  await using server = await faultServer(stream([...reasoned, 'data: [DONE]\n\n']))
  const { message } = await ask(aiSdkWire.make(server.url))
  expect(message?.content).toEqual([
    { type: 'thinking', thinking: 'Two cities.' },
    { type: 'text', text: 'Hello' },
  ])
})

test('PRV-02 reads parts without a type as text, several in one delta, and thinking together with calls', async () => {
  const { message } = await answerTo(
    chatChunk({
      content: [
        { type: 'thinking', thinking: [{ text: 'A' }, { type: 'reference', reference_ids: [1] }, { text: 'B' }] },
        { type: 'thinking', thinking: 'C' },
        { text: 'Hel' },
        { type: 'reference', reference_ids: [1, 'two'] },
        { type: 'text', text: 'lo' },
      ],
    }),
    chatChunk({ content: [], tool_calls: [{ index: 0, id: 'a', function: { name: 'clock', arguments: '{}' } }] }),
    chatChunk({ content: null }, 'tool_calls'),
  )
  expect(message).toMatchObject({
    content: [
      { type: 'thinking', thinking: 'ABC' },
      { type: 'text', text: 'Hello' },
      { type: 'toolCall', id: 'a', name: 'clock', arguments: {} },
    ],
    stopReason: 'toolUse',
  })
})

test.each([
  [{ content: 5 }, 'delta.content holds the number 5, expected a text'],
  [{ content: {} }, 'delta.content holds an object, expected a text'],
  [{ content: true }, 'delta.content holds a boolean, expected a text'],
  [{ content: [5] }, 'delta.content[] holds the number 5, expected a text'],
  [{ content: [null] }, 'delta.content[] holds nothing, expected a text'],
  [{ content: [{ type: 'text' }] }, 'delta.content[].text holds nothing, expected a text'],
  [{ content: [{ type: 'text', text: { value: 'Hel' } }] }, 'delta.content[].text holds an object, expected a text'],
  [{ content: [{ type: 'thinking', thinking: {} }] }, 'delta.content[].thinking holds an object, expected a text'],
  [{ content: [{ type: 'thinking', thinking: [{}] }] }, 'delta.content[].thinking[].text holds nothing'],
  [{ content: [{ type: 'thinking', thinking: [], signature: 5 }] }, 'delta.content[].signature holds the number 5'],
  [{ content: [{ type: 'image_url', image_url: {} }] }, 'a part of the type "image_url", expected text or thinking'],
  [{ content: [{ type: 7, text: 'Hel' }] }, 'a part of the type 7, expected text or thinking'],
  [{ reasoning_content: [] }, 'delta.reasoning_content holds a list, expected a text'],
  [{ refusal: {} }, 'delta.refusal holds an object, expected a text'],
  [{ tool_calls: {} }, 'delta.tool_calls holds an object, expected a list'],
  [{ tool_calls: [{ id: 5 }] }, 'id holds the number 5, expected a text'],
  [{ tool_calls: [{ id: 'a', function: { name: [] } }] }, 'function.name holds a list, expected a text'],
])('PRV-01 PRV-09 fails with the content of a delta that is not a text: %j', async (delta, words) => {
  const { events, message, error } = await answerTo(
    chatChunk({ content: 'Hel' }),
    chatChunk(delta),
    chatChunk({}, 'stop'),
  )
  expect(message).toBeUndefined()
  expect(events).toEqual([{ type: 'text', delta: 'Hel' }])
  expect(error).toMatchObject({ name: 'ModelError', kind: 'network' })
  expect(String(error)).toContain(words)
})

test.each([
  [{ prompt_tokens: 'many' }, 'prompt_tokens holds a text, expected a count'],
  [{ prompt_tokens: 5, completion_tokens: -1 }, 'completion_tokens holds the number -1, expected a count'],
  [{ prompt_tokens_details: [] }, 'prompt_tokens_details holds a list, expected an object'],
])('PRV-01 PRV-09 fails if a usage is not a count: %j', async (usage, words) => {
  const { error } = await answerTo(`data: ${JSON.stringify({ choices: [], usage })}\n\n`, ...reasoned)
  expect(error).toMatchObject({ name: 'ModelError' })
  expect(String(error)).toContain(words)
})

test('PRV-01 PRV-09 treats missing counts as zero', async () => {
  const frame = `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 5, completion_tokens: null } })}\n\n`
  const { message } = await answerTo(frame, ...reasoned)
  expect(message?.usage).toEqual({ input: 5, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 5 })
})

test.each([
  [
    'magistral-medium-latest',
    [
      { type: 'thinking', thinking: [{ type: 'text', text: 'Two cities.' }], closed: true, signature: 'sealed' },
      { type: 'text', text: 'Hello' },
    ],
  ],
  ['mistral-large-latest', 'Hello'],
])('PRV-03 PRV-10 sends %s thinking in parts only if it came from there', async (model, content) => {
  const { message } = await answerTo(...reasoned)
  if (message === undefined) throw new Error('no answer')
  await using server = await faultServer(stream([...reasoned, 'data: [DONE]\n\n']))
  const asked = { ...message, content: [...message.content, call('a')], stopReason: 'toolUse' as const }
  await ask(magistral(server.url, model), requestOf({ messages: [user('Go'), asked, result('a')] }))
  expect(Object(server.requests[0]?.body).messages[1]).toMatchObject({
    role: 'assistant',
    content,
    tool_calls: [{ function: { name: 'weather' } }],
  })
})
