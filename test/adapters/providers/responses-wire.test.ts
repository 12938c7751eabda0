import { expect, test } from 'vitest'
import type { ModelRequest } from '../../../src/core/ports/model.ts'
import { azure, type AzureOptions } from '../../../src/adapters/providers/openai-responses/azure.ts'
import { knownFacts } from '../../../src/adapters/providers/wire/model-facts.ts'
import { openaiResponses } from '../../../src/adapters/providers/openai-responses/openai-responses.ts'
import { chatWire } from '../../../proof/wires/chat-wire.ts'
import { faultServer, stream } from '../../../proof/wires/fault-server.ts'
import { messageItem, responsesWire, wireItem, wireResponse, wireUsage } from '../../../proof/wires/responses-wire.ts'
import { namedFrame } from '../../../proof/wires/wire.ts'
import { ask, requestOf } from './ask.ts'
import { clock, user } from './history.ts'

const completed = namedFrame({
  type: 'response.completed',
  response: wireResponse({ status: 'completed', usage: wireUsage }),
})

async function answerTo(...frames: readonly string[]) {
  await using server = await faultServer(stream(frames))
  return await ask(responsesWire.make(server.url))
}

async function sent(model: string, parts: Partial<ModelRequest>) {
  await using server = await faultServer(stream([...responsesWire.opening, ...responsesWire.closing]))
  const { events } = await ask(openaiResponses(model, { apiKey: 'key', baseURL: server.url }), requestOf(parts))
  const last = events.at(-1)
  return { ...Object(server.requests[0]?.body), leftOut: last?.type === 'finished' ? (last.leftOut ?? []) : [] }
}

test("PRV-10 keeps encrypted reasoning and a text's phase, and sends both back to the same model", async () => {
  const reasoning = (id: string, text: string) => ({
    id,
    type: 'reasoning',
    summary: text === '' ? [] : [{ type: 'summary_text', text }],
    encrypted_content: `sealed ${id}`,
  })
  const { message, events } = await answerTo(
    wireItem(0, reasoning('rs_1', 'Hm.'), 'reasoning_summary_text', 'Hm.'),
    wireItem(1, { ...messageItem('Looking.'), phase: 'commentary' }, 'output_text', 'Look', 'ing.'),
    wireItem(2, reasoning('rs_2', ''), 'reasoning_summary_text'),
    completed,
  )
  expect(events.map((event) => (event.type === 'finished' ? 'finished' : event.delta))).toEqual([
    'Hm.',
    'Look',
    'ing.',
    'finished',
  ])
  const origin = (data: object) => ({ provider: 'openai', model: 'gpt-6.1-sol', data })
  expect(message?.content).toEqual([
    {
      type: 'thinking',
      thinking: 'Hm.',
      providerData: origin({ id: 'rs_1', encrypted: 'sealed rs_1', summary: ['Hm.'] }),
    },
    { type: 'text', text: 'Looking.', providerData: origin({ phase: 'commentary' }) },
    { type: 'thinking', thinking: '', providerData: origin({ id: 'rs_2', encrypted: 'sealed rs_2', summary: [] }) },
  ])
  const messages = [user('Go'), ...(message === undefined ? [] : [message]), user('On')]
  const { input } = await sent('gpt-6.1-sol', { messages })
  expect(input.slice(1, -1)).toEqual([
    {
      type: 'reasoning',
      id: 'rs_1',
      summary: [{ type: 'summary_text', text: 'Hm.' }],
      encrypted_content: 'sealed rs_1',
    },
    { role: 'assistant', content: 'Looking.', phase: 'commentary' },
  ])
  const elsewhere = await sent('gpt-6-luna', { messages })
  expect(elsewhere.input.slice(1, -1)).toEqual([{ role: 'assistant', content: 'Looking.' }])
})

