import { isRecord } from '../../core/domain/text/json.ts'
import * as is from '../../core/domain/text/option-shape.ts'
import { sha256 } from '../../core/domain/text/platform.ts'
import { redactorOf, type Secret } from '../../core/domain/text/redactor.ts'
import { readEvent, type ServiceEvent } from '../../core/domain/service-event.ts'
import { thrownText } from '../../core/domain/text/thrown-text.ts'
import { type Broker, isMeant, type Subscription } from '../../core/ports/broker.ts'
import { readBounded } from './http-broker/read-bounded.ts'
import { SeenIds } from './http-broker/seen-ids.ts'
import { signer } from './http-broker/signature.ts'

/** Options of an HTTP broker. */
export interface HttpBrokerOptions {
  /** Secrets of Standard Webhooks, such as `whsec_…` in base64, of 24 to 64 bytes: the first signs, all are valid. */
  readonly secrets: readonly string[]
  /** Addresses by domain, destination or its prefix, type or `*`, or a function. Default: nothing is sent. */
  readonly endpoints?: { readonly [to: string]: string } | ((event: ServiceEvent) => string | undefined)
  readonly fetch?: typeof fetch
  /** Returns Unix milliseconds. Default: the computer's clock. */
  readonly now?: () => number
  /** The maximum bytes of a body. Default 1,000,000. */
  readonly maxBytes?: number
  /** The time limit in milliseconds of a sent request, or of an incoming body. Default 30,000. */
  readonly timeoutMs?: number
}

/** A broker that receives and sends events as HTTP requests. */
export interface HttpBroker extends Broker {
  /** Answers a request with an event by its result; never rejects. */
  handle(request: Request): Promise<Response>
}

const ageSeconds = 300
/** The length below which a part of an address is too common to be masked. */
const shortest = 8
const jsonKind = /^application\/(?:cloudevents\+)?json *(?:;|$)/i

/**
 * Returns a broker over HTTP, with web-standard `Request` and `Response`. Each request is signed according to Standard
 * Webhooks. A request that is too large, unsigned, wrongly signed, or more than 300 s old or early is rejected, and a
 * repeated request has no effect.
 *
 * @example
 * const broker = httpBroker({ secrets: [secret], endpoints: { 'bank.north': 'https://bank.example/events' } })
 * serve(broker.handle)
 */
export function httpBroker(options: HttpBrokerOptions): HttpBroker {
  is.checkOptions('httpBroker', options, shape)
  const { secrets, endpoints = {}, now = Date.now, maxBytes = 1_000_000, timeoutMs = 30_000 } = options
  const request = options.fetch ?? fetch
  const { sign, isSigned } = signer(secrets)
  const seen = new SeenIds(2 * ageSeconds * 1000, now)
  const subscribers = new Set<{
    readonly subscription: Subscription
    readonly receive: (event: ServiceEvent) => unknown
  }>()

  async function accept(asked: Request): Promise<Response> {
    if (asked.method !== 'POST') return answered(405, 'Expected POST.')
    const kind = asked.headers.get('content-type')
    if (kind !== null && !jsonKind.test(kind)) return answered(415, 'Expected JSON: application/cloudevents+json.')
    const late = AbortSignal.timeout(timeoutMs)
    const body = await readBounded(asked, maxBytes, late)
    if (body === undefined && late.aborted) return answered(408, `Expected the whole body within ${timeoutMs} ms.`)
    if (body === undefined) return answered(413, `Expected at most ${maxBytes} bytes.`)
    const id = asked.headers.get('webhook-id') ?? ''
    const timestamp = asked.headers.get('webhook-timestamp') ?? ''
    const signatures = asked.headers.get('webhook-signature') ?? ''
    if (id === '' || id.length > 200 || !/^\d{1,12}$/.test(timestamp) || signatures === '')
      return answered(401, 'Expected the headers webhook-id, webhook-timestamp and webhook-signature.')
    const ageOff = Math.abs(now() / 1000 - Number(timestamp))
    if (ageOff > ageSeconds)
      return answered(401, `Its timestamp is ${Math.round(ageOff)} s off; at most ${ageSeconds} s are allowed.`)
    if (!(await isSigned(id, timestamp, body, signatures)))
      return answered(401, 'Its signature matches none of the configured secrets.')
    return seen.once(
      id,
      () => hear(body),
      () => answered(200, 'It came before.', { answer: 'duplicate' }),
    )
  }

  /** Delivers the event in a body to its subscribers; answers with the first receipt that is an object. */
  async function hear(body: string): Promise<Response> {
    const read = readEvent(parsed(body))
    if ('problem' in read) return answered(422, read.problem)
    const { event } = read
    const meant = [...subscribers].filter(({ subscription }) => isMeant(subscription, event))
    if (meant.length === 0)
      return answered(404, `There is no subscriber for events of type ${JSON.stringify(event.type)}.`)
    const receipts: unknown[] = []
    for (const { receive } of meant) receipts.push(await receive(structuredClone(event)))
    const receipt = receipts.find(isRecord)
    return answered(200, 'Taken in.', receipt ?? {})
  }

  return {
    handle: (asked) => accept(asked).catch(() => answered(503, 'It could not be processed now: send it again later.')),

    async publish(event) {
      const url = endpointOf(event, endpoints)
      const body = JSON.stringify(event)
      const id = `msg_${sha256(JSON.stringify([event.source, event.id, event.domain ?? ''])).slice(0, 32)}`
      const timestamp = String(Math.floor(now() / 1000))
      // The error text of a custom fetch or a server is stored with the event and displayed, so secrets are masked.
      const { text: masked } = redactorOf(secretsOf(url, secrets))
      const response = await request(url.href, {
        method: 'POST',
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
        headers: {
          'content-type': 'application/cloudevents+json',
          'webhook-id': id,
          'webhook-timestamp': timestamp,
          'webhook-signature': await sign(id, timestamp, body),
        },
        body,
      }).catch((error: unknown) => {
        throw new Error(masked(thrownText(error)))
      })
      const said = await readBounded(response, 10_000).catch(() => '')
      if (!response.ok) throw new Error(`${url.host} answered ${response.status}: ${masked(said ?? '').slice(0, 300)}`)
    },

    subscribe(subscription, receive) {
      const subscriber = { subscription, receive }
      subscribers.add(subscriber)
      return () => void subscribers.delete(subscriber)
    },
  }
}

