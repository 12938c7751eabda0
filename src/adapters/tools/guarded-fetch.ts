import { lookup as lookUp } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import type { Agent, BodyInit, Dispatcher, fetch as UndiciFetch, Response } from 'undici'
import { thrownText } from '../../core/domain/text/thrown-text.ts'
import type { Clock } from '../../core/ports/clock.ts'
import { HttpFailure } from './http-failure.ts'
import { systemClock } from '../../core/ports/system-clock.ts'
import { type IsPublicAddress, loadPackage, loadPublicAddress } from './public-address.ts'

/** Resolves host names to addresses. */
export type ResolveName = (name: string) => Promise<readonly { readonly address: string; readonly family: number }[]>

/** The limits of a guarded client. */
export interface GuardOptions {
  /** Origins that may be at a private address, because the client's options name them. */
  readonly privateOrigins?: readonly string[]
  /** Milliseconds for a whole request, redirects and body included. Default 30,000. */
  readonly timeoutMs?: number
  readonly clock?: Clock
  /** Default: the system's. */
  readonly resolve?: ResolveName
}

interface GuardedRequest {
  readonly method: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal?: AbortSignal | undefined
  /** Bytes of the body that are read at most, counted after decoding; what comes after them is left unread. */
  readonly maxBytes: number
  /** False: a redirect is the response. Default true. */
  readonly follows?: boolean
}

/** A response, with its body read up to the limit. */
export interface GuardedResponse {
  /** The address of the response, after redirects. */
  readonly url: URL
  readonly status: number
  readonly headers: Headers
  readonly bytes: Uint8Array
  /** True if the body went on. */
  readonly isCut: boolean
}

const mostRedirects = 5

/** Headers without data about the sender. No other header is sent to another origin. */
const plainHeaders = ['accept', 'accept-language', 'content-type']

/**
 * Sends requests to foreign addresses: only to public ones, with a check at each redirect, and with limits. Each
 * failure is an `HttpFailure`.
 */
export class GuardedClient {
  readonly #options: GuardOptions
  readonly #privateOrigins: ReadonlySet<string>
  #opened: Promise<OpenClient> | undefined
  #isClosed = false

  constructor(options: GuardOptions = {}) {
    this.#options = options
    this.#privateOrigins = new Set(options.privateOrigins ?? [])
  }

  async open(): Promise<void> {
    await this.#opening()
  }

  async request(target: URL, request: GuardedRequest): Promise<GuardedResponse> {
    const { timeoutMs = 30_000, clock = systemClock } = this.#options
    const timer = new AbortController()
    const signal = request.signal === undefined ? timer.signal : AbortSignal.any([request.signal, timer.signal])
    let isLate = false
    void clock.sleepUntil(clock.now() + timeoutMs, signal).then(() => {
      isLate = !signal.aborted
      timer.abort(new Error('Timeout'))
    })
    try {
      return await this.#follow(target, { ...request, signal })
    } catch (error) {
      request.signal?.throwIfAborted()
      if (isLate) throw new HttpFailure('timeout', `Timeout: no whole response within ${timeoutMs} ms.`)
      throw failureOf(error)
    } finally {
      timer.abort(new Error('The request has ended.'))
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const opened = await this.#opened?.catch(() => undefined)
    await Promise.all([opened?.guarded.destroy(), opened?.plain.destroy()])
  }

  async #follow(target: URL, request: GuardedRequest): Promise<GuardedResponse> {
    let url = target
    let next = request
    for (let hops = 0; ; hops++) {
      const response = await this.#send(url, next)
      const location = response.headers.get('location')
      if (request.follows === false || ![301, 302, 303, 307, 308].includes(response.status) || location === null) {
        return { url, status: response.status, headers: plain(response), ...(await read(response, request.maxBytes)) }
      }
      await response.body?.cancel()
      if (hops === mostRedirects) {
        throw new HttpFailure('too_many_redirects', `The server redirected more than ${mostRedirects} times.`)
      }
      const sentOn = redirected(url, location)
      refuseBody(next, response.status, url, sentOn)
      next = requestAfter(next, response.status, url, sentOn)
      url = sentOn
    }
  }

  async #send(url: URL, { method, headers = {}, body, signal }: GuardedRequest): Promise<Response> {
    if (this.#isClosed) throw new HttpFailure('network', 'The client was closed.')
    const { fetch, guarded, plain: open, isPublic } = await this.#opening()
    const isNamed = this.#privateOrigins.has(url.origin)
    const host = url.hostname.replace(/^\[|\]$/g, '')
    if (!isNamed && isIP(host) !== 0 && !isPublic(host)) throw privateAddress(url.hostname)
    const dispatcher: Dispatcher = isNamed ? open : guarded
    const options = { method, headers, redirect: 'manual' as const, dispatcher }
    return await fetch(url, {
      ...options,
      ...(body === undefined ? {} : { body: body as BodyInit }),
      ...(signal === undefined ? {} : { signal }),
    })
  }

