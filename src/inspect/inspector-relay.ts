import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { checkOptions, number, optional } from '../domain/option-shape.ts'
import { relayPage } from './relay-page.ts'
import { RelayState } from './relay-state.ts'

/** Where a relay listens. */
export interface InspectorRelayOptions {
  /** Default: a free one. */
  readonly port?: number
}

/** A relay that listens. */
export interface InspectorRelay extends AsyncDisposable {
  /** The page for people, and where an inspector posts its messages: `http://127.0.0.1:<port>/`. */
  readonly url: string
  close(): Promise<void>
}

/** Bytes of one post, pages at once, and bytes that a page may be behind. */
const longestPost = 8_000_000
const mostPages = 50
const mostBehind = 8_000_000

/**
 * Serves a page on this machine that shows what inspectors post to it: actors, charts with the active states lit, and
 * messages. It needs no network, and takes requests of this machine and of its own page only. Rejects where the port is
 * taken.
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
  const server = createServer((request, response) => {
    answer(request, response, { state, pages, port: (server.address() as AddressInfo).port }).catch(() =>
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
  return { url: `http://127.0.0.1:${port}/`, close, [Symbol.asyncDispose]: close }
}

const shape = {
  port: optional(number('a port, 0 to 65535', (port) => Number.isInteger(port) && port >= 0 && port <= 65_535)),
}

interface Relay {
  readonly state: RelayState
  readonly pages: Set<ServerResponse>
  readonly port: number
}

async function answer(request: IncomingMessage, response: ServerResponse, relay: Relay): Promise<void> {
  if (!isOwn(request, relay.port)) return refuse(response, 403, 'This relay takes requests of its own page only.')
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://relay')
  if (request.method === 'POST' && pathname === '/') return await take(request, response, relay)
  if (request.method !== 'GET') return refuse(response, 405, 'Post messages to /.')
  if (pathname === '/') return sendPage(response)
  if (pathname === '/messages') return follow(response, relay)
  const chart = pathname === '/chart' ? relay.state.chart(searchParams.get('name') ?? '') : undefined
  if (chart === undefined) return refuse(response, 404, 'There is nothing here.')
  response.writeHead(200, {
    'content-type': 'image/svg+xml; charset=utf-8',
    ...safety("default-src 'none'; style-src 'unsafe-inline'"),
  })
  response.end(chart)
}

/** A page elsewhere cannot ask by another name for this machine, nor send to it. */
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

/** A page that reads too slowly is let go; it comes again and is told how everything stands. */
function tell(page: ServerResponse, text: string): void {
  if (page.writableLength > mostBehind) page.destroy()
  else page.write(`data: ${text}\n\n`)
}

function follow(response: ServerResponse, { state, pages }: Relay): void {
  if (pages.size >= mostPages) return refuse(response, 503, 'Too many pages are open.')
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  response.write('event: again\ndata: {}\n\n')
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
