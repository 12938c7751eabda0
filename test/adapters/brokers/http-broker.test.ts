import { inspect } from 'node:util'
import { Webhook } from 'standardwebhooks'
import { expect, test, vi } from 'vitest'
import { type HttpBroker, httpBroker } from '../../../src/adapters/brokers/http-broker.ts'
import { answerTo, type ServiceEvent } from '../../../src/core/services/index.ts'
import { runId } from '../../../proof/support/test-agent.ts'
import { banking, done } from '../../core/services/banking.ts'
import { event, other, receiving, request, secret, type Sent } from '../../core/services/delivery.ts'
import { present } from '../../core/services/present.ts'

test('SVC-04 accepts an event that another implementation of Standard Webhooks signs, with a receipt', async () => {
  const { broker, heard } = receiving({ secrets: [other, secret] })
  const response = await broker.handle(request())
  expect([response.status, await response.json()]).toEqual([200, { message: 'Taken in.', answer: 'applied' }])
  expect(heard).toEqual([event])
})

test.each<[number, string, Sent]>([
  [405, 'POST', { method: 'GET' }],
  [401, 'headers', { headers: { 'webhook-signature': '' } }],
  [401, 'headers', { headers: { 'webhook-timestamp': 'soon' } }],
  [401, 'headers', { headers: { 'webhook-id': 'x'.repeat(201) } }],
  [401, 'off', { age: 301 }],
  [401, 'off', { age: -301 }],
  [401, 'signature', { by: other }],
  [401, 'signature', { headers: { 'webhook-signature': 'v1,AAAA v2,BBBB v1,%%%' } }],
  [401, 'signature', { headers: { 'webhook-id': 'msg_2' } }],
  [401, 'signature', { headers: { 'webhook-id': 'msg\u0001\t1' } }],
  [415, 'JSON', { headers: { 'content-type': 'text/plain' } }],
  [415, 'JSON', { headers: { 'content-type': `application/json${' '.repeat(100_000)}x` } }],
  [422, 'control character', { body: JSON.stringify({ ...event, id: 'e\u001b[2J' }) }],
  [422, 'control character', { body: JSON.stringify({ ...event, source: 'a\ud800' }) }],
  [422, 'JSON object', { body: '[]' }],
  [422, 'JSON object', { body: 'no JSON' }],
  [422, 'specversion', { body: '{"id":"e"}' }],
  [404, 'no subscriber', { body: JSON.stringify({ ...event, type: 'sing' }) }],
])('SVC-04 answers an invalid request with %i (%s), and no subscriber receives it', async (status, reason, sent) => {
  const { broker, heard } = receiving()
  const response = await broker.handle(request(sent))
  expect(response.status).toBe(status)
  expect(await response.text()).toContain(reason)
  expect(heard).toEqual([])
})

test('SVC-04 neither hashes a body that is too large nor reads it to the end', async () => {
  const { broker, heard } = receiving({ maxBytes: 10_000 })
  const large = JSON.stringify({ ...event, data: 'x'.repeat(10_000_000) })
  const signature = { 'webhook-signature': 'v1,AAAA', 'content-type': 'application/json' }
  const headed = new Request('http://here', {
    method: 'POST',
    body: large,
    headers: { ...signature, 'content-length': '10000000' },
  })
  expect((await broker.handle(headed)).status).toBe(413)
  let pulled = 0
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      pulled++
      controller.enqueue(new Uint8Array(1_000))
    },
  })
  const endless = new Request('http://here', {
    method: 'POST',
    body,
    duplex: 'half',
    headers: signature,
  } as RequestInit)
  expect((await broker.handle(endless)).status).toBe(413)
  expect(pulled).toBeLessThanOrEqual(15)
  expect(heard).toEqual([])
})

test('SVC-04 abandons a body that does not end in time', async () => {
  const { broker, heard } = receiving({ timeoutMs: 20 })
  let isCancelled = false
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{')),
    cancel: () => void (isCancelled = true),
  })
  const headers = { 'content-type': 'application/json' }
  const asked = new Request('http://here', { method: 'POST', body, duplex: 'half', headers } as RequestInit)
  const response = await broker.handle(asked)
  expect([response.status, isCancelled]).toEqual([408, true])
  expect(await response.text()).toContain('within 20 ms')
  expect(heard).toEqual([])
})

test.each([
  ['10,000 signatures', Array.from({ length: 10_000 }, () => `v1,${btoa('x'.repeat(32))}`).join(' '), 10],
  ['a signature of 1 MB', `v1,${btoa('x'.repeat(750_000))}`, 0],
  ['1 MB of blanks', ' '.repeat(500_000) + `v1,AAAA${' '.repeat(500_000)}x`, 0],
])('SVC-04 reads only a few of many %s in one header', async (_, signatures, most) => {
  const { broker, heard } = receiving()
  const verify = vi.spyOn(crypto.subtle, 'verify')
  const response = await broker.handle(request({ headers: { 'webhook-signature': signatures } }))
  expect(response.status).toBe(401)
  expect(verify.mock.calls.length).toBeLessThanOrEqual(most)
  expect(heard).toEqual([])
})

const sentBy = async (broker: HttpBroker, id: string, answer: object) => {
  const response = await broker.handle(request({ id, body: JSON.stringify(answer) }))
  return { status: response.status, ...((await response.json()) as object) }
}

