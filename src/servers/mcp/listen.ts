import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { isIP } from 'node:net'
import type { Agent } from '../../index.ts'
import { serverFactory } from './agent-server.ts'
import { loadNodeServer, loadServer } from './load-server.ts'
import { ServeMcpError } from './serve-error.ts'
import type { McpHttpService, ServeMcpHttpOptions } from './serve-options.ts'

/**
 * Serves the agent at `/mcp` on its own listener. Requests for other host names, from other pages or without the token
 * are rejected before they are read.
 */
export async function listen(agent: Agent, options: ServeMcpHttpOptions): Promise<McpHttpService> {
  const { host = '127.0.0.1', port = 0, token = randomBytes(32).toString('base64url') } = options
  if (!/^[A-Za-z0-9._~+/-]{32,}=*$/.test(token)) {
    const wish = 'Expected 32 or more random characters that a bearer token may contain.'
    throw new ServeMcpError('bad_option', `The token, of ${token.length} characters, is refused. ${wish}`)
  }
  const { createMcpHandler, localhostAllowedHostnames, localhostAllowedOrigins } = await loadServer()
  const { hostHeaderValidation, originValidation, toNodeHandler } = await loadNodeServer()
  const isHostAllowed = hostHeaderValidation([...(options.allowedHosts ?? localhostAllowedHostnames())])
  const isOriginAllowed = originValidation([...(options.allowedOrigins ?? localhostAllowedOrigins())])
  const handler = createMcpHandler(await serverFactory(agent, { stateKey: token, ...options, transport: 'stdio' }))
  const answer = toNodeHandler(handler)
  const server = createServer((request, response) => {
    if (!isHostAllowed(request, response) || !isOriginAllowed(request, response)) return
    if (!hasToken(request, token)) {
      response.writeHead(401, { 'content-type': 'text/plain', 'www-authenticate': 'Bearer' })
      response.end('Send the token of this server as "Authorization: Bearer …".\n')
    } else if (pathOf(request) === '/mcp') {
      void answer(request as Parameters<typeof answer>[0], response)
    } else {
      response.writeHead(404, { 'content-type': 'text/plain' })
      response.end('The agent is at /mcp.\n')
    }
  })
  const url = await listening(server, host, port)
  const close = async () => {
    await handler.close()
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closed
  }
  return { url, token, close }
}

async function listening(server: Server, host: string, port: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', (cause) => {
    const text = `The agent cannot be served at ${host}:${port}: ${cause.message}. Give another port, or 0 for a free one.`
    reject(new ServeMcpError('cannot_listen', text, { cause }))
  })
  server.listen(port, host, resolve)
  await promise
  const address = server.address()
  const name = isIP(host) === 6 ? `[${host}]` : host
  return `http://${name}:${typeof address === 'object' && address !== null ? address.port : port}/mcp`
}

function pathOf({ url = '/' }: IncomingMessage): string | undefined {
  return URL.parse(url, 'http://127.0.0.1')?.pathname
}

/** Compares digests, which have one length and reveal no position of a difference. */
function hasToken({ headers }: IncomingMessage, token: string): boolean {
  const given = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1]
  return given !== undefined && timingSafeEqual(digest(given), digest(token))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
