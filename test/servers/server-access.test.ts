import { expect, test } from 'vitest'
import { heldReply, runId, testAgent } from '../../proof/support/test-agent.ts'
import { call, calls } from '../../proof/support/say.ts'
import { toolNamed } from '../../proof/support/tools.ts'
import { createHandlers } from '../../src/servers/http/server.ts'
import { StoreError } from '../../src/core/domain/store-error.ts'
import type { Agent } from '../../src/index.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'

const codeOf = async (response: Response) => [response.status, ((await response.json()) as { code: string }).code]

class SignedIn {
  #name = 'anna'
  readonly by = 'anna'

  hello(): string {
    return this.#name
  }
}

test.for([
  [{}],
  [Object.create({ by: 'anna' })],
  [new Map([['by', 'anna']])],
  [new SignedIn()],
  [Object.assign(() => true, { by: 'anna' })],
  [{ by: 'anna', [Symbol('x')]: 1 }],
  ['yes'],
  ['true'],
  [1],
  [{ details: undefined }],
  [{ details: {} }],
  [{ details: new Map([['quota', 1]]) }],
  [{ details: { owner: 'anna' } }],
  [{ filter: { subject: 'a', labels: new Map([['owner', 'anna']]) } }],
  [{ filter: new Map([['subject', 'anna']]) }],
  [{ filter: ['anna'] }],
  [{ id: 'a user of the application' }],
  [{ filter: {} }],
  [{ filter: undefined }],
  [{ filter: { subject: undefined } }],
  [{ filter: { subject: 'a', labels: { owner: undefined } } }],
  [{ filter: { owner: 'anna' } }],
  [{ by: undefined }],
  [['anna']],
] as const)('SRV-01 an authorize that returns %o lets nothing be read or done', async ([answer]) => {
  const { agent } = testAgent({ replies: ['Hello.'] })
  await agent.run('Go', { runId })
  const { fetch } = createHandlers(agent, { authorize: () => answer as never })
  const refused = [500, 'bad_access']
  expect(await codeOf(await fetch(new Request('http://localhost/runs')))).toEqual(refused)
  expect(await codeOf(await fetch(new Request(`http://localhost/runs/${runId}`)))).toEqual(refused)
  const headers = { 'content-type': 'application/json' }
  const start = { method: 'POST', headers, body: JSON.stringify({ prompt: 'Go', runId: 'new' }) }
  expect(await codeOf(await fetch(new Request('http://localhost/runs', start)))).toEqual(refused)
  await expect(agent.load('new')).rejects.toMatchObject({ code: 'run_unknown' })
})

test('SRV-01 an expired token reads no further in any stream and writes nothing, and the run continues', async () => {
  const held = heldReply()
  const { agent } = testAgent({ replies: [held.reply] })
  const valid = new Set(['t1'])
  const authorize = (request: Request) =>
    valid.has(request.headers.get('authorization') ?? '') || new Response('Sign in again.', { status: 401 })
  const { fetch } = createHandlers(agent, { authorize })
  const ask = (method: string, path: string) =>
    fetch(new Request(`http://localhost/runs/${runId}${path}`, { method, headers: { authorization: 't1' } }))
  const run = agent.start('Go', { runId })
  await held.asked
  const stream = await ask('GET', '/events')
  expect(stream.status).toBe(200)
  valid.clear()
  const refused = [await ask('GET', '/events'), await ask('POST', '/cancel'), await ask('GET', '')]
  expect(refused.map(({ status }) => status)).toEqual([401, 401, 401])
  await stream.body?.cancel()
  held.give('Said.')
  expect((await run.settled()).text).toBe('Said.')
})

test.for([
  ['the same prompt', 'Go'],
  ['another prompt', 'Tell me'],
] as const)(
  'SRV-01 tells the second of two that start one run id with %s at once only that it is taken',
  async ([, prompt]) => {
    const store = memoryStore()
    const start = (tenant: string, agent: Agent, said: string) => {
      const { fetch } = createHandlers(agent, { authorize: () => ({ filter: { labels: { tenant } } }) })
      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify({ prompt: said, runId })
      return fetch(new Request('http://localhost/runs', { method: 'POST', headers, body }))
    }
    const first = testAgent({ store, replies: ['Hello.'] })
    expect((await start('a', first.agent, 'Go')).status).toBe(201)
    await (await first.agent.load(runId)).settled()
    let reads = 0
    const record = async (id: string) => {
      if (reads++ === 0) throw new StoreError('run_unknown', 'It was not there yet.')
      return store.record(id)
    }
    const second = testAgent({ store: { ...store, record }, replies: ['Never.'], process: 'p2' })
    expect(await codeOf(await start('b', second.agent, prompt))).toEqual([409, 'run_exists'])
    expect((await start('a', second.agent, 'Go')).status).toBe(200)
    expect(second.prompts).toEqual([])
  },
)

