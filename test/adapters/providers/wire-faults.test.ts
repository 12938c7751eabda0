import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ask, requestOf } from './ask.ts'
import {
  faultServer,
  type Frame,
  page,
  type Reply,
  silent,
  stream,
  type StreamEnding,
} from '../../../proof/wires/fault-server.ts'
import { now, type Wire } from '../../../proof/wires/wire.ts'
import { wires } from '../../../proof/wires/wires.ts'

const methods = ['debug', 'info', 'log', 'warn', 'error'] as const

beforeEach(() => {
  vi.stubEnv('ANTHROPIC_LOG', 'debug')
  vi.stubEnv('OPENAI_LOG', 'debug')
  for (const method of methods) vi.spyOn(console, method).mockReturnValue()
})

afterEach(() => {
  const written = methods.flatMap((method) => vi.mocked(console[method]).mock.calls)
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
  if (written.length > 0) throw new Error(`Written to the console: ${JSON.stringify(written)}`)
})

describe.each(wires)('$name', (wire) => {
  const answer = [...wire.opening, ...wire.closing]

  test('PRV-01 streams deltas and one final message', async () => {
    await using server = await faultServer(streamed(wire, answer))
    const { events, message } = await ask(wire.make(server.url))
    expect(events.map((event) => (event.type === 'text' ? event.delta : event.type))).toEqual(['Hel', 'lo', 'finished'])
    expect(message).toMatchObject({ content: [{ type: 'text', text: 'Hello' }], stopReason: 'stop', timestamp: now })
  })

  test('PRV-01 treats a clean end in the middle as a broken connection', async () => {
    await using server = await faultServer(streamed(wire, wire.opening))
    const { events, error } = await ask(wire.make(server.url))
    expect(events).toEqual([{ type: 'text', delta: 'Hel' }])
    expect(error).toMatchObject({ name: 'ModelError', kind: 'network' })
    expect(String(error)).toContain(wire.cutMessage ?? `ended before ${wire.terminal}`)
  })

  test('PRV-01 treats an empty stream as a broken connection', async () => {
    await using server = await faultServer(streamed(wire, []))
    expect((await ask(wire.make(server.url))).error).toMatchObject({ name: 'ModelError', kind: 'network' })
  })

  test('PRV-05 reports a connection cut in the middle as network', async () => {
    await using server = await faultServer(streamed(wire, wire.opening, 'cut'))
    const { events, error } = await ask(wire.make(server.url))
    expect(events).toEqual([{ type: 'text', delta: 'Hel' }])
    expect(error).toMatchObject({ name: 'ModelError', kind: 'network', status: undefined })
  })

  test('PRV-05 reports a reset as network', async () => {
    await using server = await faultServer(streamed(wire, wire.opening, 'reset'))
    const { error, message } = await ask(wire.make(server.url))
    expect(message).toBeUndefined()
    expect(error).toMatchObject({ name: 'ModelError', kind: 'network', status: undefined })
  })

  test('PRV-05 reports an unreachable server as network', async () => {
    const server = await faultServer(silent)
    await server[Symbol.asyncDispose]()
    const { error } = await ask(wire.make(server.url))
    expect(error).toMatchObject({ name: 'ModelError', kind: 'network' })
    expect(String(error)).toContain('ECONNREFUSED')
  })

  test('PRV-05 does not retry by itself', async () => {
    let asked = 0
    const fetch = async () => {
      asked++
      throw new TypeError('fetch failed')
    }
    const { error } = await ask(wire.make('http://127.0.0.1:9', { fetch }))
    expect(error).toMatchObject({ name: 'ModelError', kind: 'network' })
    expect(asked).toBe(1)
  })

  test("PRV-05 reports a gateway's page by its status", async () => {
    const html = '<html>\n  <h1>502 Bad Gateway</h1></html>'
    await using server = await faultServer(page(502, html, { 'content-type': 'text/html' }))
    const { error } = await ask(wire.make(server.url))
    expect(error).toMatchObject({ name: 'ModelError', kind: 'network', status: 502 })
    expect(String(error)).toContain('answered HTTP 502: <html> <h1>502 Bad Gateway</h1></html>')
  })

  test.each([
    ['retry-after', '7', 7_000],
    ['retry-after', '1.5', 1_500],
    ['retry-after', 'Sun, 22 Nov 2026 00:00:09 GMT', 9_000],
    ['retry-after', 'Sat, 21 Nov 2026 00:00:00 GMT', 0],
    ['retry-after-ms', '250', 250],
    ['retry-after', 'soon', undefined],
    ['retry-after', '31536000', 3_600_000],
    ['retry-after', 'Mon, 22 Nov 2027 00:00:00 GMT', 3_600_000],
    ['retry-after-ms', '9'.repeat(400), 3_600_000],
  ])('PRV-05 reads %s: %s', async (header, value, retryAfterMs) => {
    await using server = await faultServer(page(429, '{"error":{"message":"slow down"}}', { [header]: value }))
    const { error } = await ask(wire.make(server.url))
    expect(error).toMatchObject({ name: 'ModelError', kind: 'rate_limit', status: 429, retryAfterMs })
    expect(server.requests).toHaveLength(1)
  })

  test.each([
    [400, '{"error":{"message":"prompt is too long: 210000 tokens > 200000 maximum"}}', 'overflow'],
    [400, '{"error":{"message":"temperature must be between 0 and 1"}}', 'api'],
    [400, '{"detail":"unknown field"}', 'api'],
    [400, '', 'overflow'],
    [401, '{"error":{"message":"invalid x-api-key"}}', 'auth'],
    [403, '{"error":{"message":"not allowed"}}', 'auth'],
    [404, '{"error":{"message":"no such model"}}', 'api'],
    [408, '', 'network'],
    [413, '', 'overflow'],
    [413, '{"error":{"message":"request too large"}}', 'api'],
    [500, '{"error":{"message":"oops"}}', 'network'],
    [529, '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', 'network'],
  ])('PRV-05 PRV-06 classifies HTTP %i %s as %s', async (status, body, kind) => {
    await using server = await faultServer(page(status, body, { 'content-type': 'application/json' }))
    expect((await ask(wire.make(server.url))).error).toMatchObject({ name: 'ModelError', kind, status })
    expect(server.requests).toHaveLength(1)
  })

  test('PRV-05 names the key to check', async () => {
    await using server = await faultServer(page(401, '{"error":{"message":"invalid key"}}'))
    const { error } = await ask(wire.make(server.url))
    expect(String(error)).toContain(
      `invalid key Check ${wire.keySource ?? `${wire.keyVariable} or the option apiKey`}.`,
    )
  })

  test.each([
    ['overloaded', 'Overloaded', 'network'],
    ['rateLimit', 'slow down', 'rate_limit'],
    ['auth', 'key expired', 'auth'],
    ['overflow', 'prompt is too long', 'overflow'],
    ['internal', 'internal', 'network'],
    ['unknown', 'what', 'api'],
  ] as const)('PRV-05 PRV-06 classifies the error event %s', async (name, message, kind) => {
    await using server = await faultServer(streamed(wire, [...wire.opening, wire.error(name, message)]))
    const { events, error } = await ask(wire.make(server.url))
    expect(events).toEqual([{ type: 'text', delta: 'Hel' }])
    expect(error).toMatchObject({ name: 'ModelError', kind, status: undefined })
    expect(String(error)).toContain(message)
  })

  test.each(['{"type": "content_blo', wire.misshapen])('PRV-05 reports the chunk %s as network', async (data) => {
    await using server = await faultServer(streamed(wire, [...wire.opening, wire.raw(data), ...wire.closing]))
    const { message, error } = await ask(wire.make(server.url))
    expect(message).toBeUndefined()
    expect(error).toMatchObject({ name: 'ModelError', kind: 'network' })
    expect(String(error)).toContain('sent a chunk that cannot be read')
  })

  test('PRV-05 ends a stream that falls silent, and one that never begins', async () => {
    for (const reply of [streamed(wire, wire.opening, 'hold'), silent]) {
      await using server = await faultServer(reply)
      const { error } = await ask(wire.make(server.url, { idleTimeoutMs: 50 }))
      expect(error).toMatchObject({ name: 'ModelError', kind: 'network' })
      expect(String(error)).toContain('sent nothing for 50 ms')
      // On a busy machine the time may be over before the request has come.
      if (server.requests.length > 0) await server.dropped
    }
  })

  test('PRV-01 closes the connection when cancelled in the middle', async () => {
    await using server = await faultServer(streamed(wire, wire.opening, 'hold'))
    const stop = new AbortController()
    const { events, error } = await ask(wire.make(server.url), requestOf({ signal: stop.signal }), () => stop.abort())
    expect(events).toEqual([{ type: 'text', delta: 'Hel' }])
    expect(error).toMatchObject({ name: 'ModelError', kind: 'cancelled' })
    await server.dropped
  })

  test('PRV-01 can be cancelled even after the whole answer has arrived', async () => {
    await using server = await faultServer(streamed(wire, answer))
    const stop = new AbortController()
    const { message, error } = await ask(wire.make(server.url), requestOf({ signal: stop.signal }), () => stop.abort())
    expect(message).toBeUndefined()
    expect(error).toMatchObject({ name: 'ModelError', kind: 'cancelled' })
  })

  test('PRV-01 sends no request once it is cancelled', async () => {
    await using server = await faultServer(streamed(wire, answer))
    const { error } = await ask(wire.make(server.url), requestOf({ signal: AbortSignal.abort() }))
    expect(error).toMatchObject({ name: 'ModelError', kind: 'cancelled' })
    expect(server.requests).toHaveLength(0)
  })

  test('PRV-01 closes the connection when its reader leaves', async () => {
    await using server = await faultServer(streamed(wire, wire.opening, 'hold'))
    for await (const event of wire.make(server.url).stream(requestOf())) {
      expect(event).toEqual({ type: 'text', delta: 'Hel' })
      break
    }
    await server.dropped
  })

  test('PRV-02 reads the key from the environment for each call', async () => {
    await using server = await faultServer(streamed(wire, answer))
    const { message } = await ask(wire.make(server.url))
    expect(message).toBeDefined()
    expect(JSON.stringify(server.requests[0]?.headers)).toContain('key')
  })
})

