import { rolldown } from 'rolldown'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { forBrowsers } from '../../../proof/support/bundle-page.ts'
import { heldReply, quiet, runId, testAgent } from '../../../proof/support/test-agent.ts'
import {
  type AgentEvent,
  follow,
  foldEvents,
  type RequestError,
  type Run,
  type Store,
  tool,
} from '../../../src/index.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { createHandlers } from '../../../src/servers/http/server.ts'
import { toResponse } from '../../../src/servers/http/server-sent-events.ts'

const act = tool({
  name: 'act',
  description: '-',
  effects: 'none',
  input: z.object({ n: z.number() }),
  execute: ({ n }) => `did ${n}`,
})
const acting = (...ns: readonly number[]) => ({ toolCalls: ns.map((n) => ({ name: 'act', arguments: { n } })) })
const replies = [acting(1, 2), acting(3), 'Done.']
const url = 'http://localhost/runs/run-1'

async function taken(events: AsyncIterable<AgentEvent>): Promise<readonly AgentEvent[]> {
  const all: AgentEvent[] = []
  for await (const event of events) all.push(event)
  return all
}

const numbered = (events: readonly AgentEvent[]) => events.filter(({ seq }) => seq !== undefined)

test('EVT-04 the events up to any number and the rest add up to the whole, for a run, a store, a URL and Last-Event-ID', async () => {
  const { agent, store } = testAgent({ tools: [act], replies })
  const run = agent.start('Go', { runId })
  await run.settled()
  const { fetch } = createHandlers(agent, { authorize: () => true })
  const served = {
    url,
    fetch: async (asked: string | URL | Request, init?: RequestInit) => fetch(new Request(asked, init)),
  }
  const bySent = async (after: number) => {
    const request = new Request(url, { headers: { 'last-event-id': `${after}` } })
    const text = await (await toResponse(run, { request })).text()
    return [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data) as AgentEvent)
  }
  const ways = {
    run: (after: number) => taken(follow(run, { after })),
    store: (after: number) => taken(follow({ store, runId }, { after })),
    url: (after: number) => taken(follow(served, { after })),
    sent: bySent,
  }
  const whole = await taken(run.events())
  expect(whole).toEqual(numbered(whole))
  expect(foldEvents(whole)).toMatchObject({ status: 'done', text: 'Done.' })
  const last = whole.at(-1)?.seq ?? 0
  expect(last).toBeGreaterThan(whole.length)
  for (const [way, read] of Object.entries(ways))
    for (let after = 0; after <= last; after++)
      expect([way, after, await read(after)]).toEqual([way, after, whole.filter(({ seq = 0 }) => seq > after)])
})

test('EVT-04 two readers of a driven run receive its events, each stored event once', async () => {
  const { agent } = testAgent({ tools: [act], replies })
  const run = agent.start('Go', { runId })
  const [emitted, first, second] = await Promise.all([taken(run), taken(run.events()), taken(follow(run))])
  expect(first).toEqual(emitted)
  expect(second).toEqual(emitted)
  expect(numbered(emitted)).toEqual(await taken(run.events({ deltas: false })))
})

test('EVT-04 a reader starts in the middle of a run and continues after a wait from its last number', async () => {
  const pay = tool({ name: 'pay', description: '-', needs: 'approval', input: z.object({}), execute: () => 'Paid.' })
  const { agent } = testAgent({ tools: [pay], replies: [{ toolCalls: [{ name: 'pay', arguments: {} }] }, 'Done.'] })
  const run = agent.start('Go', { runId })
  await run.settled()
  const before = await taken(run.events())
  expect(before.at(-1)?.type).toBe('run.waiting')
  await run.approve()
  const after = before.at(-1)?.seq ?? 0
  const [rest] = await Promise.all([taken(run.events({ after })), run.settled()])
  expect([...before, ...numbered(rest)]).toEqual(await taken(run.events()))
})

test('EVT-04 a reader that is slower than the run misses no stored event', async () => {
  const calls = Array.from({ length: 100 }, () => ({ name: 'no', arguments: {} }))
  const many = Array.from({ length: 61 }, (_, turn) => (turn < 60 ? { toolCalls: calls } : 'End.'))
  const { agent } = testAgent({ replies: many, limits: { onRepeat: 'note', maxCallsPerTurn: 100 } })
  const run = agent.start('Go', { runId })
  const over = new Promise<void>((resolve) => agent.on(({ type }) => type === 'run.ended' && resolve()))
  const events = run[Symbol.asyncIterator]()
  const first = await events.next()
  await over
  const rest = await taken({ [Symbol.asyncIterator]: () => events })
  const stored = await taken(run.events())
  expect(stored.length).toBeGreaterThan(10_000)
  expect(numbered([first.value, ...rest]).map(({ seq }) => seq)).toEqual(stored.map(({ seq }) => seq))
})

test('EVT-04 a reader of a run in a store does not drive it, and reads the events that the driver stores', async () => {
  const held = heldReply()
  const { agent, store, clock } = testAgent({ replies: [held.reply] })
  const run = agent.start('Go', { runId })
  await held.asked
  const reading = taken(follow({ store, runId, clock }, { deltas: false }))
  await clock.sleeping()
  held.give('Done.')
  await run.settled()
  clock.advance(250)
  expect(await reading).toEqual(await taken(run.events()))
})

