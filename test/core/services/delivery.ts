import { Webhook } from 'standardwebhooks'
import { httpBroker, type HttpBrokerOptions } from '../../../src/adapters/brokers/http-broker.ts'
import type { ServiceEvent } from '../../../src/core/services/index.ts'

/** The secret that deliveries are signed with. */
export const secret = `whsec_${btoa('0123456789abcdef0123456789abcdef')}`
/** Another secret. */
export const other = `whsec_${btoa('fedcba9876543210fedcba9876543210')}`
/** The event that a delivery brings. */
export const event: ServiceEvent = { specversion: '1.0', id: 'e-1', source: '/s', type: 'pay', data: { amount: 5 } }
/** The time of the broker, in Unix milliseconds. */
const at = 1_700_000_000_000

/** A broker with one subscriber, and what that subscriber has heard. */
export function receiving(options: Partial<HttpBrokerOptions> = {}) {
  let time = at
  const broker = httpBroker({ secrets: [secret], now: () => time, ...options })
  const heard: ServiceEvent[] = []
  broker.subscribe({ types: ['pay'] }, (one) => {
    heard.push(one)
    return { answer: 'applied' }
  })
  return { broker, heard, advance: (ms: number) => (time += ms) }
}

/** The unusual properties of a delivery. */
export interface Sent {
  readonly body?: string
  readonly id?: string
  readonly age?: number
  readonly by?: string
  readonly headers?: Record<string, string>
  readonly method?: string
}

/** A signed delivery. */
export function request({
  body = JSON.stringify(event),
  id = 'msg_1',
  age = 0,
  by = secret,
  headers = {},
  method = 'POST',
}: Sent = {}) {
  const timestamp = new Date(at - age * 1000)
  return new Request('http://here/events', {
    method,
    ...(method === 'POST' ? { body } : {}),
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(timestamp.getTime() / 1000)),
      'webhook-signature': new Webhook(by).sign(id, timestamp, body),
      ...headers,
    },
  })
}
