import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { checkOptions, number, optional } from '../../core/domain/text/option-shape.ts'
import { relayPage } from './relay-page.ts'
import { RelayState } from './relay-state.ts'

/** Options of a relay. */
export interface InspectorRelayOptions {
  /** The port. Default: a free one. */
  readonly port?: number
}

/** A running relay. */
export interface InspectorRelay extends AsyncDisposable {
  /** `http://127.0.0.1:<port>/#token=<token>`: the page, and the address of posts with the token as a bearer token. */
  readonly url: string
  close(): Promise<void>
}

/** The maximum bytes of one post, the maximum number of open pages, and the maximum unsent bytes of a page. */
const longestPost = 8_000_000
const mostPages = 50
const mostBehind = 8_000_000

/**
 * Serves a page on this machine that shows the posts of inspectors: actors, charts with highlighted active states, and
 * messages. It needs no network. It accepts only requests with its token, and none from another page or with another
 * host name. Rejects if the port is taken.
 *
 * @example
 * const relay = await inspectorRelay()
 * const agent = createAgent({ name: 'clerk', model, inspect: statelyInspector({ url: relay.url }) })
 * console.log(relay.url)
 */
export async function inspectorRelay(options: InspectorRelayOptions = {}): Promise<InspectorRelay> {
  checkOptions('inspectorRelay', options, shape)
  const state = new RelayState()
  const pages = new Set<ServerResponse>()
  const token = randomBytes(24).toString('base64url')
  const server = createServer((request, response) => {
    answer(request, response, { state, pages, token, port: (server.address() as AddressInfo).port }).catch(() =>
      response.headersSent ? response.destroy() : refuse(response, 400, 'The request could not be read.'),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  const close = async () => {
    for (const page of pages) page.end()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { url: `http://127.0.0.1:${port}/#token=${token}`, close, [Symbol.asyncDispose]: close }
}

const shape = {
  port: optional(number('a port, 0 to 65535', (port) => Number.isInteger(port) && port >= 0 && port <= 65_535)),
}

interface Relay {
  readonly state: RelayState
  readonly pages: Set<ServerResponse>
  readonly token: string
  readonly port: number
}

/** The routes of a relay; only the page needs no token, because it contains no data. */
export const relayRoutes = ['GET /', 'POST /', 'GET /messages', 'GET /chart'] as const

async function answer(request: IncomingMessage, response: ServerResponse, relay: Relay): Promise<void> {
  if (!isOwn(request, relay.port)) return refuse(response, 403, 'This relay accepts only requests from its own page.')
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://relay')
  const route = relayRoutes.find((one) => one === `${request.method ?? ''} ${pathname}`)
  if (route === 'GET /') return sendPage(response)
  if (!hasToken(request, relay.token))
    return refuse(response, 401, 'Open the address that was printed, with its token.')
  switch (route) {
    case 'POST /':
      return await take(request, response, relay)
    case 'GET /messages':
      return follow(response, relay)
    case 'GET /chart':
      return sendChart(response, relay.state.chart(searchParams.get('name') ?? ''))
    case undefined:
      return refuse(response, pathname === '/' ? 405 : 404, 'There is nothing here. Post messages to /.')
  }
}

/** Compares digests in constant time, so that the duration reveals nothing about the token. */
function hasToken({ headers }: IncomingMessage, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(headers.authorization ?? ''), digest(`Bearer ${token}`))
}

function sendChart(response: ServerResponse, chart: string | undefined): void {
  if (chart === undefined) return refuse(response, 404, 'There is no chart with this name.')
  const policy = safety("default-src 'none'; style-src 'unsafe-inline'")
  response.writeHead(200, { 'content-type': 'image/svg+xml; charset=utf-8', ...policy })
  response.end(chart)
}

/** Returns true for a request to this machine's own names, and from the relay's own page. */
function isOwn({ headers: { host, origin } }: IncomingMessage, port: number): boolean {
  const names = ['127.0.0.1', 'localhost'].map((name) => `${name}:${port}`)
  return names.includes(host ?? '') && (origin === undefined || names.some((name) => origin === `http://${name}`))
}

async function take(request: IncomingMessage, response: ServerResponse, { state, pages }: Relay): Promise<void> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length
    if (size > longestPost) return refuse(response, 413, `A post has at most ${longestPost} bytes.`)
    pieces.push(piece)
  }
  for (const line of Buffer.concat(pieces).toString('utf8').split('\n')) {
    const text = line === '' ? undefined : state.take(line)
    if (text !== undefined) for (const page of pages) tell(page, text)
  }
  response.writeHead(204).end()
}

/** Sends text to a page. A page that reads too slowly is disconnected; it reconnects and receives the current state. */
function tell(page: ServerResponse, text: string): void {
  if (page.writableLength > mostBehind) page.destroy()
  else page.write(`data: ${text}\n\n`)
}

function follow(response: ServerResponse, { state, pages }: Relay): void {
  if (pages.size >= mostPages) return refuse(response, 503, 'Too many pages are open.')
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  response.write(': the messages follow\n\n')
  for (const text of state.standing()) response.write(`data: ${text}\n\n`)
  pages.add(response)
  response.on('close', () => pages.delete(response))
}

function sendPage(response: ServerResponse): void {
  const nonce = randomBytes(16).toString('base64')
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    ...safety(policy),
  })
  response.end(relayPage(nonce))
}

function safety(policy: string) {
  return { 'content-security-policy': policy, 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' }
}

function refuse(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }).end(`${text}\n`)
}
