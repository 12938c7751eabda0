import { describe, expect, test } from 'vitest'
import type { ModelRequest } from '../../../src/core/ports/model.ts'
import { anthropic, type AnthropicOptions } from '../../../src/adapters/providers/anthropic/anthropic.ts'
import { ask, requestOf } from './ask.ts'
import { faultServer, stream } from '../../../proof/wires/fault-server.ts'
import { assistant, call, clock, picture, result, user, weather } from './history.ts'
import { anthropicWire, messageStart } from '../../../proof/wires/anthropic-wire.ts'
import { namedFrame as frame } from '../../../proof/wires/wire.ts'

const cache_control = { type: 'ephemeral' }
const here = { provider: 'anthropic', model: 'claude-sonnet-5-5' }
const openai = { provider: 'openai', model: 'gpt-6-luna' }

async function sent(parts: Partial<ModelRequest>, options: AnthropicOptions = {}, model = here.model) {
  await using server = await faultServer(stream([...anthropicWire.opening, ...anthropicWire.closing]))
  await ask(anthropic(model, { apiKey: 'key', baseURL: server.url, ...options }), requestOf(parts))
  return server.requests[0]?.body
}

async function sentMessages(messages: ModelRequest['messages'], model = here.model): Promise<unknown> {
  return await sent({ messages }, { cache: 'disabled' }, model).then((body) => Object(body).messages)
}

test("PRV-02 PRV-04 sends a history of calls, results and images in the wire's format", async () => {
  const body = await sent({
    system: 'Be brief.',
    tools: [clock, weather],
    temperature: 0.5,
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Weather?' }, picture], timestamp: 1 },
      user('  '),
      user('In two cities.'),
      assistant([{ type: 'text', text: 'Looking.' }, { type: 'text', text: '' }, call('a'), call('b')], here),
      result('a', { content: [{ type: 'text', text: 'Rain.' }, { type: 'text', text: '' }, picture] }),
      result('b', { content: [], isError: true, status: 'error' }),
      user('And now?'),
      assistant([], here),
      user('Well?'),
      assistant([{ type: 'text', text: 'It rains.' }], here),
      user('Thanks \ud800 so much'),
    ],
  })
  expect(body).toEqual({
    model: 'claude-sonnet-5-5',
    max_tokens: 32_000,
    stream: true,
    system: [{ type: 'text', text: 'Be brief.', cache_control }],
    tools: [
      { name: 'clock', description: 'Tells the time.', input_schema: { type: 'object' } },
      { name: 'weather', description: 'Tells the weather.', input_schema: weather.parameters, cache_control },
    ],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Weather?' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
          { type: 'text', text: 'In two cities.' },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Looking.' },
          { type: 'tool_use', id: 'a', name: 'weather', input: { city: 'Oslo' } },
          { type: 'tool_use', id: 'b', name: 'weather', input: { city: 'Oslo' } },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'a',
            content: [
              { type: 'text', text: 'Rain.' },
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
            ],
          },
          { type: 'tool_result', tool_use_id: 'b', content: [{ type: 'text', text: '(no output)' }], is_error: true },
          { type: 'text', text: 'And now?' },
          { type: 'text', text: 'Well?', cache_control },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'It rains.' }] },
      { role: 'user', content: [{ type: 'text', text: 'Thanks \ufffd so much' }] },
    ],
  })
})

test('PRV-02 forbids calls but still sends the tool definitions', async () => {
  expect(await sent({ tools: [clock], toolChoice: 'none' })).toMatchObject({
    tools: [{ name: 'clock' }],
    tool_choice: { type: 'none' },
  })
  expect(await sent({ toolChoice: 'none' })).not.toHaveProperty('tool_choice')
})

test('PRV-04 sets only the requested cache marks', async () => {
  const parts = { system: 'Be brief.', tools: [clock] }
  expect(JSON.stringify(await sent(parts, { cache: 'disabled' }))).not.toContain('cache_control')
  expect(await sent(parts, { cache: { tools: true } })).toMatchObject({
    system: [{ type: 'text', text: 'Be brief.' }],
    tools: [{ name: 'clock', cache_control }],
  })
})

test('PRV-02 leaves out what a model cannot read, and reports it', async () => {
  const bitmap = { type: 'image', data: 'Qk0AAAAA', mimeType: 'image/bmp' } as const
  expect(await sentMessages([{ role: 'user', content: [bitmap], timestamp: 1 }])).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: '[An image of type image/bmp was left out: it is not a PNG, JPEG, GIF or WebP image.]' },
      ],
    },
  ])
})

