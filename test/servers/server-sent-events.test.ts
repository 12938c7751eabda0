import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import { expect, test, vi } from 'vitest'
import { heldReply, quiet, runId, testAgent, type TestAgentOptions } from '../../proof/support/test-agent.ts'
import type { Run } from '../../src/index.ts'
import type { StoredEvent } from '../../src/ports.ts'
import { sseBody } from '../../src/servers/http/sse-body.ts'
import { toResponse } from '../../src/servers/http/server-sent-events.ts'

const stored = (options: TestAgentOptions = {}) => testAgent({ replies: ['Hello\n\nyou.'], ...options })

async function finished(): Promise<Run> {
  const run = stored().agent.start('Go', { runId })
  await run.settled()
  return run
}

async function eventsOf(run: Run): Promise<readonly StoredEvent[]> {
  const events: StoredEvent[] = []
  for await (const event of run.events({ deltas: false })) events.push(event)
  return events
}

/** A page's reading of a response: the fields of each event. */
function parsed(text: string): readonly unknown[] {
  const blocks = text.split('\n\n').filter((block) => block !== '')
  return blocks.map((block) => {
    const [, id, type, data = ''] = /^id: (\d+)\nevent: (.+)\ndata: (.+)$/.exec(block) ?? []
    return { id, type, data: JSON.parse(data) as unknown }
  })
}

const asPage = (events: readonly StoredEvent[]) =>
  events.map((event) => ({
    id: String(event.seq),
    type: event.type,
    data: JSON.parse(JSON.stringify(event)) as unknown,
  }))

test('EVT-04 toResponse sends the stored events as Server-Sent Events and ends if the run rests', async () => {
  const run = await finished()
  const response = await toResponse(run, { headers: { 'x-own': 'yes' } })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
  expect([response.headers.get('x-own'), response.headers.get('cache-control')]).toEqual(['yes', 'no-store'])
  expect(parsed(await response.text())).toEqual(asPage(await eventsOf(run)))
})

test('EVT-04 toResponse begins after a number, and after the id that a reconnecting page sends', async () => {
  const run = await finished()
  const events = await eventsOf(run)
  const [, second, , fourth] = events.map(({ seq }) => seq)
  expect(parsed(await (await toResponse(run, { after: second ?? 0 })).text())).toEqual(asPage(events.slice(2)))
  const request = new Request('http://localhost/', { headers: { 'last-event-id': `${fourth}` } })
  expect(parsed(await (await toResponse(run, { after: 1, request })).text())).toEqual(asPage(events.slice(4)))
})

test('EVT-04 toResponse tells a page that has all of a finished run to stop asking', async () => {
  const run = await finished()
  const response = await toResponse(run, { after: (await eventsOf(run)).at(-1)?.seq ?? 0 })
  expect([response.status, response.body]).toEqual([204, null])
})

test.for([
  [{ after: -1 }, 'bad_event_number'],
  [{ after: 99 }, 'bad_event_number'],
  [{ request: new Request('http://localhost/', { headers: { 'last-event-id': 'four' } }) }, 'bad_event_number'],
  [{ request: new Request('http://localhost/', { headers: { 'last-event-id': '-4' } }) }, 'bad_event_number'],
  [{ keepAliveMs: 0 }, 'bad_option'],
  [{ keepAliveMs: Number.POSITIVE_INFINITY }, 'bad_option'],
  [{ request: 'GET /' }, 'bad_option'],
  [{ from: 3 }, 'bad_option'],
] as const)('EVT-04 toResponse refuses %j before there is a response', async ([options, code]) => {
  await expect(toResponse(await finished(), options as never)).rejects.toMatchObject({ name: 'UsageError', code })
})

test('EVT-04 a cancelled body or aborted request does not stop the run', async () => {
  for (const how of ['cancel', 'abort'] as const) {
    const held = heldReply()
    const { agent, clock } = stored({ replies: [held.reply] })
    const run = agent.start('Go', { runId })
    await held.asked
    const controller = new AbortController()
    const request = new Request('http://localhost/', { signal: controller.signal })
    const reader = ((await toResponse(run, { request })).body as ReadableStream<Uint8Array>).getReader()
    for (let count = 0; count < 3; count++) await reader.read()
    const next = reader.read()
    await clock.sleeping()
    if (how === 'cancel') await reader.cancel()
    else controller.abort()
    expect((await next).done).toBe(true)
    held.give('Done.')
    expect(await run.settled()).toMatchObject({ text: 'Done.' })
  }
})

test('EVT-04 comments keep a quiet connection open, with at most one waiting to be read', async () => {
  const held = heldReply()
  const { agent } = stored({ replies: [held.reply] })
  const run = agent.start('Go', { runId })
  await held.asked
  const reader = ((await toResponse(run, { after: 3, keepAliveMs: 1 })).body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  const read = async () => decoder.decode((await reader.read()).value)
  for (let count = 0; count < 3; count++) expect(await read()).toBe(': keep-alive\n\n')
  held.give('Done.')
  await run.settled()
  let text = ''
  for (let piece = await read(); piece !== ''; piece = await read()) text += piece
  const comments = text.split(': keep-alive\n\n').length - 1
  expect(comments).toBeLessThan(5)
  expect(text).toContain('event: run.ended')
})

test('EVT-04 toResponse serves a page over a real connection that breaks and continues', async () => {
  const held = heldReply()
  const { agent } = stored({ replies: [held.reply] })
  const run = agent.start('Go', { runId })
  await held.asked
  const serve = async ({ headers }: IncomingMessage, response: ServerResponse) => {
    const last = headers['last-event-id']
    const request = new Request('http://localhost/', {
      headers: typeof last === 'string' ? { 'last-event-id': last } : {},
    })
    const { status, headers: given, body } = await toResponse(run, { request })
    response.writeHead(status, Object.fromEntries(given))
    if (body === null) return response.end()
    await pipeline(Readable.fromWeb(body as NodeReadableStream), response).catch(() => undefined)
  }
  const server = createServer((request, response) => void serve(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const broken = new AbortController()
    const first = (await fetch(url, { signal: broken.signal })).body?.getReader()
    const decoder = new TextDecoder()
    let text = ''
    while (!text.includes('id: 3\n')) text += decoder.decode((await first?.read())?.value)
    broken.abort()
    const rest = fetch(url, { headers: { 'last-event-id': '3' } })
    held.give('Done.')
    text += await (await rest).text()
    expect(parsed(text)).toEqual(asPage(await eventsOf(run)))
    const last = String((await eventsOf(run)).at(-1)?.seq)
    expect((await fetch(url, { headers: { 'last-event-id': last } })).status).toBe(204)
  } finally {
    server.close()
    server.closeAllConnections()
  }
})

test('EVT-04 closing a body ends its source, and there are no signs of life before the last is read', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const left: unknown[] = []
  const source = {
    next: () => new Promise<undefined>(() => undefined),
    end: async (how: object) => void left.push(how),
  }
  const reader = sseBody(source, 1_000).getReader()
  vi.advanceTimersByTime(100_000)
  const decoded = async () => new TextDecoder().decode((await reader.read()).value)
  expect(await decoded()).toBe(': keep-alive\n\n')
  let more = ''
  const reading = decoded().then((text) => (more = text))
  await quiet()
  expect(more).toBe('')
  vi.advanceTimersByTime(1_000)
  await reading
  expect(more).toBe(': keep-alive\n\n')
  await reader.cancel()
  expect(left).toEqual([{ isClosed: true }])
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})