test('PRV-01 separates the summaries of one thought', async () => {
  const part = { output_index: 0, item_id: 'rs_1' }
  const { message } = await answerTo(
    namedFrame({
      type: 'response.output_item.added',
      output_index: 0,
      item: { id: 'rs_1', type: 'reasoning', summary: [] },
    }),
    namedFrame({ type: 'response.reasoning_summary_part.added', ...part, summary_index: 0 }),
    namedFrame({ type: 'response.reasoning_summary_text.delta', ...part, summary_index: 0, delta: 'One.' }),
    namedFrame({ type: 'response.reasoning_summary_part.added', ...part, summary_index: 1 }),
    namedFrame({ type: 'response.reasoning_summary_text.delta', ...part, summary_index: 1, delta: 'Two.' }),
    completed,
  )
  expect(message?.content).toEqual([{ type: 'thinking', thinking: 'One.\n\nTwo.' }])
})

test('PRV-01 reads a server that sends complete items without deltas', async () => {
  const call = { id: 'fc_1', type: 'function_call', call_id: 'c1', name: 'clock', arguments: '{}', status: 'completed' }
  const { message, events } = await answerTo(
    namedFrame({ type: 'response.output_item.done', output_index: 0, item: messageItem('Hello') }),
    namedFrame({ type: 'response.output_item.done', output_index: 1, item: call }),
    completed,
  )
  expect(events.slice(0, -1)).toEqual([
    { type: 'text', delta: 'Hello' },
    { type: 'toolCall', id: 'c1', name: 'clock', delta: '' },
    { type: 'toolCall', id: 'c1', name: 'clock', delta: '{}' },
  ])
  expect(message).toMatchObject({ stopReason: 'toolUse', content: [{ text: 'Hello' }, { id: 'c1', arguments: {} }] })
})

test.each([
  [{ code: 'rate_limit_exceeded', message: 'slow' }, 'rate_limit'],
  [{ code: 'server_error', message: 'oops' }, 'network'],
  [{ code: 'invalid_prompt', message: 'no' }, 'api'],
  [{ code: 'context_length_exceeded', message: 'Your input exceeds the context window of this model.' }, 'overflow'],
])('PRV-05 PRV-06 classifies a failed response of %o as %s', async (error, kind) => {
  const failed = namedFrame({ type: 'response.failed', response: wireResponse({ status: 'failed', error }) })
  expect((await answerTo(...responsesWire.opening.map(String), failed)).error).toMatchObject({
    name: 'ModelError',
    kind,
  })
})

test('PRV-01 reports a refusal, and an answer that a content filter stopped', async () => {
  const refused = await answerTo(
    namedFrame({
      type: 'response.refusal.delta',
      output_index: 0,
      content_index: 0,
      item_id: 'm',
      delta: 'I will not.',
    }),
    completed,
  )
  expect(refused.message).toMatchObject({
    stopReason: 'error',
    errorMessage: 'The model refused to answer: I will not.',
  })
  const filtered = { status: 'incomplete', incomplete_details: { reason: 'content_filter' } }
  const stopped = await answerTo(namedFrame({ type: 'response.incomplete', response: wireResponse(filtered) }))
  expect(stopped.message?.errorMessage).toBe('The model refused to answer: the answer was stopped (content_filter).')
})

test.each([
  ['gpt-6.1-sol', 'off', { effort: 'low', summary: 'auto' }, ['temperature']],
  ['gpt-6-luna', 'off', { effort: 'none' }, []],
  ['gpt-6-luna', 'high', { effort: 'high', summary: 'auto' }, ['temperature']],
  ['gpt-4.1', 'high', undefined, ['thinking']],
  ['o3', undefined, undefined, ['temperature']],
] as const)('PRV-03 requests from %s for the level %s', async (model, thinking, reasoning, leftOut) => {
  const body = await sent(model, { temperature: 0.5, ...(thinking === undefined ? {} : { thinking }) })
  expect(body.reasoning).toEqual(reasoning)
  expect(body.leftOut).toEqual(leftOut)
  expect('temperature' in body).toBe(!body.leftOut.includes('temperature'))
  expect('include' in body).toBe(model !== 'gpt-4.1')
})