test('PRV-02 gives every call a unique id, and its result the same id', async () => {
  expect(
    await sentMessages([
      user('Go'),
      assistant([call('functions.weather:0', { callId: '1.x' })], openai),
      result('functions.weather:0', { callId: '1.x' }),
      assistant([call('functions.weather:0', { callId: '2.x', arguments: 'Oslo' })], openai),
      result('functions.weather:0', { callId: '2.x' }),
    ]),
  ).toMatchObject([
    {},
    { content: [{ id: 'functions_weather_0', input: { city: 'Oslo' } }] },
    { content: [{ tool_use_id: 'functions_weather_0' }] },
    { content: [{ id: 'functions_weather_0_2', input: {} }] },
    { content: [{ tool_use_id: 'functions_weather_0_2' }] },
  ])
})

test('PRV-02 distinguishes calls of one turn by our ids if the provider repeats its own', async () => {
  expect(
    await sentMessages([
      user('Go'),
      assistant([call('google-fc-0', { callId: '1.a' }), call('google-fc-0', { callId: '1.b' })], openai),
      result('google-fc-0', { callId: '1.b', content: [{ type: 'text', text: 'second' }] }),
      result('google-fc-0', { callId: '1.a', content: [{ type: 'text', text: 'first' }] }),
    ]),
  ).toMatchObject([
    {},
    { content: [{ id: 'google-fc-0' }, { id: 'google-fc-0_2' }] },
    {
      content: [
        { tool_use_id: 'google-fc-0_2', content: [{ text: 'second' }] },
        { tool_use_id: 'google-fc-0', content: [{ text: 'first' }] },
      ],
    },
  ])
})