function answered(status: number, message: string, receipt: object = {}): Response {
  return Response.json({ message, ...receipt }, { status })
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch (error) {
    return thrownText(error)
  }
}

function endpointOf(event: ServiceEvent, endpoints: NonNullable<HttpBrokerOptions['endpoints']>): URL {
  const address = addressOf(event, endpoints)
  if (address === undefined) {
    const wish = 'Name it in "endpoints" by its domain, by what it is for, by its type, or as "*".'
    throw new Error(`No endpoint is known for the event of type "${event.type}". ${wish}`)
  }
  if (!isEndpoint(address))
    throw new Error(`The endpoint for the event of type "${event.type}" is invalid. ${anEndpoint}`)
  return new URL(address)
}

/** Returns true for an address without credentials, because the platform's error would contain the password. */
function isEndpoint(address: unknown): boolean {
  const url = typeof address === 'string' ? URL.parse(address) : null
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
}

const anEndpoint = 'Expected an http or https address without credentials.'

function secretsOf({ searchParams }: URL, secrets: readonly string[]): readonly Secret[] {
  const inAddress = [...searchParams.values()].filter(({ length }) => length >= shortest)
  return [
    ...secrets.map((value) => ({ name: 'of the broker', value })),
    ...inAddress.map((value) => ({ name: 'of the address', value })),
  ]
}

function addressOf(event: ServiceEvent, endpoints: NonNullable<HttpBrokerOptions['endpoints']>): string | undefined {
  if (typeof endpoints === 'function') return endpoints(event)
  const { domain, to, type } = event
  const addressed = Object.keys(endpoints)
    .filter((key) => key !== '*' && to?.startsWith(key) === true)
    .toSorted((one, other) => other.length - one.length)
  const keys = [domain, ...addressed, type, '*']
  const key = keys.find((one) => one !== undefined && Object.hasOwn(endpoints, one))
  return key === undefined ? undefined : endpoints[key]
}

const shape: is.OptionShape<HttpBrokerOptions> = {
  secrets: (value, option) => {
    is.listOf(is.filledText)(value, option)
    if (!Array.isArray(value) || value.length === 0) throw is.badOption(option, value, 'Expected at least one secret.')
  },
  endpoints: (value, option) => {
    const isTable = isRecord(value) && Object.values(value).every(isEndpoint)
    if (value === undefined || typeof value === 'function' || isTable) return
    throw is.badOption(option, value, `By domain, source or type, or from a function: ${anEndpoint}`)
  },
  fetch: is.optional(is.callback),
  now: is.optional(is.callback),
  maxBytes: is.optional(is.number('a whole number of 1 or more', (bytes) => Number.isSafeInteger(bytes) && bytes >= 1)),
  timeoutMs: is.optional(is.number('more than 0 milliseconds', (ms) => ms > 0 && ms < 2 ** 31)),
}
