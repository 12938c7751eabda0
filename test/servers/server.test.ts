import { expect, test } from 'vitest'
import { z } from 'zod'
import { heldReply, runId, testAgent } from '../../proof/support/test-agent.ts'
import { type Agent, tool } from '../../src/index.ts'
import { type Authorize, createHandlers, type Handlers, type HandlersOptions } from '../../src/servers/http/server.ts'

const sent: string[] = []
const send = tool({
  name: 'send',
  description: 'Sends.',
  input: z.object({ to: z.string() }),
  needs: 'approval',
  execute: ({ to }) => `Sent to ${sent[sent.push(to) - 1]}.`,
})
const asks = { toolCalls: [{ name: 'send', arguments: { to: 'Ada' } }] }

interface Served extends Handlers {
  readonly agent: Agent
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>
}

function served(options: HandlersOptions = {}, replies: readonly unknown[] = [asks, 'Done.']): Served {
  const { agent } = testAgent({ replies: replies as never, tools: [send] })
  const handlers = createHandlers(agent, { authorize: () => true, ...options })
  const ask: Served['ask'] = (method, path, body, headers = {}) =>
    handlers.fetch(
      new Request(`http://localhost${path}`, {
        method,
        headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    )
  return { ...handlers, agent, ask }
}

const codeOf = async (response: Response) => [response.status, ((await response.json()) as { code: string }).code]

async function waiting(options: HandlersOptions = {}): Promise<Served> {
  const server = served(options)
  await server.agent.run('Bill Ada.', { runId })
  return server
}

test('SRV-01 starts, follows with deltas, decides and shows a run over HTTP', async () => {
  const { ask } = served()
  const started = await ask('POST', '/runs', { prompt: 'Bill Ada.', runId })
  expect([started.status, await started.json()]).toEqual([201, { runId, status: 'running' }])
  const events = await ask('GET', `/runs/${runId}/events`)
  const told = await events.text()
  expect(told).toMatch(/data: {"type":"call.suspended"|"type":"call.suspended"/)
  expect(told).toContain('"type":"message.updated"')
  const standing = (await (await ask('GET', `/runs/${runId}`)).json()) as { suspended: { callId: string }[] }
  const [call] = standing.suspended
  const decisions = [{ target: call?.callId, action: 'resume', by: 'a forged name' }]
  const decided = (await (await ask('POST', `/runs/${runId}/decisions`, { decisions })).json()) as object
  expect(decided).toMatchObject({ receipts: [{ answer: 'applied' }], drive: 'begun' })
  const last = /id: (\d+)\n(?!.*id: )/s.exec(told)?.[1] ?? ''
  const rest = await (await ask('GET', `/runs/${runId}/events`, undefined, { 'last-event-id': last })).text()
  expect(rest).toContain('"type":"run.ended"')
  expect(await (await ask('GET', `/runs/${runId}`)).json()).toMatchObject({ status: 'done', text: 'Done.' })
  expect(((await (await ask('GET', `/runs/${runId}/history`)).json()) as { checkpoints: [] }).checkpoints).not.toEqual(
    [],
  )
})

test('SRV-01 a repeated start finds the run it began, and one with another prompt is refused', async () => {
  const { ask } = await waiting()
  const again = await ask('POST', '/runs', { prompt: 'Bill Ada.', runId })
  expect([again.status, await again.json()]).toEqual([200, { runId, status: 'waiting' }])
  expect(await codeOf(await ask('POST', '/runs', { prompt: 'Bill Bob.', runId }))).toEqual([409, 'other_prompt'])
})

test('SRV-01 authorize names who decides, never the request', async () => {
  const { ask, agent } = await waiting({ authorize: () => ({ by: 'anna' }) })
  const { suspended } = await (await agent.load(runId)).result()
  const decisions = [{ target: suspended[0]?.callId, action: 'cancel', reason: 'No.', by: 'a forged name' }]
  await ask('POST', `/runs/${runId}/decisions`, { decisions })
  await (await agent.load(runId)).settled()
  expect(JSON.stringify(await (await agent.load(runId)).messages())).not.toContain('forged')
})

test('SRV-01 cancels, steers, prompts and forks a run over HTTP', async () => {
  const { ask, agent } = await waiting()
  expect((await ask('POST', `/runs/${runId}/steer`, { prompt: 'Only Ada.' })).status).toBe(200)
  expect(await codeOf(await ask('POST', `/runs/${runId}/prompt`, { prompt: 'And?' }))).toEqual([409, 'run_waiting'])
  const cancelled = await (await ask('POST', `/runs/${runId}/cancel`, { reason: 'Enough.' })).json()
  expect(cancelled).toMatchObject({ receipt: { answer: 'applied' } })
  await (await agent.load(runId)).settled({ follow: true })
  expect(await (await ask('POST', `/runs/${runId}/steer`, { prompt: 'Late.' })).json()).toMatchObject({
    receipt: { answer: 'stale', message: expect.stringContaining('has ended') },
  })
  const next = await ask('POST', `/runs/${runId}/prompt`, { prompt: 'And?', runId: 'next' })
  expect([next.status, await next.json()]).toEqual([201, { runId: 'next', status: 'running' }])
  const [checkpoint] = await (await agent.load(runId)).history()
  const forked = await ask('POST', `/runs/${runId}/fork`, { from: checkpoint?.version, runId: 'fork' })
  expect([forked.status, await forked.json()]).toEqual([201, { runId: 'fork', drive: 'begun' }])
})

test('SRV-01 without authorize every read and write is refused, and reads: anyone opens only the reads', async () => {
  const { agent } = await waiting()
  const closed = createHandlers(agent)
  const open = createHandlers(agent, { reads: 'anyone' })
  const post = () => new Request('http://localhost/runs', { method: 'POST', body: '{}' })
  const get = () => new Request(`http://127.0.0.1/runs/${runId}`)
  expect(await codeOf(await closed.fetch(post()))).toEqual([403, 'no_authorize'])
  expect(await codeOf(await closed.fetch(get()))).toEqual([403, 'no_authorize'])
  expect(await codeOf(await open.fetch(post()))).toEqual([403, 'no_authorize'])
  expect((await open.fetch(get())).status).toBe(200)
})

test.for([
  ['POST', 'https://evil.example', 403],
  ['GET', 'https://evil.example', 403],
  ['POST', 'http://localhost', 201],
  ['POST', 'https://shop.example', 201],
  ['POST', 'null', 403],
] as const)('SRV-01 answers a %s from a page of %s with %i', async ([method, origin, status]) => {
  const { ask, agent } = served({ cors: ['https://shop.example'] })
  await agent.run('Go', { runId: 'there' })
  const path = method === 'GET' ? '/runs/there' : '/runs'
  const answer = await ask(method, path, method === 'GET' ? undefined : { prompt: 'Go' }, { origin })
  expect(answer.status).toBe(status)
  const allowed = answer.headers.get('access-control-allow-origin')
  expect(allowed).toBe(origin === 'https://shop.example' ? origin : null)
})

test("SRV-01 refuses another site's form, which sends a foreign origin", async () => {
  const { ask } = served()
  const answer = await ask('POST', '/runs', { prompt: 'Go' }, { 'sec-fetch-site': 'cross-site' })
  expect(await codeOf(answer)).toEqual([403, 'foreign_origin'])
})

test("SRV-01 a filter hides others' runs, in reads, writes and starts with a taken id", async () => {
  const filtered = (tenant: string): HandlersOptions => ({
    authorize: () => ({ filter: { subject: tenant, labels: { tenant } } }),
  })
  const { ask, agent } = served(filtered('a'))
  await ask('POST', '/runs', { prompt: 'Mine.', runId, subject: 'forged', labels: { tenant: 'b', kind: 'x' } })
  const { run } = await (await agent.load(runId)).result()
  expect([run.subject, run.labels]).toEqual(['a', { tenant: 'a', kind: 'x' }])
  const other = createHandlers(agent, filtered('b'))
  const as = (method: string, path: string, body?: unknown) =>
    other.fetch(
      new Request(`http://localhost${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    )
  const hidden = (await (await as('GET', `/runs/${runId}`)).json()) as { message: string }
  const absent = (await (await as('GET', '/runs/run-2')).json()) as { message: string }
  expect(hidden.message.replace(runId, 'run-2')).toBe(absent.message)
  for (const [path, body] of [
    [`/runs/${runId}/cancel`, {}],
    [`/runs/${runId}/decisions`, { decisions: [] }],
    [`/runs/${runId}/fork`, { from: 1 }],
    [`/runs/${runId}/prompt`, { prompt: 'Go' }],
    [`/runs/${runId}/resume`, {}],
  ] as const) {
    expect([path, ...(await codeOf(await as('POST', path, body)))]).toEqual([path, 404, 'run_unknown'])
  }
  expect(await codeOf(await as('POST', '/runs', { prompt: 'Mine.', runId }))).toEqual([409, 'run_exists'])
  expect(await (await as('GET', '/runs?subject=a')).json()).toEqual({ runs: [] })
  expect(await (await ask('GET', '/runs')).json()).toMatchObject({ runs: [{ id: runId, prompt: 'Mine.' }] })
})

test.for([
  ['POST', '/runs', '{', 400, 'bad_json'],
  ['POST', '/runs', '{"prompt":"Go","__proto__":{"by":"x"}}', 400, 'bad_json'],
  ['POST', '/runs', '[]', 400, 'bad_option'],
  ['POST', '/runs', '"Go"', 400, 'bad_option'],
  ['POST', '/runs', '{"prompt":""}', 400, 'bad_prompt'],
  ['POST', '/runs', '{"prompt":[{"role":"assistant","content":[]}]}', 400, 'bad_prompt'],
  ['POST', '/runs', '{"prompt":"Go","accessControl":{"isAdmin":true}}', 400, 'bad_option'],
  ['POST', '/runs', '{"prompt":"Go","runId":"../x"}', 400, 'bad_run_id'],
  ['POST', '/runs', `{"prompt":"${'x'.repeat(2_000)}"}`, 413, 'body_too_long'],
  ['POST', `/runs/${runId}/decisions`, '{"decisions":"all"}', 400, 'bad_option'],
  [
    'POST',
    `/runs/${runId}/decisions`,
    '{"decisions":[{"target":"x","action":"resume","admin":true}]}',
    400,
    'bad_option',
  ],
  ['POST', `/runs/${runId}/fork`, '{"from":"1"}', 400, 'bad_option'],
  ['POST', `/runs/${runId}/nothing`, '{}', 404, 'no_route'],
  ['GET', '/runs/..%2f..%2fetc', undefined, 404, 'run_unknown'],
  ['GET', '/runs/%E0%A4%A', undefined, 404, 'no_route'],
  ['GET', '/runs/nobody', undefined, 404, 'run_unknown'],
  ['PUT', '/runs', '{}', 405, 'bad_method'],
  ['GET', '/runs?status=asleep', undefined, 400, 'bad_status'],
  ['GET', '/runs?before=nothing', undefined, 400, 'bad_cursor'],
  ['GET', '/runs?limit=-1', undefined, 400, 'bad_number'],
  ['PUT', `/runs/${runId}`, '{}', 405, 'bad_method'],
  ['GET', `/runs/${runId}/events?after=9999`, undefined, 400, 'bad_event_number'],
  ['GET', `/runs/${runId}/events?after=-1`, undefined, 400, 'bad_number'],
  ['GET', '/elsewhere', undefined, 404, 'no_route'],
] as const)(
  'SRV-01 answers %s %s with %s with %i %s and changes nothing',
  async ([method, path, body, status, code]) => {
    const { ask, agent } = await waiting({ maxBodyBytes: 1_000 })
    const before = JSON.stringify(await (await agent.load(runId)).result())
    expect(await codeOf(await ask(method, path, body))).toEqual([status, code])
    expect(JSON.stringify(await (await agent.load(runId)).result())).toBe(before)
    await expect(agent.load('run_p1_1')).rejects.toMatchObject({ code: 'run_unknown' })
  },
)

test("SRV-01 refuses a body without the JSON content type, as any page's form could send it", async () => {
  const { fetch } = served()
  const form = new Request('http://localhost/runs', { method: 'POST', body: '{"prompt":"Go"}' })
  expect(await codeOf(await fetch(form))).toEqual([415, 'not_json'])
})

test('SRV-01 does not read a body that is too long to its end', async () => {
  const { fetch } = served({ maxBodyBytes: 10_000 })
  let pulled = 0
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      pulled++
      controller.enqueue(new Uint8Array(1_000).fill(32))
    },
  })
  const init = { method: 'POST', body, duplex: 'half', headers: { 'content-type': 'application/json' } }
  expect(await codeOf(await fetch(new Request('http://localhost/runs', init as RequestInit)))).toEqual([
    413,
    'body_too_long',
  ])
  expect(pulled).toBeLessThan(20)
})

const refusals: readonly (readonly [string, Authorize, number, string])[] = [
  ['throws', () => Promise.reject(new Error('secret at /etc/x')), 500, 'internal'],
  ['says no', () => false, 403, 'not_allowed'],
  ['says nothing', () => undefined, 403, 'not_allowed'],
]

test.for(refusals)('SRV-01 does nothing if authorize %s', async ([, authorize, status, code]) => {
  const errors: unknown[] = []
  const { ask, agent } = served({ authorize, onError: (error) => errors.push(error) })
  const answer = await ask('POST', '/runs', { prompt: 'Go', runId })
  const text = await answer.text()
  expect([answer.status, (JSON.parse(text) as { code: string }).code]).toEqual([status, code])
  expect(text).not.toContain('secret')
  expect(errors).toHaveLength(status === 500 ? 1 : 0)
  await expect(agent.load(runId)).rejects.toMatchObject({ code: 'run_unknown' })
})

test('SRV-01 sends a response that authorize returns unchanged', async () => {
  const { ask } = served({ authorize: () => new Response('Sign in.', { status: 401 }) })
  const answer = await ask('GET', `/runs/${runId}`)
  expect([answer.status, await answer.text()]).toEqual([401, 'Sign in.'])
})

test('SRV-01 serves routes only under the base path', async () => {
  const { ask, agent } = served({ basePath: '/api' })
  await agent.run('Go', { runId })
  expect((await ask('GET', `/api/runs/${runId}`)).status).toBe(200)
  for (const path of [`/runs/${runId}`, `/apiruns/${runId}`, '/api']) expect((await ask('GET', path)).status).toBe(404)
})

test.for([
  [{ basePath: 'api' }],
  [{ basePath: '/api/' }],
  [{ cors: ['shop.example'] }],
  [{ cors: 'https://shop.example' }],
  [{ maxBodyBytes: 0 }],
  [{ authorise: () => true }],
] as const)('SRV-01 refuses the options %j', ([options]) => {
  expect(() => createHandlers(testAgent().agent, options as never)).toThrow(
    expect.objectContaining({ name: 'UsageError', code: 'bad_option' }),
  )
})

test('EVT-04 a hundred unread connections delay no run', async () => {
  const held = heldReply()
  const { ask } = served({}, [held.reply])
  await ask('POST', '/runs', { prompt: 'Go', runId })
  const streams = await Promise.all(Array.from({ length: 100 }, () => ask('GET', `/runs/${runId}/events`)))
  held.give('Said.')
  const read = await (await ask('GET', `/runs/${runId}/events`)).text()
  expect(read).toContain('"type":"run.ended"')
  for (const stream of streams) await stream.body?.cancel()
})

test('SRV-01 lists runs in pages, newest first', async () => {
  const { ask, agent } = served({}, ['One.'])
  for (const id of ['a', 'b', 'c']) await agent.run('Go', { runId: id })
  const page = (await (await ask('GET', '/runs?limit=2&status=done')).json()) as {
    runs: { id: string; cursor: string }[]
  }
  expect(page.runs.map(({ id }) => id)).toEqual(['c', 'b'])
  const rest = (await (await ask('GET', `/runs?before=${page.runs[1]?.cursor}`)).json()) as typeof page
  expect(rest.runs.map(({ id }) => id)).toEqual(['a'])
})