test.each(unless('page with status 200'))('PRV-05 $name refuses a page with status 200', async (wire) => {
  await using server = await faultServer(page(200, '<html>Sign in</html>', { 'content-type': 'text/html' }))
  const { error } = await ask(wire.make(server.url))
  expect(error).toMatchObject({ name: 'ModelError', kind: 'api', status: 200 })
  expect(String(error)).toContain('expected an event stream')
  expect(String(error)).toContain('Sign in')
})

test.each(unless('error with status 200'))('PRV-05 $name classifies a JSON error with status 200', async (wire) => {
  const body = JSON.stringify({ error: { type: 'rate_limit_error', message: 'slow down' } })
  await using server = await faultServer(page(200, body, { 'content-type': 'application/json' }))
  const { error } = await ask(wire.make(server.url))
  expect(error).toMatchObject({ name: 'ModelError', kind: 'rate_limit' })
  expect(String(error)).toContain('slow down')
})

test.each(unless('missing key'))(
  'PRV-02 $name names the missing key, at call time and without a request',
  async (wire) => {
    const answer = [...wire.opening, ...wire.closing]
    vi.stubEnv(wire.keyVariable, '')
    await using server = await faultServer(streamed(wire, answer))
    const { error } = await ask(wire.make(server.url, { apiKey: '' }))
    expect(error).toMatchObject({ name: 'ModelError', kind: 'auth' })
    expect(String(error)).toContain(`Set ${wire.keyVariable} or pass the option apiKey.`)
    expect(server.requests).toHaveLength(0)
  },
)

test.each(unless('cut after the end'))(
  'PRV-01 $name keeps an answer whose connection breaks after its terminal event',
  async (wire) => {
    const answer = [...wire.opening, ...wire.closing]
    await using server = await faultServer(streamed(wire, answer, 'cut'))
    expect((await ask(wire.make(server.url))).message).toMatchObject({ content: [{ text: 'Hello' }] })
  },
)

test.each(unless('kept open after the end'))(
  'PRV-01 $name does not wait for a server that keeps the connection open after its terminal event',
  async (wire) => {
    const answer = [...wire.opening, ...wire.closing]
    const frames = answer.filter((frame) => typeof frame !== 'string' || !frame.includes('[DONE]'))
    await using server = await faultServer(streamed(wire, frames, 'hold'))
    const { message } = await ask(wire.make(server.url, { idleTimeoutMs: 300 }))
    expect(message).toMatchObject({ content: [{ text: 'Hello' }] })
  },
)

/** The wires that can be asked this; the others say why not. */
function unless(cell: string): readonly Wire[] {
  return wires.filter(({ excused }) => excused?.[cell] === undefined)
}

function streamed({ mediaType }: Wire, frames: readonly Frame[], ending?: StreamEnding): Reply {
  return stream(frames, ending, mediaType)
}