test('PRV-01 requests strict mode if a schema allows it', async () => {
  const closed = {
    type: 'object',
    properties: { a: { type: 'object', properties: {}, required: [], additionalProperties: false } },
    required: ['a'],
    additionalProperties: false,
  }
  const { tools } = await sent('gpt-6-luna', { tools: [clock, { ...clock, name: 'closed', parameters: closed }] })
  expect(tools).toMatchObject([{ strict: false }, { strict: true }])
})

test.each<readonly [options: AzureOptions, path: string]>([
  [{}, '/openai/v1/responses'],
  [{ wire: 'chat' }, '/openai/v1/chat/completions'],
  [{ apiVersion: '2026-01-01' }, '/openai/responses?api-version=2026-01-01'],
  [{ apiVersion: '2026-01-01', wire: 'chat' }, '/openai/deployments/my%20gpt/chat/completions?api-version=2026-01-01'],
])('PRV-02 requests from Azure with %o at %s', async (options, path) => {
  const frames =
    options.wire === 'chat'
      ? [...chatWire.opening, ...chatWire.closing]
      : [...responsesWire.opening, ...responsesWire.closing]
  await using server = await faultServer(stream(frames))
  const asked = { endpoint: `${server.url}/`, model: 'gpt-6-luna', ...options }
  expect((await ask(azure('my gpt', { apiKey: 'key', ...asked }))).message).toMatchObject({ provider: 'azure' })
  await ask(azure('my gpt', { credentials: () => 'token', ...asked }))
  expect(server.requests.map((request) => request.path)).toEqual([path, path])
  expect(server.requests[0]?.headers).toMatchObject({ 'api-key': 'key' })
  expect(server.requests[0]?.headers).not.toHaveProperty('authorization')
  expect(server.requests[1]?.headers).toMatchObject({ authorization: 'Bearer token' })
  expect(server.requests[1]?.headers).not.toHaveProperty('api-key')
})

test('PRV-03 treats a deployment on the chat wire like its underlying model', async () => {
  await using server = await faultServer(stream([...chatWire.opening, ...chatWire.closing]))
  const model = azure('my-gpt', {
    apiKey: 'key',
    endpoint: server.url,
    wire: 'chat',
    model: 'gpt-6-luna',
    thinking: 'off',
  })
  await ask(model, requestOf({ temperature: 0.5 }))
  expect(server.requests[0]?.body).toMatchObject({ model: 'my-gpt', reasoning_effort: 'none', temperature: 0.5 })
})

test('PRV-02 reports that Azure has no endpoint', async () => {
  const { error } = await ask(azure('my-gpt', { apiKey: 'key', endpoint: '' }))
  expect(String(error)).toContain('Set AZURE_OPENAI_ENDPOINT or pass the option endpoint.')
})

test.each([
  ['openai', 'gpt-6.1-sol-2026-09-29', 1_050_000, 2],
  ['bedrock', 'us.anthropic.claude-opus-5-5', 1_000_000, 4],
  ['google', 'models/gemini-3.8-flash', 1_048_576, 0.75],
  ['anthropic', 'claude-opus-5', 1_000_000, 5],
  ['local', 'llama-4', undefined, undefined],
])('PRV-01 knows the window of %s/%s (%s) and its price (%s)', (provider, model, contextWindow, input) => {
  const facts = knownFacts(provider, model)
  expect([facts?.contextWindow, facts?.prices?.input]).toEqual([contextWindow, input])
})

test("PRV-01 prefers the user's facts about a model to its own", () => {
  const prices = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 }
  const model = openaiResponses('gpt-6.1-sol', { contextWindow: 5, maxTokens: 6, prices })
  expect(model).toMatchObject({ contextWindow: 5, maxTokens: 6, prices })
  expect(openaiResponses('nobody-knows')).not.toHaveProperty('contextWindow')
})
