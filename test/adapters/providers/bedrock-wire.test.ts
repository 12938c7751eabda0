import { afterEach, expect, test, vi } from 'vitest'
import type { ModelRequest } from '../../../src/core/ports/model.ts'
import { bedrock, type BedrockOptions } from '../../../src/adapters/providers/bedrock/bedrock.ts'
import { faultServer, type Frame, stream } from '../../../proof/wires/fault-server.ts'
import { bedrockDelta, bedrockEvent, bedrockWire } from '../../../proof/wires/bedrock-wire.ts'
import { ask, requestOf } from './ask.ts'
import { assistant, call, clock, result, user } from './history.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

const whole = [...bedrockWire.opening, ...bedrockWire.closing]

async function answerTo(...frames: readonly Frame[]) {
  await using server = await faultServer(stream(frames, 'end', bedrockWire.mediaType))
  return await ask(bedrockWire.make(server.url))
}

async function sent(model: string, parts: Partial<ModelRequest>, options: BedrockOptions = {}) {
  await using server = await faultServer(stream(whole, 'end', bedrockWire.mediaType))
  const asked = { apiKey: 'key', region: 'us-east-1', baseURL: server.url, ...options }
  const { error, events } = await ask(bedrock(model, asked), requestOf(parts))
  expect(error).toBeUndefined()
  const last = events.at(-1)
  const leftOut = last?.type === 'finished' ? (last.leftOut ?? []) : []
  return { body: Object(server.requests[0]?.body), headers: server.requests[0]?.headers ?? {}, leftOut }
}

function ending(stopReason: string): readonly Frame[] {
  return [
    bedrockEvent('messageStop', { stopReason }),
    bedrockEvent('metadata', { usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 }, metrics: { latencyMs: 1 } }),
  ]
}

test('PRV-02 signs a request with the keys of an identity', async () => {
  const awsKeys = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'secret', sessionToken: 'session' }
  await using server = await faultServer(stream(whole, 'end', bedrockWire.mediaType))
  vi.stubEnv('AWS_BEARER_TOKEN_BEDROCK', '')
  const { error } = await ask(bedrock('us.amazon.nova-pro', { awsKeys, region: 'eu-west-1', baseURL: server.url }))
  expect(error).toBeUndefined()
  const { authorization = '', 'x-amz-security-token': token } = server.requests[0]?.headers ?? {}
  expect(authorization).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE\/\d{8}\/eu-west-1\/bedrock\/aws4_request, SignedHeaders=.*host.*, Signature=[0-9a-f]{64}$/,
  )
  expect(token).toBe('session')
  expect(JSON.stringify(server.requests)).not.toContain('secret"')
})

test('PRV-02 sends a bearer token if it has one, and reports a missing region', async () => {
  const { headers } = await sent('us.amazon.nova-pro', {})
  expect(headers.authorization).toBe('Bearer key')
  vi.stubEnv('AWS_REGION', '')
  vi.stubEnv('AWS_DEFAULT_REGION', '')
  const { error } = await ask(bedrock('us.amazon.nova-pro', { apiKey: 'key' }))
  expect(String(error)).toContain('Set AWS_REGION or pass the option region.')
})

