import { expect, test } from 'vitest'
import { testAgent } from '../../proof/support/test-agent.ts'
import { createHandlers, type HandlersOptions } from '../../src/servers/http/server.ts'

interface Case {
  readonly why: string
  readonly options?: HandlersOptions
  readonly headers: Readonly<Record<string, string>>
  readonly status: number
}

const shop = 'https://shop.example'
const forwarded = { host: 'inner:8080', 'x-forwarded-host': 'shop.example', 'x-forwarded-proto': 'https' }

const cases: readonly Case[] = [
  { why: 'no browser', headers: {}, status: 201 },
  { why: 'the same origin', headers: { host: 'shop.example', origin: 'http://shop.example' }, status: 201 },
  { why: 'the same host with TLS in front', headers: { host: 'shop.example', origin: shop }, status: 201 },
  { why: 'the port that https leaves out', headers: { host: 'shop.example:443', origin: shop }, status: 201 },
  { why: 'another port', headers: { host: 'shop.example:444', origin: shop }, status: 403 },
  { why: 'another host', headers: { host: 'inner:8080', origin: shop }, status: 403 },
  { why: 'a host that begins alike', headers: { host: 'shop.example.evil.example', origin: shop }, status: 403 },
  { why: 'no origin of a page', headers: { host: 'shop.example', origin: 'null' }, status: 403 },
  { why: 'an origin with a path', headers: { host: 'shop.example', origin: `${shop}/x` }, status: 403 },
  {
    why: 'a rewritten host, said to be the same origin',
    headers: { host: 'inner:8080', origin: shop, 'sec-fetch-site': 'same-origin' },
    status: 201,
  },
  {
    why: 'the same host, said to be another site',
    headers: { host: 'shop.example', origin: 'http://shop.example', 'sec-fetch-site': 'cross-site' },
    status: 403,
  },
  { why: 'a sibling without an origin', headers: { host: 'shop.example', 'sec-fetch-site': 'same-site' }, status: 403 },
  { why: 'forwarded headers without trustProxy', headers: { ...forwarded, origin: shop }, status: 403 },
  {
    why: 'forwarded headers with trustProxy',
    options: { trustProxy: true },
    headers: { ...forwarded, origin: shop },
    status: 201,
  },
  {
    why: 'forwarded headers of another host',
    options: { trustProxy: true },
    headers: { ...forwarded, origin: 'https://evil.example' },
    status: 403,
  },
  { why: 'the option origin', options: { origin: shop }, headers: { host: 'inner:8080', origin: shop }, status: 201 },
  {
    why: 'a host that the option origin does not name',
    options: { origin: shop },
    headers: { host: 'evil.example', origin: 'http://evil.example', 'sec-fetch-site': 'same-origin' },
    status: 403,
  },
  {
    why: 'another scheme than the option origin',
    options: { origin: shop },
    headers: { host: 'shop.example', origin: 'http://shop.example' },
    status: 403,
  },
  {
    why: 'an origin that cors names',
    options: { origin: shop, cors: ['https://desk.example'] },
    headers: { host: 'inner', origin: 'https://desk.example', 'sec-fetch-site': 'cross-site' },
    status: 201,
  },
]

test.for(cases)('SRV-01 answers a write with $why with $status', async ({ options = {}, headers, status }) => {
  const { agent } = testAgent({ replies: ['Hello.'] })
  const { fetch } = createHandlers(agent, { authorize: () => true, ...options })
  const sent = { 'content-type': 'application/json', ...headers }
  const request = new Request(`http://${headers['host'] ?? 'localhost'}/runs`, {
    method: 'POST',
    headers: sent,
    body: '{"prompt":"Go"}',
  })
  expect((await fetch(request)).status).toBe(status)
})

test.for(cases)('SRV-01 admits no write with $why without a credential', async ({ options = {}, headers }) => {
  const { agent } = testAgent({ replies: ['Hello.'] })
  const { fetch } = createHandlers(agent, options)
  const sent = { 'content-type': 'application/json', ...headers }
  const request = new Request(`http://${headers['host'] ?? 'localhost'}/runs`, {
    method: 'POST',
    headers: sent,
    body: '{"prompt":"Go"}',
  })
  expect((await fetch(request)).status).toBe(403)
  expect(await agent.runs()).toEqual([])
})

test('SRV-01 the refusal of a foreign page names both origins and the options that name a page', async () => {
  const { agent } = testAgent()
  const { fetch } = createHandlers(agent, { authorize: () => true })
  const headers = { host: 'inner:8080', origin: shop }
  const answer = await fetch(new Request('http://inner:8080/runs', { headers }))
  expect(await answer.json()).toEqual({
    code: 'foreign_origin',
    message:
      'A page of https://shop.example may not call this server, which is http://inner:8080. Behind a proxy, give the handlers an option origin with the address that a browser shows, or trustProxy. To allow pages of another origin, name it in the option cors.',
  })
})

test.for([
  [{ reads: 'everyone' }, 'Expected anyone.'],
  [{ reads: true }, 'Expected anyone.'],
  [{ reads: 'anyone', authorize: () => true }, 'both decide who may read'],
  [{ origin: 'shop.example' }, 'an origin such as https://shop.example'],
  [{ origin: 'https://shop.example/' }, 'an origin such as https://shop.example'],
  [{ trustProxy: 'yes' }, 'Expected true or false.'],
] as const)('SRV-01 createHandlers refuses the options %o', ([options, message]) => {
  const { agent } = testAgent()
  expect(() => createHandlers(agent, options as HandlersOptions)).toThrow(message)
})
