import { request } from 'node:http'
import { createConnection, type Socket } from 'node:net'
import { createMachine } from 'xstate'
import { expect, onTestFinished, test } from 'vitest'
import { createAgent, UsageError } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import type { DrawnChart } from '../../../src/servers/studio/drawn-chart.ts'
import { studio } from '../../../src/servers/studio/index.ts'
import { checkedOptions } from '../../../src/servers/studio/options.ts'
import type { FamilyMember } from '../../../src/servers/studio/family.ts'
import { clerk } from './clerk.ts'
import { team } from './team.ts'
import { askStudio, studioFor, tokenFor } from './open.ts'

/** A request with headers that `fetch` would not send: its status and its code. */
async function ask(url: string, options: { method?: string; headers?: Record<string, string>; body?: string } = {}) {
  return await new Promise<readonly [number, string]>((resolve, reject) => {
    const { body, ...rest } = options
    const sent = request(url, rest, (response) => {
      let text = ''
      response.on('data', (piece: Buffer) => (text += piece.toString()))
      response.on('end', () => resolve([response.statusCode ?? 0, /"code":"(\w+)"/.exec(text)?.[1] ?? '']))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

const json = async (url: string) => (await (await askStudio(url)).json()) as Record<string, never>

test('OBS-03 a studio reads and writes only with its token, for its own page and under its own host name', async () => {
  const store = memoryStore()
  const { runId } = await clerk(store).run('Go')
  const { url, token, address } = await studioFor({ store })
  const { host, port } = new URL(url)
  const authorization = `Bearer ${token}`
  expect(address).toBe(`${url}#token=${token}`)
  const foreign = [403, 'foreign_origin']
  const visit = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
  for (const [method, path] of [
    ['POST', `runs/${runId}/cancel`],
    ['GET', 'runs'],
    ['HEAD', 'runs'],
    ['GET', `runs/${runId}/events`],
  ] as const) {
    const send = async (headers: Record<string, string>) => {
      const sent = { host, 'content-type': 'application/json', ...headers }
      const [status, code] = await ask(`${url}api/${path}`, {
        method,
        headers: sent,
        ...(method === 'POST' && { body: '{}' }),
      })
      return method === 'HEAD' ? status : [status, code]
    }
    const expected = (status: number, code: string) => (method === 'HEAD' ? status : [status, code])
    expect(await send({})).toEqual(expected(401, 'token_missing'))
    expect(await send({ authorization: token })).toEqual(expected(401, 'token_missing'))
    expect(await send({ authorization: `Bearer ${token}x` })).toEqual(expected(401, 'token_wrong'))
    expect(await send({ authorization: `Bearer ${'x'.repeat(token.length)}` })).toEqual(expected(401, 'token_wrong'))
    expect(await send({ origin: `http://${host}`, 'sec-fetch-site': 'same-origin' })).toEqual(
      expected(401, 'token_missing'),
    )
    expect(await send({ authorization, origin: 'https://example.org' })).toEqual(expected(403, 'foreign_origin'))
    expect(await send({ authorization, origin: 'null' })).toEqual(expected(403, 'foreign_origin'))
    expect(await send({ authorization, 'sec-fetch-site': 'cross-site' })).toEqual(expected(403, 'foreign_origin'))
    expect(await send({ authorization, 'sec-fetch-site': 'same-site' })).toEqual(expected(403, 'foreign_origin'))
    expect(await send({ authorization, ...visit })).toEqual(expected(403, 'foreign_origin'))
    expect(await send({ authorization, host: `rebound.example:${port}` })).toEqual(expected(421, 'foreign_host'))
  }
  expect(await ask(url, { headers: { host, ...visit } })).toEqual([200, ''])
  expect(await ask(`${url}api/runs`, { headers: { host, ...visit } })).toEqual(foreign)
  expect((await store.record(runId)).status).toBe('waiting')
  const headers = { host, authorization, origin: `http://${host}`, 'content-type': 'application/json' }
  expect(await ask(`${url}api/runs`, { headers })).toEqual([200, ''])
  expect(await ask(`${url}api/runs/${runId}/cancel`, { method: 'POST', headers, body: '{}' })).toEqual([200, ''])
})

test('OBS-03 the page of a studio may load only its own script and style', async () => {
  const { url } = await studioFor({ store: memoryStore() })
  const { headers } = await fetch(url)
  expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/)
  expect(headers.get('content-security-policy')).not.toContain('unsafe')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
})

test('OBS-03 a studio shows the runs of its store, and drives the runs of its agents', async () => {
  const store = memoryStore()
  const sent: unknown[] = []
  const agent = clerk(store, sent)
  const other = createAgent({ name: 'other', model: scripted(['Hello.']), store })
  const [{ runId }, { runId: done }] = [await agent.run('Go'), await other.run('Hi')]
  const { url, token } = await studioFor({ store, agents: [agent] })
  expect(await json(`${url}api/studio`)).toEqual({
    agents: ['clerk'],
    charts: ['run', 'tool-call', 'model-call'],
    hasTested: false,
  })
  const { runs } = (await json(`${url}api/runs`)) as unknown as { runs: { id: string; isStopped: boolean }[] }
  expect(runs.map(({ id, isStopped }) => [id, isStopped])).toEqual([
    [done, false],
    [runId, false],
  ])
  expect(((await json(`${url}api/runs?status=waiting`)) as unknown as { runs: object[] }).runs).toHaveLength(1)
  const { checkpoints, standing } = (await json(`${url}api/runs/${runId}/summary`)) as unknown as {
    checkpoints: { version: number }[]
    standing: object
  }
  expect(standing).toMatchObject({ status: 'waiting', turns: 2, toolInteractions: { current: 2 } })
  const { version = 0 } = checkpoints.at(-1) ?? {}
  expect(await json(`${url}api/runs/${runId}/way?versions=${version},x`)).toEqual({
    passed: [
      {
        version,
        value: 'waiting',
        steps: expect.arrayContaining([
          ['running.toolRound.executing', 'running.toolRound.committingResults'],
          ['running.resumeGate.judging', 'running.closing.settlingCalls'],
          ['running.closing.committingFinished', 'waiting'],
        ]),
        calls: [expect.objectContaining({ status: 'succeeded' }), expect.objectContaining({ status: 'suspended' })],
      },
    ],
  })
  expect(await json(`${url}api/runs/${runId}/at/${version}`)).toMatchObject({ version, value: 'waiting' })
  expect(await json(`${url}api/runs/${runId}/tools/send_mail`)).toMatchObject({
    name: 'send_mail',
    parameters: { required: ['to', 'copies'] },
  })
  expect(await ask(`${url}api/runs/${runId}/tools/none`, { headers: tokenFor(url) })).toEqual([404, 'no_tool'])
  expect(await ask(`${url}api/runs/${done}/tools/send_mail`, { headers: tokenFor(url) })).toEqual([404, 'no_tool'])
  const [call] = (await (await agent.load(runId)).result()).suspended
  const target = call?.suspension?.id ?? ''
  const answered = await fetch(`${url}api/runs/${runId}/decisions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ decisions: [{ target, action: 'resume' }] }),
  })
  expect(await answered.json()).toMatchObject({ receipts: [{ answer: 'applied' }], drive: 'begun' })
  await (await agent.load(runId)).settled()
  expect(sent).toEqual([{ to: 'anna', copies: 1 }])
  const { decisions } = await (await agent.load(runId)).result()
  expect(decisions).toMatchObject([{ by: 'studio', action: 'resume' }])
})

test('OBS-03 a studio without the agent of a run stores an answer and forks, but does not drive', async () => {
  const store = memoryStore()
  const sent: unknown[] = []
  const agent = clerk(store, sent)
  const { runId } = await agent.run('Go')
  const { url, token } = await studioFor({ store })
  const write = async (what: string, body: object) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
    return (await fetch(`${url}api/${what}`, { method: 'POST', headers, body: JSON.stringify(body) })).json()
  }
  const version = (await (await agent.load(runId)).history())[0]?.version ?? 0
  const fork = (await write(`runs/${runId}/fork`, { from: version })) as { runId: string; drive: string }
  expect(fork.drive).toBe('elsewhere')
  expect(await store.record(fork.runId)).toMatchObject({
    agent: 'clerk',
    status: 'running',
    forkedFrom: { runId, version },
  })
  const [call] = (await (await agent.load(runId)).result()).suspended
  const decisions = [{ target: call?.suspension?.id, action: 'resume' }]
  expect(await write(`runs/${runId}/decisions`, { decisions })).toMatchObject({
    receipts: [{ answer: 'applied' }],
    drive: 'elsewhere',
  })
  expect(await json(`${url}api/runs/${runId}/summary`)).toMatchObject({ answered: [call?.callId] })
  expect(await write(`runs/${runId}/prompt`, { prompt: 'More' })).toMatchObject({ code: 'not_driven' })
  expect(sent).toEqual([])
  const { status } = await (await agent.load(runId)).settled()
  expect([status, sent]).toEqual(['done', [{ to: 'anna', copies: 1 }]])
})

test("OBS-03 AGT-05 a studio shows a family as a tree, and drives all of it after a member's question is answered", async () => {
  const store = memoryStore()
  const agent = team(store)
  const { runId } = await agent.run('Keep the house.')
  const { url } = await studioFor({ store, agents: [agent] })
  const familyOf = (id: string) => json(`${url}api/runs/${id}/family`) as Promise<unknown> as Promise<FamilyMember>
  const family = await familyOf(runId)
  const [helper] = family.members
  const [payer] = helper?.members ?? []
  expect([family, helper, payer].map((one) => [one?.agent, one?.status, one?.questions])).toEqual([
    ['boss', 'waiting', 0],
    ['boss/helper', 'waiting', 0],
    ['boss/helper/clerk', 'waiting', 1],
  ])
  expect(await familyOf(payer?.runId ?? '')).toEqual(family)
  const callId = (await store.calls(payer?.runId ?? ''))[0]?.record.callId
  const answered = await askStudio(`${url}api/runs/${payer?.runId}/decisions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ decisions: [{ target: callId, action: 'resume' }] }),
  })
  expect(await answered.json()).toMatchObject({ receipts: [{ answer: 'applied' }] })
  expect(await (await agent.load(runId)).settled()).toMatchObject({ status: 'done', text: 'All bills are paid.' })
  expect(await json(`${url}api/runs/none/family`)).toBe(null)
})

test("OBS-03 a studio draws every chart with labelled transitions, and users' charts too", async () => {
  const light = createMachine({
    id: 'light',
    initial: 'red',
    states: { red: { on: { GO: 'green' } }, green: { type: 'final' } },
  })
  const { url } = await studioFor({ store: memoryStore(), charts: { light } })
  const chart = async (path: string) => (await json(`${url}api/charts/${path}`)) as unknown as DrawnChart
  const own = await chart('light')
  expect(own.states.map(({ name, kind, isInitial }) => [name, kind, isInitial])).toEqual([
    ['red', 'atomic', true],
    ['green', 'final', false],
  ])
  expect(own.arrows.map(({ from, to, label }) => [from, to, label])).toEqual([['red', 'green', ['GO']]])
  expect(
    (await chart('run')).arrows.find(({ from, to }) => from === 'running.turn' && to === 'running.toolRound'),
  ).toMatchObject({
    label: ['tools called', 'calls skipped'],
  })
  expect((await askStudio(`${url}api/charts/nothing`)).status).toBe(404)
  expect((await askStudio(`${url}api/charts/run?inside=nothing`)).status).toBe(404)
})

test('OBS-03 reports an unknown run and a port in use', async () => {
  const { url } = await studioFor({ store: memoryStore() })
  for (const what of ['summary', 'events', 'way?versions=1', 'at/1'])
    expect(await ask(`${url}api/runs/run_none/${what}`, { headers: tokenFor(url) })).toEqual([404, 'run_unknown'])
  expect(await ask(`${url}api/runs/run%2/summary`, { headers: tokenFor(url) })).toEqual([404, 'run_unknown'])
  expect(await ask(`${url}api/charts/%zz`, { headers: tokenFor(url) })).toEqual([404, 'no_chart'])
  expect(await ask(`${url}api/nothing`, { headers: tokenFor(url) })).toEqual([404, 'no_route'])
  expect(await ask(`${url}etc/passwd`, { headers: tokenFor(url) })).toEqual([404, 'no_route'])
  await expect(studioFor({ store: memoryStore(), port: Number(new URL(url).port) })).rejects.toThrow('EADDRINUSE')
})

test('OBS-03 a studio refuses unknown options, and reports that its page is not built', async () => {
  const store = memoryStore()
  const refused = (options: object) => {
    try {
      return checkedOptions({ store, ...options })
    } catch (error) {
      return error instanceof UsageError ? error.message : error
    }
  }
  expect(refused({ prot: 1 })).toBe(
    'Option prot of studio is not known. Known: store, agents, charts, tested, port, token, by.',
  )
  expect(refused({ port: 70_000 })).toContain('Expected 0 to 65535.')
  expect(refused({ token: 'short' })).toContain('Expected 16 or more letters')
  expect(refused({ agents: [clerk(store), clerk(store)] })).toContain('two agents named "clerk"')
  await expect(studio({ store })).rejects.toThrow('npm run build')
})

test('OBS-03 a studio listens only on loopback, with a limited number of connections', async () => {
  const { url } = await studioFor({ store: memoryStore() })
  const { port } = new URL(url)
  const opened: Socket[] = []
  onTestFinished(() => opened.forEach((socket) => socket.destroy()))
  /** The fate of a connection: whether the studio accepts it, and keeps it. */
  const connect = (host: string) =>
    new Promise<'open' | 'closed' | 'refused'>((resolve) => {
      const socket = createConnection({ host, port: Number(port) })
      opened.push(socket)
      socket.on('error', () => resolve('refused'))
      socket.on('close', () => resolve('closed'))
      socket.on('data', () => resolve('open'))
      socket.write(`GET /studio.css HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`)
    })
  // Elsewhere loopback has this one address alone, and any other is refused as well.
  expect(await connect('127.0.0.2')).toBe('refused')
  const many = await Promise.all(Array.from({ length: 220 }, () => connect('127.0.0.1')))
  expect(many.filter((how) => how === 'open')).toHaveLength(200)
})

test('OBS-03 reads at most 25 checkpoints of a run for one request', async () => {
  const store = memoryStore()
  const { runId } = await clerk(store).run('Go')
  const { url } = await studioFor({ store })
  const [{ version } = { version: 1 }] = await (await clerk(store).load(runId)).history()
  const way = await json(`${url}api/runs/${runId}/way?versions=${Array.from({ length: 100 }, () => version).join(',')}`)
  expect(way['passed']).toHaveLength(25)
})

test('OBS-03 a page reads little of a run that has not changed', async () => {
  const store = memoryStore()
  const { runId } = await clerk(store).run('Go')
  const { url } = await studioFor({ store })
  const { version } = await store.record(runId)
  expect(await json(`${url}api/runs/${runId}/summary?known=${version}`)).not.toHaveProperty('standing')
  expect(await json(`${url}api/runs/${runId}/summary?known=${version - 1}`)).toHaveProperty('standing')
})
