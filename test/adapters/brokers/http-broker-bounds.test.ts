import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { loopbackServer } from '../../../proof/support/loopback-server.ts'
import { httpBroker } from '../../../src/adapters/brokers/http-broker.ts'
import { SeenIds } from '../../../src/adapters/brokers/http-broker/seen-ids.ts'

const secret = `whsec_${btoa('0123456789abcdef0123456789abcdef')}`
const event = { specversion: '1.0', id: 'e-1', source: '/s', type: 'pay' } as const

test('SVC-04 sends an event only to its own endpoint, for any answer of the endpoint', async () => {
  await using elsewhere = await loopbackServer((response) => response.end())
  await using endpoint = await loopbackServer((response) =>
    response.writeHead(307, { location: `${elsewhere.origin}/in` }).end(),
  )
  const sending = httpBroker({ secrets: [secret], endpoints: { '*': `${endpoint.origin}/in` } })
  await expect(sending.publish(event)).rejects.toThrow(/fetch failed/)
  expect([endpoint.seen.length, elsewhere.seen.length]).toEqual([1, 0])
})

test('SVC-04 remembers at most 100,000 received ids', async () => {
  const seen = new SeenIds(1_000, () => 0)
  let taken = 0
  const response = new Response()
  const come = (id: number) =>
    seen.once(
      `${id}`,
      async () => {
        taken++
        return response
      },
      () => response,
    )
  for (let id = 0; id <= 100_001; id++) await come(id)
  await come(100_001)
  expect(taken).toBe(100_002)
  await come(0)
  expect(taken).toBe(100_003)
})

test('SVC-04 remembers an id as long as its timestamp is accepted, from the first moment to the last', async () => {
  const at = 1_700_000_000_000
  let time = at
  const broker = httpBroker({ secrets: [secret], now: () => time })
  let heard = 0
  broker.subscribe({ types: ['pay'] }, () => ({ answer: 'applied', heard: ++heard }))
  const body = JSON.stringify(event)
  const stamp = new Date(at + 300_000)
  const early = () =>
    broker.handle(
      new Request('http://here/events', {
        method: 'POST',
        body,
        headers: {
          'content-type': 'application/json',
          'webhook-id': 'msg_1',
          'webhook-timestamp': String(stamp.getTime() / 1000),
          'webhook-signature': new Webhook(secret).sign('msg_1', stamp, body),
        },
      }),
    )
  expect(await (await early()).json()).toMatchObject({ answer: 'applied' })
  time = at + 599_000
  expect(await (await early()).json()).toMatchObject({ answer: 'duplicate' })
  expect(heard).toBe(1)
})