test('SRV-01 a start that is sent twice at once begins one run', async () => {
  const { agent, prompts } = testAgent({ replies: ['Hello.', 'Never.'] })
  const { fetch } = createHandlers(agent, { authorize: () => ({ filter: { labels: { tenant: 'a' } } }) })
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ prompt: 'Go', runId })
  const start = () => fetch(new Request('http://localhost/runs', { method: 'POST', headers, body }))
  const statuses = (await Promise.all([start(), start()])).map(({ status }) => status)
  expect(statuses.toSorted((left, right) => left - right)).toEqual([200, 201])
  await (await agent.load(runId)).settled()
  expect(prompts.length).toBe(1)
})

test('SRV-01 without authorize refuses every route that writes, and does not store the request', async () => {
  const { agent, store } = testAgent({ replies: ['Hello.'] })
  await agent.run('Go', { runId })
  const before = await store.read(runId)
  const { fetch } = createHandlers(agent)
  const headers = { 'content-type': 'application/json' }
  const writes = [
    '',
    ...['decisions', 'cancel', 'steer', 'follow-up', 'prompt', 'resume', 'fork'].map((what) => `/${runId}/${what}`),
  ]
  for (const path of [...writes, `/${runId}/calls/1.a/cancel`]) {
    const request = new Request(`http://localhost/runs${path}`, { method: 'POST', headers, body: '{"prompt":"Go"}' })
    expect([path, ...(await codeOf(await fetch(request)))]).toEqual([path, 403, 'no_authorize'])
  }
  expect(await store.read(runId)).toEqual(before)
  expect(await agent.runs()).toHaveLength(1)
})

test.for([
  [false, 403],
  [undefined, 403],
  [null, 403],
  [true, 200],
  [{ by: 'anna' }, 200],
  [Object.assign(Object.create(null), { by: 'anna' }), 200],
  [new Response('', { status: 418 }), 418],
] as const)('SRV-01 a read for which authorize returns %o gets status %i', async ([answer, status]) => {
  const { agent } = testAgent()
  const { fetch } = createHandlers(agent, { authorize: () => answer as never })
  expect((await fetch(new Request('http://localhost/runs'))).status).toBe(status)
})

test.for([
  ['subjects', (tenant: string) => ({ subject: tenant })],
  ['labels', (tenant: string) => ({ labels: { tenant } })],
] as const)(
  'SRV-01 two tenants with different %s see nothing of each other, whatever they request',
  async ([, filterOf]) => {
    const ask = toolNamed('ask', () => 'asked', { needs: 'approval' })
    const { agent } = testAgent({ tools: [ask], replies: [calls(call('a', 'ask')), 'Done.'] })
    const as = async (tenant: string, method: string, path: string, body?: unknown) => {
      const { fetch } = createHandlers(agent, { authorize: () => ({ filter: filterOf(tenant) }) })
      const headers = { 'content-type': 'application/json' }
      const request = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
      return fetch(new Request(`http://localhost${path}`, request))
    }
    const idsIn = async (response: Response) => ((await response.json()) as { runs: unknown[] }).runs.length
    await as('a', 'POST', '/runs', { prompt: 'Go', runId, labels: { kind: 'x' } })
    await (await agent.load(runId)).settled()
    for (const path of ['/runs', '/runs?subject=a', '/runs?status=waiting', `/runs?subject=${runId}`, '/suspended']) {
      expect([path, await idsIn(await as('b', 'GET', path))]).toEqual([path, 0])
    }
    expect(await idsIn(await as('a', 'GET', '/runs'))).toBe(1)
    expect(await idsIn(await as('a', 'GET', '/suspended'))).toBe(1)
    const reads = ['', '/events', '/history'].map((path) => ['GET', path] as const)
    const posts = ['decisions', 'cancel', 'calls/1.a/cancel', 'steer', 'follow-up', 'prompt', 'resume', 'fork']
    const body = { steer: { prompt: 'Go' }, 'follow-up': { prompt: 'Go' }, prompt: { prompt: 'Go' }, fork: { from: 1 } }
    const decided = { decisions: [{ target: '1.a', action: 'resume' }] }
    for (const [method, path] of [...reads, ...posts.map((what) => ['POST', `/${what}`] as const)]) {
      const sent = path === '/decisions' ? decided : ((body as Record<string, unknown>)[path.slice(1)] ?? {})
      const answer = await as('b', method, `/runs/${runId}${path}`, method === 'GET' ? undefined : sent)
      expect([path, ...(await codeOf(answer))]).toEqual([path, 404, 'run_unknown'])
    }
    expect(await (await agent.load(runId)).result()).toMatchObject({ status: 'waiting' })
  },
)