test.each<[string, string, (asked: ServiceEvent | undefined) => object]>([
  ['unknown', 'has sent no event', (asked) => done(asked, { parentid: '1.z' })],
  ['refused', 'does not answer', (asked) => done(asked, { type: 'evt.bank.other' })],
  ['refused', 'expected "1.0.0"', (asked) => done(asked, { contractversion: '2.0.0' })],
  ['refused', 'does not fit', (asked) => done(asked, { data: { receipt: 5 } })],
  ['refused', 'No run "run-9" is stored', (asked) => done(asked, { to: '/agents/test/runs/run-9' })],
])('SVC-04 a signed invalid answer is %s (%s) and changes nothing', async (answer, reason, told) => {
  const { start, sent, agent, store } = banking()
  const { broker } = receiving()
  broker.subscribe({ to: '/agents/test/' }, (one) => agent.receive(one))
  await start()
  const [asked] = await sent()
  const before = await store.read(runId)
  const receipt = await sentBy(broker, 'msg_a', told(asked))
  expect(receipt).toMatchObject({ status: 200, answer, message: expect.stringContaining(reason) })
  expect(await store.inbox(runId, { isOpen: true })).toEqual([])
  expect(await store.read(runId)).toEqual(before)
})

test('SVC-04 signs events so that another implementation accepts them, under one id each time', async () => {
  const requests: Request[] = []
  let status = 500
  const sending = httpBroker({
    secrets: [secret],
    endpoints: {
      'bank.north': 'http://north/events',
      '/agents/a': 'http://a/events',
      '/agents/ab': 'http://ab/events',
      '*': 'http://rest/',
    },
    fetch: async (url, init) => {
      requests.push(new Request(url, init))
      return new Response('because', { status })
    },
  })
  await expect(sending.publish({ ...event, domain: 'bank.north' })).rejects.toThrow('north answered 500: because')
  status = 200
  await sending.publish({ ...event, domain: 'bank.north' })
  await sending.publish({ ...event, to: '/agents/ab/runs/r' })
  await sending.publish(event)
  expect(requests.map(({ url }) => url)).toEqual([
    'http://north/events',
    'http://north/events',
    'http://ab/events',
    'http://rest/',
  ])
  const [first, second] = requests
  expect(first?.headers.get('webhook-id')).toBe(second?.headers.get('webhook-id'))
  // One event for two places may come to one receiver, who has to take in both.
  await sending.publish({ ...event, domain: 'bank.south' })
  const ids = requests.map((one) => one.headers.get('webhook-id'))
  expect(new Set([ids[0], ids[3], ids[4]]).size).toBe(3)
  const sent = present(requests[3])
  const headers = Object.fromEntries(sent.headers)
  expect(new Webhook(secret).verify(await sent.text(), headers)).toEqual(event)
})

test.each<[string, typeof fetch]>([
  ['the server repeats them', async (url) => new Response(`no ${new Request(url).url} for ${secret}`, { status: 401 })],
  [
    'the request fails with them',
    async (url) => Promise.reject(new Error(`cannot reach ${new Request(url).url} by ${secret}`)),
  ],
])('SVC-04 TOOL-03 stores why an event could not be sent without secrets, if %s', async (_, fetch) => {
  const endpoints = { '*': 'https://north.example/in?key=kX9-qR7tUv&v=1' }
  const sending = httpBroker({ secrets: [secret], endpoints, fetch })
  const said = await sending.publish(event).catch((error: unknown) => inspect(error, { depth: 9 }))
  expect(said).toContain('https://north.example/in?key=[secret of the address]&v=1')
  expect(said).toContain('[secret of the broker]')
  expect(said).not.toMatch(/kX9|MTIz/)
})

test('SVC-04 TOOL-03 refuses an endpoint with a password, without repeating the password', async () => {
  const password = 'https://me:hunter2@north.example/in'
  const refused = (work: () => unknown) => {
    expect(work).toThrow(/credentials/)
    expect(work).not.toThrow(/hunter2/)
  }
  refused(() => httpBroker({ secrets: [secret], endpoints: { a: password } }))
  for (const url of [password, 'me:hunter2']) {
    const sending = httpBroker({ secrets: [secret], endpoints: () => url })
    const said = await sending.publish(event).catch((error: unknown) => inspect(error, { depth: 9 }))
    expect(said).toContain('without credentials')
    expect(said).not.toContain('hunter2')
  }
})

test('SVC-04 a broker refuses invalid options', async () => {
  expect(() => httpBroker({ secrets: [] })).toThrow(/secrets/)
  expect(() => httpBroker({ secrets: ['whsec_short'] })).toThrow(/24 to 64/)
  expect(() => httpBroker({ secrets: [secret], endpoints: { a: 'no address' } })).toThrow(/endpoints/)
  await expect(httpBroker({ secrets: [secret] }).publish(event)).rejects.toThrow(/No endpoint is known/)
})

test('SVC-04 treats answers to calls of two runs with the same id as two events', async () => {
  const receiver = httpBroker({ secrets: [secret] })
  const heard: (string | undefined)[] = []
  receiver.subscribe({}, ({ to }) => void heard.push(to))
  const sender = httpBroker({
    secrets: [secret],
    endpoints: { '*': 'http://127.0.0.1/events' },
    fetch: (url, init) => receiver.handle(new Request(url, init)),
  })
  const runs = ['/agents/a/runs/1', '/agents/a/runs/2']
  for (const source of [...runs, ...runs]) {
    const asked = { specversion: '1.0', id: '1.a', source, type: 'pay' } as const
    await sender.publish(answerTo(asked, { source: '/bank', type: 'paid' }))
  }
  expect(heard).toEqual(runs)
})