test.each(['return', 'abort'] as const)(
  'EVT-04 a reader that leaves early by %s sends the store no further request',
  async (how) => {
    const inner = memoryStore()
    let asked = 0
    const counting = new Proxy(inner, {
      get: (target, name: keyof Store) => {
        asked++
        return target[name]
      },
    })
    const held = heldReply()
    const { agent } = testAgent({ store: inner, replies: [held.reply] })
    const run = agent.start('Go', { runId })
    await held.asked
    const other = testAgent({ store: counting, process: 'p2' })
    const leaving = new AbortController()
    const events = (await other.agent.load(runId)).events({ signal: leaving.signal })
    for await (const { type } of { [Symbol.asyncIterator]: () => ({ next: () => events.next() }) })
      if (type === 'turn.started') break
    const next = events.next()
    await other.clock.sleeping()
    if (how === 'abort') leaving.abort()
    else await events.return()
    expect(await next).toEqual({ done: true, value: undefined })
    for await (const _ of follow({ store: counting, runId, clock: other.clock })) break
    await quiet()
    asked = 0
    for (let look = 0; look < 10; look++) {
      other.clock.advance(250)
      await quiet()
    }
    expect(asked).toBe(0)
    expect(await events.next()).toEqual({ done: true, value: undefined })
    held.give('Done.')
    await run.settled()
  },
)

/** A server whose connections break after some events. */
function breaking(run: Run, mostEvents: number) {
  const asked: string[] = []
  const serve = async (given: string | URL | Request, init?: RequestInit) => {
    const request = new Request(given, init)
    const { search, searchParams } = new URL(request.url)
    asked.push(search)
    const after = Number(searchParams.get('after'))
    const response = await toResponse(run, { after, deltas: true, request })
    let left = asked.length === 1 ? mostEvents : Infinity
    const cut = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        if (left-- > 0) controller.enqueue(chunk)
        else controller.error(new Error('reset'))
      },
    })
    return new Response(response.body?.pipeThrough(cut), response)
  }
  return { asked, serve }
}

test('EVT-04 reconnects after a lost connection, after the last event', async () => {
  const { agent } = testAgent({ tools: [act], replies })
  const run = agent.start('Go', { runId })
  await run.settled()
  const { asked, serve } = breaking(run, 4)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  const lost: RequestError[] = []
  const reading = taken(follow({ url, fetch: serve, lost: (error) => void lost.push(error) }))
  while (lost.length === 0) await quiet()
  await vi.advanceTimersByTimeAsync(500)
  vi.useRealTimers()
  const whole = await taken(run.events())
  expect(await reading).toEqual(whole)
  expect(asked).toEqual(['?after=0', `?after=${whole[3]?.seq}`])
  expect(lost.map(({ status, code }) => [status, code])).toEqual([[0, 'connection_lost']])
})

test('EVT-04 follow bundles for a browser without Node modules, and reads a run there', async () => {
  const { agent } = testAgent({ tools: [act], replies })
  const run = agent.start('Go', { runId })
  await run.settled()
  const bundle = await rolldown({
    input: 'src/core/driving/follow.ts',
    plugins: [forBrowsers],
    platform: 'browser',
  })
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false, minify: true })
  await bundle.close()
  const [{ code, imports }] = output
  expect(imports).toEqual([])
  expect(code).not.toMatch(/\bprocess\.|node:|setImmediate|\bBuffer\b/)
  const page = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as { follow: typeof follow }
  const { fetch } = createHandlers(agent, { authorize: () => true })
  const served = async (asked: string | URL | Request, init?: RequestInit) => fetch(new Request(asked, init))
  expect(await taken(page.follow({ url, fetch: served }))).toEqual(await taken(run.events()))
})

test('EVT-04 throws the code of a server that refuses, without a second request', async () => {
  const { agent } = testAgent({ replies })
  const { fetch } = createHandlers(agent, { authorize: () => true })
  let asked = 0
  const serve = async (given: string | URL | Request, init?: RequestInit) => {
    asked++
    return fetch(new Request(given, init))
  }
  const refused = { name: 'RequestError', status: 404, code: 'run_unknown' }
  await expect(taken(follow({ url, fetch: serve }))).rejects.toMatchObject(refused)
  await expect(follow({ url, fetch: serve }).opened()).rejects.toMatchObject(refused)
  expect(asked).toBe(2)
})

test.each([
  [{ behind: 3 }, 'Option behind of follow is not known.'],
  [{ deltas: 'no' }, 'Option deltas of follow is "no"'],
] as const)('EVT-04 follow refuses %j', async (options, message) => {
  const { agent, store } = testAgent({ replies })
  await agent.run('Go', { runId })
  const run = await agent.load(runId)
  const refused = expect.objectContaining({ code: 'bad_option', message: expect.stringContaining(message) })
  for (const followed of [run, { store, runId }, { url }]) {
    expect(() => follow(followed, options as never)).toThrow(refused)
  }
  expect(() => follow({} as never)).toThrow(expect.objectContaining({ code: 'bad_option' }))
})