test('PRV-10 keeps thinking, signed or encrypted, and sends it back to the same model', async () => {
  const { message } = await answerTo(
    bedrockDelta(0, { reasoningContent: { text: 'Hm' } }),
    bedrockDelta(0, { reasoningContent: { text: '.' } }),
    bedrockDelta(0, { reasoningContent: { signature: 'sig' } }),
    bedrockDelta(1, { reasoningContent: { redactedContent: 'c2VhbGVk' } }),
    bedrockDelta(2, { text: 'Yes.' }),
    ...ending('end_turn'),
  )
  expect(message?.content).toMatchObject([
    { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
    { type: 'thinking', thinking: '', providerData: { data: { redacted: 'c2VhbGVk' } } },
    { type: 'text', text: 'Yes.' },
  ])
  const messages = [user('Go'), ...(message === undefined ? [] : [message]), user('On')]
  const { body } = await sent('us.anthropic.claude-sonnet-5', { messages })
  expect(body.messages[1].content).toEqual([
    { reasoningContent: { reasoningText: { text: 'Hm.', signature: 'sig' } } },
    { reasoningContent: { redactedContent: 'c2VhbGVk' } },
    { text: 'Yes.' },
  ])
  const elsewhere = await sent('us.anthropic.claude-opus-5', { messages })
  expect(elsewhere.body.messages[1].content).toEqual([{ text: 'Yes.' }])
})

test('PRV-03 PRV-04 requests no thinking from a model other than Claude, and caches if the model can', async () => {
  const asked = { thinking: 'high', temperature: 0.5, cache: 'auto', system: 'Be brief.', tools: [clock] } as const
  const nova = await sent('us.amazon.nova-pro', asked)
  expect(nova.leftOut).toEqual(['thinking'])
  expect(JSON.stringify(nova.body).split('cachePoint')).toHaveLength(2)
  const other = await sent('meta.llama4', { ...asked, cache: { system: true } })
  expect(other.leftOut).toEqual(['thinking', 'cache'])
  expect(other.body.inferenceConfig).toEqual({ temperature: 0.5 })
})

test('PRV-04 marks system, tools and the second-to-last user message for Claude, or nothing', async () => {
  const messages = [
    user('One'),
    assistant([{ type: 'text', text: 'Two' }], { provider: 'bedrock', model: 'm' }),
    user('Three'),
  ]
  const asked = { system: 'Be brief.', tools: [clock], messages }
  const { body } = await sent('us.anthropic.claude-sonnet-5', asked)
  const point = { cachePoint: { type: 'default' } }
  expect(body.system).toEqual([{ text: 'Be brief.' }, point])
  expect(body.toolConfig.tools.at(-1)).toEqual(point)
  expect(body.messages[0].content).toEqual([{ text: 'One' }, point])
  const without = await sent('us.anthropic.claude-sonnet-5', { ...asked, cache: 'disabled' })
  expect(JSON.stringify(without.body)).not.toContain('cachePoint')
})

test('PRV-01 defines the tools that a transcript calls if the request has none', async () => {
  const messages = [user('Go'), assistant([call('a')], { provider: 'x', model: 'y' }), result('a')]
  const { body } = await sent('us.amazon.nova-pro', { messages })
  expect(body.toolConfig).toEqual({
    tools: [{ toolSpec: { name: 'weather', inputSchema: { json: { type: 'object' } } } }],
  })
})

test.each([
  ['claude-3-7-sonnet', 'low', 8192 + 1024, { type: 'enabled', budget_tokens: 1024 }],
  ['claude-sonnet-5', 'low', 32_000, { type: 'adaptive', display: 'summarized' }],
] as const)('PRV-03 lets %s think %s within %i tokens', async (model, thinking, maxTokens, said) => {
  const { body } = await sent(`us.anthropic.${model}`, { thinking })
  expect(body.inferenceConfig.maxTokens).toBe(maxTokens)
  expect(body.additionalModelRequestFields.thinking).toEqual(said)
})

test.each([
  ['max_tokens', 'length', undefined],
  ['guardrail_intervened', 'error', 'The model refused to answer: the answer was stopped (guardrail_intervened).'],
  ['malformed_tool_use', 'error', 'The model gave an answer that cannot be read (malformed_tool_use).'],
  ['something_new', 'stop', 'bedrock stopped for an unknown reason: "something_new".'],
])('PRV-01 reports an answer that stopped for %s', async (reason, stopReason, errorMessage) => {
  const { message } = await answerTo(bedrockDelta(0, { text: 'No' }), ...ending(reason))
  expect(message?.stopReason).toBe(stopReason)
  expect(message?.errorMessage).toBe(errorMessage)
})

test('PRV-01 treats an answer without its metadata as cut off', async () => {
  const { error } = await answerTo(...whole.slice(0, -1))
  expect(error).toMatchObject({ kind: 'network' })
})
