import { afterEach, expect, test, vi } from 'vitest'
import type { ModelRequest } from '../../../src/core/ports/model.ts'
import { openaiChat } from '../../../src/adapters/providers/openai-chat/openai-chat.ts'
import type { OpenAIChatOptions } from '../../../src/adapters/providers/openai-chat/chat-model.ts'
import { compatFor } from '../../../src/adapters/providers/openai-chat/compat.ts'
import { ask, requestOf } from './ask.ts'
import { faultServer, stream } from '../../../proof/wires/fault-server.ts'
import { assistant, call, clock, picture, result, user, weather } from './history.ts'
import { chatWire } from '../../../proof/wires/chat-wire.ts'

const here = { provider: 'openai', model: 'gpt-6-luna' }
const anthropic = { provider: 'anthropic', model: 'claude-sonnet-5-5' }
const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }

afterEach(() => {
  vi.unstubAllEnvs()
})

async function sent(parts: Partial<ModelRequest>, options: OpenAIChatOptions = {}, model = here.model) {
  await using server = await faultServer(stream([...chatWire.opening, ...chatWire.closing]))
  await ask(openaiChat(model, { apiKey: 'key', baseURL: server.url, ...options }), requestOf(parts))
  return server.requests[0]?.body
}

async function sentMessages(messages: ModelRequest['messages'], options: OpenAIChatOptions = {}): Promise<unknown> {
  return await sent({ messages }, options).then((body) => Object(body).messages)
}

test("PRV-02 sends a history of calls, results and images in the wire's format", async () => {
  const body = await sent({
    system: 'Be brief.',
    tools: [clock, weather],
    temperature: 0.5,
    maxTokens: 100,
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Weather?' }, picture], timestamp: 1 },
      user('  '),
      assistant([{ type: 'text', text: 'Looking.' }, { type: 'text', text: '' }, call('a'), call('b')], here),
      result('a', { content: [{ type: 'text', text: 'Rain.' }, picture] }),
      result('b', { content: [], isError: true, status: 'error' }),
      user('And now?'),
      assistant([], here),
      assistant([call('c')], here),
      result('c', { content: [picture] }),
      assistant([{ type: 'text', text: 'It rains.' }], here),
      user('Thanks \ud800 so much'),
    ],
  })
  expect(body).toEqual({
    model: 'gpt-6-luna',
    max_tokens: 100,
    temperature: 0.5,
    stream: true,
    stream_options: { include_usage: true },
    tools: [
      { type: 'function', function: clock },
      { type: 'function', function: weather },
    ],
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'Weather?' }, image] },
      {
        role: 'assistant',
        content: 'Looking.',
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
          { id: 'b', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: 'Rain.' },
      { role: 'tool', tool_call_id: 'b', content: '(no output)' },
      { role: 'user', content: [{ type: 'text', text: 'Images from the tool weather:' }, image] },
      { role: 'user', content: 'And now?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }],
      },
      { role: 'tool', tool_call_id: 'c', content: '(see the image below)' },
      { role: 'user', content: [{ type: 'text', text: 'Images from the tool weather:' }, image] },
      { role: 'assistant', content: 'It rains.' },
      { role: 'user', content: 'Thanks \ufffd so much' },
    ],
  })
})

test('PRV-02 forbids calls but still sends the tool definitions', async () => {
  expect(await sent({ tools: [clock], toolChoice: 'none' })).toMatchObject({ tool_choice: 'none' })
  expect(await sent({ toolChoice: 'none' })).not.toHaveProperty('tool_choice')
})

test('PRV-02 gives every call a unique id, and keeps ids of its own provider', async () => {
  const messages = [
    user('Go'),
    assistant([call('functions.weather:0', { callId: '1.x' })], { provider: 'kimi', model: 'k3' }),
    result('functions.weather:0', { callId: '1.x' }),
    assistant([call('functions.weather:0', { callId: '2.x' })], { provider: 'kimi', model: 'k3' }),
    result('functions.weather:0', { callId: '2.x' }),
  ]
  expect(await sentMessages(messages, { provider: 'kimi' })).toMatchObject([
    {},
    { tool_calls: [{ id: 'functions.weather:0' }] },
    { tool_call_id: 'functions.weather:0' },
    { tool_calls: [{ id: 'functions.weather:0_2' }] },
    { tool_call_id: 'functions.weather:0_2' },
  ])
  expect(await sentMessages(messages)).toMatchObject([
    {},
    { tool_calls: [{ id: 'functions_weather_0' }] },
    { tool_call_id: 'functions_weather_0' },
    { tool_calls: [{ id: 'functions_weather_0_2' }] },
    { tool_call_id: 'functions_weather_0_2' },
  ])
})

