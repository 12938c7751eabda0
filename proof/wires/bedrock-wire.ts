import { crc32 } from 'node:zlib'
import { bedrock } from '../../src/adapters/providers/bedrock/bedrock.ts'
import { now, type Wire } from './wire.ts'

/** A binary frame of the event-stream encoding: lengths, headers and payload, each part with its checksum. */
function bedrockFrame(headers: Readonly<Record<string, string>>, payload: string): Uint8Array {
  return binaryFrame(Buffer.concat(Object.entries(headers).map(([name, value]) => headerOf(name, value))), payload)
}

/** A binary frame with the headers given as their bytes. */
export function binaryFrame(head: Uint8Array, payload: string): Uint8Array {
  const body = Buffer.from(payload)
  const prelude = Buffer.alloc(12)
  prelude.writeUInt32BE(head.length + body.length + 16, 0)
  prelude.writeUInt32BE(head.length, 4)
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8)
  const whole = Buffer.concat([prelude, head, body, Buffer.alloc(4)])
  whole.writeUInt32BE(crc32(whole.subarray(0, -4)), whole.length - 4)
  return whole
}

/** A header of type 7, a text. */
function headerOf(name: string, value: string): Buffer {
  const text = Buffer.from(value)
  const sizes = Buffer.from([7, text.length >> 8, text.length & 255])
  return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), sizes, text])
}

/** A frame of ConverseStream with an event. */
export function bedrockEvent(type: string, event: unknown): Uint8Array {
  const headers = { ':message-type': 'event', ':event-type': type, ':content-type': 'application/json' }
  return bedrockFrame(headers, typeof event === 'string' ? event : JSON.stringify(event))
}

/** A frame with an exception. */
function bedrockException(type: string, message: string): Uint8Array {
  const headers = { ':message-type': 'exception', ':exception-type': type, ':content-type': 'application/json' }
  return bedrockFrame(headers, JSON.stringify({ message }))
}

/** A delta of the block at an index. */
export function bedrockDelta(contentBlockIndex: number, delta: unknown): Uint8Array {
  return bedrockEvent('contentBlockDelta', { contentBlockIndex, delta })
}

function weatherCall(contentBlockIndex: number, toolUseId: string, city: string): readonly Uint8Array[] {
  return [
    bedrockEvent('contentBlockStart', { contentBlockIndex, start: { toolUse: { toolUseId, name: 'weather' } } }),
    bedrockDelta(contentBlockIndex, { toolUse: { input: '{"city":' } }),
    bedrockDelta(contentBlockIndex, { toolUse: { input: `"${city}"}` } }),
    bedrockEvent('contentBlockStop', { contentBlockIndex }),
  ]
}

function ending(stopReason: string): readonly Uint8Array[] {
  const usage = { inputTokens: 5, outputTokens: 2, totalTokens: 7 }
  return [bedrockEvent('messageStop', { stopReason }), bedrockEvent('metadata', { usage, metrics: { latencyMs: 1 } })]
}

const exceptionOf = {
  overloaded: 'serviceUnavailableException',
  rateLimit: 'throttlingException',
  auth: 'accessDeniedException',
  overflow: 'validationException',
  internal: 'internalServerException',
  unknown: 'somethingNewException',
} as const

/** The ConverseStream wire, asked of a model of Anthropic's. */
export const bedrockWire: Wire = {
  name: 'bedrock',
  provider: 'bedrock',
  keyVariable: 'AWS_BEARER_TOKEN_BEDROCK',
  keySource: 'AWS_BEARER_TOKEN_BEDROCK, the option apiKey or the option awsKeys',
  terminal: 'its metadata',
  mediaType: 'application/vnd.amazon.eventstream',
  make: (url, options) =>
    bedrock('us.anthropic.claude-sonnet-5', {
      apiKey: 'key',
      baseURL: url,
      region: 'us-east-1',
      now: () => now,
      ...options,
    }),
  opening: [bedrockEvent('messageStart', { role: 'assistant' }), bedrockDelta(0, { text: 'Hel' })],
  closing: [
    bedrockDelta(0, { text: 'lo' }),
    bedrockEvent('contentBlockStop', { contentBlockIndex: 0 }),
    bedrockEvent('messageStop', { stopReason: 'end_turn' }),
    bedrockEvent('metadata', { usage: { inputTokens: 5, outputTokens: 2, totalTokens: 7 }, metrics: { latencyMs: 1 } }),
  ],
  calls: [
    bedrockEvent('messageStart', { role: 'assistant' }),
    bedrockDelta(0, { reasoningContent: { text: 'Two cities.' } }),
    bedrockDelta(0, { reasoningContent: { signature: 'sealed' } }),
    bedrockEvent('contentBlockStop', { contentBlockIndex: 0 }),
    bedrockDelta(1, { text: 'Looking.' }),
    bedrockEvent('contentBlockStop', { contentBlockIndex: 1 }),
    ...weatherCall(2, 'tooluse_1', 'Oslo'),
    ...weatherCall(3, 'tooluse_2', 'Rome'),
    bedrockEvent('messageStop', { stopReason: 'tool_use' }),
    bedrockEvent('metadata', {
      usage: { inputTokens: 10, outputTokens: 20, totalTokens: 33, cacheReadInputTokens: 3 },
      metrics: { latencyMs: 1 },
    }),
  ],
  answer: (text) => [
    bedrockEvent('messageStart', { role: 'assistant' }),
    bedrockDelta(0, { text }),
    bedrockEvent('contentBlockStop', { contentBlockIndex: 0 }),
    ...ending('end_turn'),
  ],
  call: (text, toolUseId = 'tooluse_1', name = 'weather') => [
    bedrockEvent('messageStart', { role: 'assistant' }),
    bedrockEvent('contentBlockStart', { contentBlockIndex: 0, start: { toolUse: { toolUseId, name } } }),
    bedrockDelta(0, { toolUse: { input: text } }),
    bedrockEvent('contentBlockStop', { contentBlockIndex: 0 }),
    ...ending('tool_use'),
  ],
  cutOff: [
    bedrockEvent('messageStart', { role: 'assistant' }),
    bedrockDelta(0, { text: 'Hel' }),
    ...ending('max_tokens'),
  ],
  empty: [bedrockEvent('messageStart', { role: 'assistant' }), ...ending('end_turn')],
  unknown: bedrockDelta(7, { hologram: { depth: 3 } }),
  usage: { input: 10, output: 20, cacheRead: 3, cacheWrite: 0, totalTokens: 33 },
  misshapen: '{"contentBlockIndex":0,"delta":"Hel"}',
  raw: (data) => bedrockEvent('contentBlockDelta', data),
  error: (name, message) => bedrockException(exceptionOf[name], message),
}