describe('thinking', () => {
  const thought = frame({ type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } })
  const signed = frame({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'signature_delta', signature: 'c2ln' },
  })
  const hidden = frame({
    type: 'content_block_start',
    index: 1,
    content_block: { type: 'redacted_thinking', data: 'b3BhcXVl' },
  })
  const end =
    frame({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } }) +
    frame({ type: 'message_stop' })
  const asked: Partial<ModelRequest> = { system: 'Be brief.', tools: [clock], messages: [user('Go')] }
  const blocks = [
    { type: 'thinking', thinking: '', signature: 'c2ln' },
    { type: 'redacted_thinking', data: 'b3BhcXVl' },
  ]

  /** The part of the first answer's thinking that is sent when `next` follows. */
  async function replayed(next: (first: Partial<ModelRequest>) => Partial<ModelRequest>, model: string, later = model) {
    await using server = await faultServer(stream([messageStart(), thought, signed, hidden, end]))
    const options = { apiKey: 'key', baseURL: server.url }
    const { message } = await ask(anthropic(model, options), requestOf(asked))
    if (message === undefined) throw new Error('The first answer failed.')
    const changed = next(asked)
    const messages = [...(changed.messages ?? []), message, user('And?')]
    await ask(anthropic(later, options), requestOf({ ...changed, messages }))
    const body = server.requests[1]?.body
    return Object(body).messages.find(({ role }: { readonly role: string }) => role === 'assistant')?.content
  }

  test('PRV-03 PRV-10 sends thinking back verbatim, even without text', async () => {
    expect(await replayed((first) => first, 'claude-sonnet-5-5')).toEqual(blocks)
  })

  test('PRV-10 drops thinking for another model', async () => {
    expect(await replayed((first) => first, 'claude-sonnet-5-5', 'claude-opus-5-5')).toBeUndefined()
  })

  test('PRV-03 drops thinking if earlier messages have changed, for models that check', async () => {
    const other = { ...weather, name: 'other' }
    expect(await replayed((first) => ({ ...first, system: 'Be long.' }), 'claude-sonnet-5-5')).toBeUndefined()
    expect(await replayed((first) => ({ ...first, tools: [other] }), 'claude-sonnet-5-5')).toBeUndefined()
    expect(await replayed((first) => ({ ...first, messages: [user('Stop')] }), 'claude-opus-5-5')).toBeUndefined()
    expect(await replayed((first) => ({ ...first, system: 'Be long.' }), 'claude-opus-4-8')).toEqual(blocks)
  })

  test('PRV-03 keeps thinking with any cache marks, since marks do not count as a change', async () => {
    await using server = await faultServer(stream([messageStart(), thought, signed, end]))
    const model = anthropic('claude-sonnet-5-5', { apiKey: 'key', baseURL: server.url })
    const { message } = await ask(model, requestOf({ messages: [user('a')] }))
    if (message === undefined) throw new Error('The first answer failed.')
    await ask(model, requestOf({ messages: [user('a'), message, user('b'), message, user('c')] }))
    const bodies = server.requests.map(({ body }) => Object(body).messages)
    expect(bodies[1][1].content).toEqual([{ type: 'thinking', thinking: '', signature: 'c2ln' }])
    expect(bodies[1]).toHaveLength(3)
    expect(bodies[1][2].content).toEqual([
      { type: 'text', text: 'b' },
      { type: 'text', text: 'c' },
    ])
  })

  test('PRV-03 does not send thinking without a signature or of another provider', async () => {
    const providerData = { provider: 'openai', model: 'gpt-6-luna', data: 'reasoning_content' }
    const content = [
      { type: 'thinking', thinking: 'a' },
      { type: 'thinking', thinking: 'b', signature: 'x', providerData },
      { type: 'text', text: 'ok' },
    ] as const
    expect(await sentMessages([user('Go'), assistant(content, openai), user('On')])).toMatchObject([
      {},
      { content: [{ type: 'text', text: 'ok' }] },
      {},
    ])
  })

  const adaptive = { type: 'adaptive', display: 'summarized' }
  test.each([
    ['claude-sonnet-5-5', undefined, {}],
    ['claude-sonnet-5-5', 'minimal', { thinking: adaptive, output_config: { effort: 'low' } }],
    ['claude-sonnet-5-5', 'low', { thinking: adaptive, output_config: { effort: 'low' } }],
    ['claude-opus-4-6-20260201', 'medium', { thinking: adaptive, output_config: { effort: 'medium' } }],
    ['claude-mythos-preview', 'high', { thinking: adaptive, output_config: { effort: 'high' } }],
    ['us.anthropic.claude-sonnet-5', 'high', { thinking: adaptive, output_config: { effort: 'high' } }],
    ['claude-haiku-4-5-20251001', 'minimal', { thinking: { type: 'enabled', budget_tokens: 1024 }, max_tokens: 9216 }],
    ['claude-sonnet-4-20250514', 'medium', { thinking: { type: 'enabled', budget_tokens: 2048 }, max_tokens: 10_240 }],
    ['claude-3-7-sonnet-20250219', 'high', { thinking: { type: 'enabled', budget_tokens: 8192 }, max_tokens: 16_384 }],
    ['claude-haiku-4-5', 'off', { max_tokens: 8192 }],
    ['claude-opus-4-8', 'off', {}],
    ['claude-opus-5', 'off', { thinking: { type: 'disabled' } }],
    ['claude-haiku-5-5', 'off', { thinking: { type: 'disabled' } }],
    ['claude-sonnet-5-5', 'off', { thinking: { type: 'between_tools' } }],
    ['claude-opus-5-5', 'off', { output_config: { effort: 'low' } }],
    ['claude-fable-5-1', 'off', { output_config: { effort: 'low' } }],
  ] as const)('PRV-03 requests from %s for the level %s', async (model, thinking, expected) => {
    const body = await sent({}, thinking === undefined ? {} : { thinking }, model)
    const rest = { model, max_tokens: 32_000, stream: true, messages: [{ role: 'user', content: expect.anything() }] }
    expect(body).toEqual({ ...rest, ...expected })
  })

  test("PRV-03 adds the thinking budget to the answer's maximum tokens", async () => {
    const model = anthropic('claude-haiku-4-5', { maxTokens: 100, thinking: 'high' })
    expect(model.maxTokens).toBe(8292)
    const options: AnthropicOptions = { maxTokens: 100, thinking: 'high' }
    expect(await sent({}, options, 'claude-haiku-4-5')).toMatchObject({ max_tokens: 8292 })
    expect(await sent({ maxTokens: 50 }, options, 'claude-haiku-4-5')).toMatchObject({ max_tokens: 8242 })
  })

  test("PRV-10 pauses thinking with a budget while another model's calls are answered", async () => {
    const options: AnthropicOptions = { thinking: 'low' }
    const messages = [user('Go'), assistant([call('a')], openai), result('a')]
    expect(await sent({ messages }, options, 'claude-haiku-4-5')).not.toHaveProperty('thinking')
    expect(await sent({ messages }, options, 'claude-sonnet-5-5')).toHaveProperty('thinking')
    const after = [...messages, assistant([{ type: 'text', text: 'ok' }], openai), user('On')]
    expect(await sent({ messages: after }, options, 'claude-haiku-4-5')).toHaveProperty('thinking')
  })
})
