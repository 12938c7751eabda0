import { existsSync } from 'node:fs'
import { request } from 'node:http'
import { chromium } from 'playwright-core'
import { createBrowserReceiver } from '@statelyai/inspect'
import { describe, expect, test, vi } from 'vitest'
import { loopbackServer } from '../../../proof/support/loopback-server.ts'
import { socketReceiver } from '../../../proof/support/socket-receiver.ts'
import { createAgent } from '../../../src/index.ts'
import { type InspectorMessage, inspectorRelay, statelyInspector } from '../../../src/adapters/inspect/index.ts'
import { QueueSender } from '../../../src/adapters/inspect/queue-sender.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { clerk } from './clerk.ts'

const executablePath = '/usr/bin/chromium'

/** A request with headers that `fetch` would not send. */
async function ask(url: string, options: { method?: string; headers?: Record<string, string>; body?: string }) {
  return await new Promise<number>((resolve, reject) => {
    const { body, ...rest } = options
    const sent = request(url, rest, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

const actor = (sessionId: string, more: object = {}) =>
  JSON.stringify({
    type: '@xstate.actor',
    name: 'x',
    sessionId,
    rootId: sessionId,
    snapshot: { status: 'active' },
    ...more,
  })

/** The header that the address of a relay asks for. */
function tokenOf(url: string): { readonly authorization: string } {
  return { authorization: `Bearer ${new URL(url).hash.replace('#token=', '')}` }
}

/** The answer of a relay to a request with its token. */
function get(url: string, path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(new URL(path, url), { ...init, headers: tokenOf(url) })
}

/** The first data that a page receives, up to a text. */
async function told(url: string, until: string): Promise<string> {
  const { body } = await get(url, '/messages')
  let text = ''
  for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece
    if (text.includes(until)) return text
  }
  return text
}

test('OBS-02 the relay sends a late page the state of every actor, and draws its chart', async () => {
  await using relay = await inspectorRelay()
  const inspector = statelyInspector({ url: relay.url })
  const agent = clerk({ store: memoryStore(), inspect: inspector, look: async () => 'seen' })
  const { runId } = await agent.run('Go')
  await inspector.close()
  expect(inspector.counts.dropped).toBe(0)
  const text = await told(relay.url, '"waiting"')
  expect(text).toContain(`"sessionId":"${runId}/1.send"`)
  const chart = await get(relay.url, '/chart?name=toolCall')
  expect([chart.headers.get('content-type'), await chart.text()]).toEqual([
    'image/svg+xml; charset=utf-8',
    expect.stringContaining('id="state-suspended.resting"'),
  ])
  expect((await get(relay.url, '/chart?name=nothing')).status).toBe(404)
})

test('OBS-02 the relay ignores invalid messages, and keeps no more than it can show', async () => {
  await using relay = await inspectorRelay()
  const post = (body: string) => ask(relay.url, { method: 'POST', headers: tokenOf(relay.url), body })
  expect(await post(['{', '[]', '{"type":"x","sessionId":"a"}', '{"type":"@xstate.actor"}', ''].join('\n'))).toBe(204)
  expect(await post('x'.repeat(8_000_001)).catch(() => 413)).toBe(413)
  const evil = JSON.stringify({ id: 'x', initial: '<img onerror=1>', states: { '<img onerror=1>': {} } })
  const odd = [
    evil,
    '{"states":7}',
    '{"__proto__":{}}',
    'nothing',
    JSON.stringify({ states: Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`s${index}`, {}])) }),
  ]
  for (const [index, definition] of odd.entries())
    expect(await post(actor(`d${index}`, { name: `d${index}`, definition }))).toBe(204)
  expect(await (await get(relay.url, '/chart?name=d0')).text()).not.toContain('<img')
  expect(
    await Promise.all([2, 3, 4].map(async (index) => (await get(relay.url, `/chart?name=d${index}`)).status)),
  ).toEqual([404, 404, 404])
  await post(Array.from({ length: 3_000 }, (_, index) => actor(`a${index}`)).join('\n'))
  const text = await told(relay.url, '"a2999"')
  expect(text.match(/^data: \{"type/gm)?.length).toBeLessThanOrEqual(1_500)
})

test('OBS-02 a WebSocket receives what the official inspector sends, and the official receiver accepts it', async () => {
  await using receiver = await socketReceiver()
  const inspector = statelyInspector({ url: receiver.url })
  const agent = createAgent({ name: 'guide', model: scripted(['Hi.']), inspect: inspector })
  const { runId } = await agent.run('Hi')
  await inspector.close()
  await expect.poll(() => receiver.texts.length).toBe(inspector.counts.sent)
  const page = new EventTarget()
  const taken: { readonly rootId: string | undefined }[] = []
  createBrowserReceiver({ window: Object.assign(page, { opener: { postMessage() {} } }) as never }).subscribe((event) =>
    taken.push(event),
  )
  for (const text of receiver.texts) page.dispatchEvent(Object.assign(new Event('message'), { data: JSON.parse(text) }))
  expect(taken.length).toBe(inspector.counts.sent)
  expect(taken.at(-1)?.rootId).toBe(runId)
})

describe('OBS-02 receivers', () => {
  const message = {
    type: '@xstate.event',
    sessionId: 'a',
    rootId: 'a',
    createdAt: '0',
    id: '1',
    _version: '1',
    event: { type: 'x' },
  } as const

  test('OBS-02 sends a slow receiver what fits, and drops the rest', async () => {
    const delivery = Promise.withResolvers<void>()
    const sender = new QueueSender({ deliver: () => delivery.promise, close() {} }, () => 0)
    const taken = Array.from({ length: 5_000 }, () => sender.send(message))
    expect(taken.filter(Boolean).length).toBe(2_000)
    delivery.resolve()
    await sender.close()
    expect(sender.lost).toBe(0)
  })

  test('OBS-02 leaves a failed receiver alone for growing intervals, and then sends everything again', async () => {
    let now = 1_000
    let isThere = false
    const deliver = async () => {
      if (!isThere) throw new Error('Gone.')
    }
    const sender = new QueueSender({ deliver, close() {} }, () => now)
    const fail = async () => {
      sender.send(message)
      await expect.poll(() => sender.ready()).toBe('no')
    }
    await fail()
    now += 500
    expect([sender.ready(), sender.ready()]).toEqual(['again', 'yes'])
    await fail()
    now += 500
    expect(sender.ready()).toBe('no')
    now += 500
    isThere = true
    expect(sender.ready()).toBe('again')
    sender.send(message)
    await sender.close()
    expect([sender.ready(), sender.lost]).toEqual(['yes', 2])
  })

  test('OBS-02 sends a receiver that returns every existing actor, with the definitions', async () => {
    const texts: string[] = []
    let failing = true
    const receiver = await loopbackServer((response, { body }) => {
      if (!failing) texts.push(...body.split('\n'))
      response.writeHead(failing ? 500 : 204).end()
    })
    const inspector = statelyInspector({ url: receiver.origin })
    const agent = clerk({ store: memoryStore(), inspect: inspector, look: async () => 'seen' })
    const { runId } = await agent.run('Go')
    await expect.poll(() => inspector.counts.dropped).toBeGreaterThan(0)
    failing = false
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000)
    await (await agent.load(runId)).approve()
    await agent.resume(runId)
    await inspector.close()
    await receiver[Symbol.asyncDispose]()
    const messages = texts.map((text) => JSON.parse(text) as InspectorMessage)
    const known = messages.flatMap((one) =>
      one.type === '@xstate.actor' ? [[one.sessionId, one.definition !== undefined]] : [],
    )
    expect(known.slice(0, 2)).toEqual([
      [runId, true],
      [`${runId}/1.send`, true],
    ])
  })
})

test.skipIf(!existsSync(executablePath))(
  "OBS-02 the relay's page highlights the states of the chosen actor as they change",
  async () => {
    await using relay = await inspectorRelay()
    const inspector = statelyInspector({ url: relay.url })
    const agent = clerk({
      store: memoryStore(),
      inspect: inspector,
      look: async () => '<img src=x onerror="document.title=1">',
    })
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
    try {
      const page = await browser.newPage()
      const complaints: string[] = []
      page.on('console', (line) => line.type() === 'error' && complaints.push(line.text()))
      page.on('pageerror', (error) => complaints.push(String(error)))
      await page.goto(new URL(relay.url).origin)
      await page.waitForSelector('#empty:has-text("ends in the token")')
      await page.goto(relay.url)
      await page.waitForSelector('#empty:has-text("No actors yet")')
      expect(page.url()).toBe(`${new URL(relay.url).origin}/`)
      const { runId } = await agent.run('Go')
      await page.waitForSelector('.lit > [id="state-waiting"]')
      await page.getByRole('button', { name: '1.send' }).click()
      await page.waitForSelector('.lit > [id="state-suspended.resting"]')
      await (await agent.load(runId)).approve()
      await agent.resume(runId)
      await page.waitForSelector('.lit > [id="state-succeeded.settled"]')
      expect(await page.title()).toBe('Inspector')
      expect(complaints.filter((line) => !/favicon|status of 401/.test(line))).toEqual([])
    } finally {
      await browser.close()
      await inspector.close()
    }
  },
  60_000,
)

test('OBS-02 a receiver that accepts nothing neither fills memory nor delays close', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  let isClosed = false
  const wire = { deliver: () => new Promise<void>(() => undefined), close: () => void (isClosed = true) }
  const sender = new QueueSender(wire, () => 0)
  const message = { ...(JSON.parse(actor('a')) as object), name: 'x'.repeat(1_000_000) } as unknown as InspectorMessage
  sender.send(message)
  await Promise.resolve()
  const taken = Array.from({ length: 20 }, () => sender.send(message))
  expect(taken.filter(Boolean)).toHaveLength(3)
  const closing = sender.close()
  await vi.advanceTimersByTimeAsync(3_000)
  await closing
  expect([sender.lost, isClosed]).toEqual([3, true])
  vi.useRealTimers()
})

test('OBS-02 sends messages only to the receiver, even if it redirects them', async () => {
  await using elsewhere = await loopbackServer()
  await using receiver = await loopbackServer((response) =>
    response.writeHead(307, { location: `${elsewhere.origin}/` }).end(),
  )
  const inspector = statelyInspector({ url: receiver.origin })
  await createAgent({ name: 'a', model: scripted(['Hi']), inspect: inspector }).run('Go')
  await inspector.close()
  expect(receiver.seen.length).toBeGreaterThan(0)
  expect(elsewhere.seen).toEqual([])
  expect(inspector.counts.sent).toBe(0)
})

test('OBS-02 shows an actor that was created just before close', async () => {
  const messages: InspectorMessage[] = []
  const inspector = statelyInspector({ send: (message) => messages.push(message) })
  inspector.next({ type: '@xstate.actor', actorRef: { sessionId: 'x:0', id: 'mine' } } as never)
  await inspector.close()
  expect(messages).toMatchObject([{ type: '@xstate.actor', sessionId: 'x:0' }])
})

test('OBS-02 a relay serves at most 50 pages at once, and another one after pages leave', async () => {
  await using relay = await inspectorRelay()
  const leaving = new AbortController()
  const open = (signal?: AbortSignal) => get(relay.url, '/messages', signal === undefined ? {} : { signal })
  const pages = await Promise.all(Array.from({ length: 50 }, () => open(leaving.signal)))
  expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([200]))
  expect((await open()).status).toBe(503)
  leaving.abort()
  const another = async () => {
    const page = await open()
    await page.body?.cancel()
    return page.status
  }
  await expect.poll(another).toBe(200)
})