test('PRV-10 sends reasoning back in its field, to the provider and model that it came from', async () => {
  const thinking = {
    type: 'thinking',
    thinking: 'Let me see.',
    providerData: { ...here, data: 'reasoning_content' },
  } as const
  const messages = [user('Go'), assistant([thinking, { type: 'text', text: 'ok' }], here), user('On')]
  expect(await sentMessages(messages)).toMatchObject([{}, { reasoning_content: 'Let me see.' }, {}])
  const without = [
    { role: 'user', content: 'Go' },
    { role: 'assistant', content: 'ok' },
    { role: 'user', content: 'On' },
  ]
  expect(await sentMessages(messages, { provider: 'other' })).toEqual(without)
  expect(Object(await sent({ messages }, {}, 'gpt-6.1-sol')).messages).toEqual(without)
  const foreign = {
    type: 'thinking',
    thinking: 'x',
    signature: 's',
    providerData: { ...anthropic, data: { prefix: 'p' } },
  } as const
  expect(await sentMessages([user('Go'), assistant([foreign, { type: 'text', text: 'ok' }], anthropic)])).toEqual([
    { role: 'user', content: 'Go' },
    { role: 'assistant', content: 'ok' },
  ])
})

test('PRV-02 follows the flags of a server', async () => {
  const compat = { maxTokensField: 'max_completion_tokens', developerRole: true, streamUsage: false } as const
  const body = await sent({ system: 'Be brief.' }, { compat, maxTokens: 7 })
  expect(body).toEqual({
    model: 'gpt-6-luna',
    max_completion_tokens: 7,
    stream: true,
    messages: [
      { role: 'developer', content: 'Be brief.' },
      { role: 'user', content: 'Hello' },
    ],
  })
})

test.each([
  ['https://api.openai.com/v1', 'max_completion_tokens', true],
  ['https://eu.api.openai.com/v1', 'max_completion_tokens', true],
  ['https://api.openai.com.evil.example/v1', 'max_tokens', false],
  ['http://127.0.0.1:8080/v1', 'max_tokens', false],
])('PRV-02 recognises %s as a server with %s', (baseURL, maxTokensField, developerRole) => {
  expect(compatFor(baseURL)).toEqual({
    maxTokensField,
    developerRole,
    ownModels: developerRole,
    reasoningEffort: true,
    reasoningField: 'either',
    streamUsage: true,
    strictTools: false,
    indexlessCalls: false,
    requiredCalls: true,
    jsonSchema: true,
    shortCallIds: false,
  })
})

test.each([
  ['gpt-6-luna', undefined, undefined],
  ['gpt-6-luna', 'off', 'none'],
  ['gpt-5.1', 'off', 'none'],
  ['gpt-6.1-sol', 'off', 'low'],
  ['gpt-5', 'off', undefined],
  ['o3', 'off', undefined],
  ['gpt-6-luna', 'minimal', 'low'],
  ['gpt-6-luna', 'low', 'low'],
  ['gpt-6-luna', 'medium', 'medium'],
  ['gpt-6-luna', 'high', 'high'],
] as const)('PRV-03 requests from %s for the level %s the effort %s', async (model, thinking, expected) => {
  const options = thinking === undefined ? {} : { thinking }
  expect(Object(await sent({}, options, model)).reasoning_effort).toBe(expected)
  const silent = { ...options, compat: { reasoningEffort: false } }
  expect(await sent({}, silent, model)).not.toHaveProperty('reasoning_effort')
})

test('PRV-02 reads the base URL from the environment', async () => {
  await using server = await faultServer(stream([...chatWire.opening, ...chatWire.closing]))
  vi.stubEnv('OPENAI_BASE_URL', `${server.url}/v1`)
  vi.stubEnv('OPENAI_API_KEY', 'from the environment')
  await ask(openaiChat('gpt-6-luna'))
  expect(server.requests[0]).toMatchObject({
    path: '/v1/chat/completions',
    headers: { authorization: 'Bearer from the environment' },
  })
})