  #opening(): Promise<OpenClient> {
    this.#opened ??= this.#open()
    return this.#opened
  }

  async #open(): Promise<OpenClient> {
    const { resolve = systemResolve } = this.#options
    const isPublic = await loadPublicAddress()
    const { Agent: Connections, fetch } = await loadPackage('undici', () => import('undici'))
    const guarded = new Connections({ connect: { lookup: checkedLookup(resolve, isPublic) } })
    return {
      fetch,
      guarded,
      plain: new Connections({ connect: { lookup: checkedLookup(resolve, () => true) } }),
      isPublic,
    }
  }
}

interface OpenClient {
  readonly fetch: typeof UndiciFetch
  readonly guarded: Agent
  readonly plain: Agent
  readonly isPublic: IsPublicAddress
}

/** Returns true if the host of an origin is a private address or this machine. */
export async function namesPrivateAddress({ hostname }: URL): Promise<boolean> {
  const host = hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0) return !(await loadPublicAddress())(host)
  return host === 'localhost' || host.endsWith('.localhost')
}

async function systemResolve(name: string) {
  return await lookUp(name, { all: true })
}

/** The connection is made to the very addresses that were checked. */
function checkedLookup(resolve: ResolveName, isAllowed: IsPublicAddress): LookupFunction {
  const answer = async (...[name, { all, family = 0 }, callback]: Parameters<LookupFunction>) => {
    let found: Awaited<ReturnType<ResolveName>>
    try {
      found = await checkedAddresses(name, resolve, isAllowed)
    } catch (error) {
      return callback(error instanceof Error ? error : new Error(thrownText(error)), '')
    }
    const wanted = found.filter((one) => family === 0 || `${one.family}` === `${family}`.replace('IPv', ''))
    const [first] = wanted
    if (first === undefined) return callback(new Error(`The name ${name} has no address.`), '')
    return all === true ? callback(null, [...wanted]) : callback(null, first.address, first.family)
  }
  return (...parameters) => void answer(...parameters)
}

async function checkedAddresses(name: string, resolve: ResolveName, isAllowed: IsPublicAddress) {
  const found = await resolve(name)
  if (found.every(({ address }) => isAllowed(address))) return found
  throw privateAddress(name)
}

function privateAddress(host: string): HttpFailure {
  const wish = 'Only an address that the configuration names itself may be private.'
  return new HttpFailure('private_address', `The host ${host} is at a private address, which is refused. ${wish}`)
}

function redirected(from: URL, location: string): URL {
  const url = URL.parse(location, from)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new HttpFailure('bad_redirect', 'The server redirected to something that is not an http or https address.')
  }
  url.username = ''
  url.password = ''
  return url
}

/** Refuses to send a body, which may hold a secret, to another server. */
function refuseBody(request: GuardedRequest, status: number, from: URL, to: URL): void {
  if (from.origin === to.origin || requestAfter(request, status, from, to).body === undefined) return
  const text = `The server sent the request on to ${to.origin}, another origin, which its body does not go to. Ask that one itself.`
  throw new HttpFailure('bad_redirect', text)
}

/** Redirects as browsers do: some as GET without a body, and without credentials to another origin. */
function requestAfter(request: GuardedRequest, status: number, from: URL, to: URL): GuardedRequest {
  const { method, headers = {}, body, ...rest } = request
  const isGet = status === 303 ? method !== 'HEAD' : status < 303 && method === 'POST'
  const kept = Object.entries(headers).filter(([name]) => {
    const lower = name.toLowerCase()
    return from.origin === to.origin ? !isGet || lower !== 'content-type' : plainHeaders.includes(lower)
  })
  return {
    ...rest,
    method: isGet ? 'GET' : method,
    headers: Object.fromEntries(kept),
    ...(isGet || body === undefined ? {} : { body }),
  }
}

function plain(response: Response): Headers {
  return new Headers([...response.headers])
}

async function read(response: Response, maxBytes: number): Promise<{ bytes: Uint8Array; isCut: boolean }> {
  const pieces: Uint8Array[] = []
  let count = 0
  if (response.body === null) return { bytes: new Uint8Array(), isCut: false }
  for await (const piece of response.body as AsyncIterable<Uint8Array>) {
    pieces.push(piece)
    count += piece.byteLength
    if (count > maxBytes) break
  }
  return { bytes: Buffer.concat(pieces).subarray(0, maxBytes), isCut: count > maxBytes }
}

/** The client wraps errors; the innermost one is the useful reason. */
function failureOf(error: unknown): HttpFailure {
  let reason = error
  for (let depth = 0; depth < 5 && !(reason instanceof HttpFailure); depth++) {
    const cause = reason instanceof AggregateError ? reason.errors[0] : (reason as { cause?: unknown } | null)?.cause
    if (cause === undefined) break
    reason = cause
  }
  if (reason instanceof HttpFailure) return reason
  return new HttpFailure('network', thrownText(reason), { cause: error })
}
