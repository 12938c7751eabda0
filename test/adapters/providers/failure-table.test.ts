import { expect, test } from 'vitest'
import { faultServer, page, stream } from '../../../proof/wires/fault-server.ts'
import { bedrockWire } from '../../../proof/wires/bedrock-wire.ts'
import { googleWire } from '../../../proof/wires/google-wire.ts'
import { dataFrame, type Wire } from '../../../proof/wires/wire.ts'
import { wires } from '../../../proof/wires/wires.ts'
import { ask } from './ask.ts'

const retryInfo = {
  error: {
    code: 429,
    status: 'RESOURCE_EXHAUSTED',
    message: 'Quota exceeded.',
    details: [
      { '@type': 'type.googleapis.com/google.rpc.QuotaFailure' },
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.5s' },
    ],
  },
}

test.each(wires)('PRV-05 reads the wait of $name in every form', async (wire) => {
  const forms: readonly (readonly [body: unknown, headers: Record<string, string>, ms: number | undefined])[] = [
    [retryInfo, {}, 34_500],
    [[retryInfo], {}, 34_500],
    [{ error: { message: 'slow', retry_after: 2 } }, {}, 2_000],
    [retryInfo, { 'retry-after': '7' }, 7_000],
    [retryInfo, { 'retry-after': 'Sun, 22 Nov 2026 00:00:09 GMT' }, 9_000],
    [retryInfo, { 'retry-after-ms': '250', 'retry-after': '7' }, 250],
    [retryInfo, { 'retry-after': 'soon' }, 34_500],
    [{ error: { message: 'slow' } }, {}, undefined],
    ['', {}, undefined],
  ]
  for (const [body, headers, retryAfterMs] of forms) {
    await using server = await faultServer(page(429, body === '' ? '' : JSON.stringify(body), headers))
    const { error } = await ask(wire.make(server.url))
    expect(error).toMatchObject({ kind: 'rate_limit', status: 429, retryAfterMs })
  }
})

test('PRV-05 reads a wait from an error inside a stream', async () => {
  await using server = await faultServer(stream([...googleWire.opening, dataFrame(retryInfo)]))
  expect((await ask(googleWire.make(server.url))).error).toMatchObject({ kind: 'rate_limit', retryAfterMs: 34_500 })
})

const type = 'x-amzn-errortype'

test.each<
  readonly [what: string, wire: Wire, status: number, headers: Record<string, string>, body: string, kind: string]
>([
  [
    'throttling',
    bedrockWire,
    400,
    { [type]: 'ThrottlingException:http://x' },
    '{"message":"Too many requests"}',
    'rate_limit',
  ],
  [
    'a model that is not ready',
    bedrockWire,
    429,
    { [type]: 'ModelNotReadyException' },
    '{"message":"wait"}',
    'rate_limit',
  ],
  [
    'a model that took too long',
    bedrockWire,
    408,
    { [type]: 'ModelTimeoutException' },
    '{"message":"late"}',
    'network',
  ],
  ['an expired token', bedrockWire, 400, { [type]: 'ExpiredTokenException' }, '{"message":"expired"}', 'auth'],
  ['a refused identity', bedrockWire, 403, { [type]: 'AccessDeniedException' }, '{"message":"no"}', 'auth'],
  [
    'too long an input',
    bedrockWire,
    400,
    { [type]: 'ValidationException' },
    '{"message":"Input is too long for requested model."}',
    'overflow',
  ],
  ['a bad request', bedrockWire, 400, { [type]: 'ValidationException' }, '{"message":"bad"}', 'api'],
  [
    'a wrong key behind HTTP 400',
    googleWire,
    400,
    {},
    '{"error":{"code":400,"message":"API key not valid.","details":[{"reason":"API_KEY_INVALID"}]}}',
    'auth',
  ],
  [
    'too many tokens',
    googleWire,
    400,
    {},
    '{"error":{"code":400,"message":"The input token count (2) exceeds the maximum number of tokens allowed (1)."}}',
    'overflow',
  ],
  ['an outage', googleWire, 503, {}, '{"error":{"code":503,"status":"UNAVAILABLE","message":"overloaded"}}', 'network'],
])('PRV-05 PRV-06 classifies %s', async (_what, wire, status, headers, body, kind) => {
  await using server = await faultServer(page(status, body, { 'content-type': 'application/json', ...headers }))
  expect((await ask(wire.make(server.url))).error).toMatchObject({ name: 'ModelError', kind, status })
})

test.each(wires)('PRV-05 reports that the address of $name is invalid, without a retry', async (wire) => {
  const { error } = await ask(wire.make('no address'))
  expect(error).toMatchObject({ name: 'ModelError' })
  expect(String(error)).toMatch(/base URL|Invalid URL|could not be reached/)
})

test.each(wires.filter(({ name }) => !name.startsWith('ai-sdk')))(
  'PRV-05 reads only the start of an endless page from $name',
  async (wire) => {
    let isOpen = true
    const endless = async () => {
      const body = new ReadableStream<Uint8Array>({
        pull: (controller) => controller.enqueue(Buffer.alloc(50_000, 'x')),
        cancel: () => {
          isOpen = false
        },
      })
      return new Response(body, { status: 500, headers: { 'content-type': 'text/html' } })
    }
    const { error } = await ask(wire.make('http://127.0.0.1:9', { fetch: endless }))
    expect(error).toMatchObject({ kind: 'network', status: 500 })
    expect(String(error).length).toBeLessThan(500)
    expect(isOpen).toBe(false)
  },
)