test('SRV-01 a name in a request is in no record if authorize names nobody', async () => {
  const ask = toolNamed('ask', () => 'asked', { needs: 'approval' })
  const { agent } = testAgent({ tools: [ask], replies: [calls(call('a', 'ask')), 'Done.'] })
  await agent.run('Go', { runId })
  const { fetch } = createHandlers(agent, { authorize: () => true })
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ decisions: [{ target: '1.a', action: 'resume', by: 'the director' }] })
  const asked = new Request(`http://localhost/runs/${runId}/decisions`, { method: 'POST', headers, body })
  expect((await fetch(asked)).status).toBe(200)
  expect((await agent.audit())[0]).toMatchObject({ action: 'approved', callId: '1.a' })
  expect(JSON.stringify(await agent.audit())).not.toContain('director')
})

test.each(['once', 'run', 'always'] as const)(
  'SRV-01 PERM-05 a decision over HTTP has the scope %s that it was sent with',
  async (scope) => {
    const ask = toolNamed('ask', () => 'asked', { needs: 'approval' })
    const { agent } = testAgent({ tools: [ask], replies: [calls(call('a', 'ask')), 'Done.'] })
    await agent.run('Go', { runId, userId: 'ada' })
    const { fetch } = createHandlers(agent, { authorize: () => ({ by: 'anna' }) })
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ decisions: [{ target: '1.a', action: 'resume', scope }] })
    const asked = new Request(`http://localhost/runs/${runId}/decisions`, { method: 'POST', headers, body })
    expect(await (await fetch(asked)).json()).toMatchObject({ receipts: [{ answer: 'applied' }] })
    expect(await agent.audit({ runId })).toMatchObject([{ by: 'anna', scope }])
    await (await agent.load(runId)).settled({ follow: true })
  },
)

test('SRV-01 a page has 500 runs at most, for any requested number', async () => {
  const store = memoryStore()
  const limits: (number | undefined)[] = []
  const list: typeof store.list = (filter) => {
    limits.push(filter?.limit)
    return store.list(filter)
  }
  const { agent } = testAgent({ store: { ...store, list } })
  const { fetch } = createHandlers(agent, { authorize: () => true })
  expect((await fetch(new Request('http://localhost/runs?limit=900000'))).status).toBe(200)
  expect(limits).toEqual([500])
})

test("SRV-01 what authorize grants to a user's runs applies to each way to begin one", async () => {
  const details = { userId: 'anna', quota: 2, accessControl: ['read'] }
  const { agent } = testAgent({ replies: ['Hello.', 'Again.'] })
  const { fetch } = createHandlers(agent, { authorize: () => ({ details }) })
  const headers = { 'content-type': 'application/json' }
  const begin = (path: string, body: object) =>
    fetch(new Request(`http://localhost${path}`, { method: 'POST', headers, body: JSON.stringify(body) }))
  expect((await begin('/runs', { prompt: 'Go', runId })).status).toBe(201)
  await (await agent.load(runId)).settled()
  expect((await begin(`/runs/${runId}/prompt`, { prompt: 'And?', runId: 'next' })).status).toBe(201)
  for (const id of [runId, 'next']) {
    const { run } = await (await agent.load(id)).settled()
    expect(run).toMatchObject({ userId: 'anna', quota: 2, accessControl: ['read'] })
  }
})

test("SRV-01 no cache may give one origin's response to another", async () => {
  const { agent } = testAgent()
  const { fetch } = createHandlers(agent, { authorize: () => true, cors: ['https://shop.example'] })
  for (const headers of [{ origin: 'https://shop.example' }, {}] as HeadersInit[]) {
    const answer = await fetch(new Request('http://localhost/runs', { headers }))
    expect([answer.status, answer.headers.get('vary')]).toEqual([200, 'Origin'])
  }
})
