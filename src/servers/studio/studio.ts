import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { nodeListener } from '../http/server-node.ts'
import type { CheckedOptions } from './options.ts'
import { pageDocument, type PageFiles, pagePolicy } from './page-files.ts'
import { errorOf, failure, textResponse } from './respond.ts'
import { StudioRoutes } from './routes.ts'
import { createHash, timingSafeEqual } from 'node:crypto'

/** A running studio. */
export interface Studio extends AsyncDisposable {
  /** `http://127.0.0.1:<port>/` */
  readonly url: string
  /** The token that every request has to show as `authorization: Bearer <token>`; only the page's own files need none. */
  readonly token: string
  /** The url with the token after `#`, which a browser does not send; the page removes it from the address. */
  readonly address: string
  /** Stops listening, and ends running reads. Agents and store are not affected. */
  close(): Promise<void>
}

/** The maximum connections; the system cuts dead ones off only in time. */
const mostConnections = 200

/** Opens the server; `readFiles` returns the files of the page. */
export async function openStudio(options: CheckedOptions, readFiles: () => Promise<PageFiles>): Promise<Studio> {
  const files = await readFiles()
  const routes = new StudioRoutes(options)
  const server = createServer(nodeListener({ fetch: answer }))
  server.maxConnections = mostConnections

  async function answer(request: Request): Promise<Response> {
    try {
      const url = new URL(request.url)
      const refusal = guardRequest(request, url, { port, token: options.token })
      if (refusal !== undefined) return refusal
      return await (pageFile(url.pathname, files) ?? routes.answer(request, url))
    } catch (error) {
      return errorOf(error)
    }
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/`
  const close = async () => {
    await routes.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  const { token } = options
  return { url, token, address: `${url}#token=${token}`, close, [Symbol.asyncDispose]: close }
}

function pageFile(path: string, { script, style }: PageFiles): Response | undefined {
  switch (path) {
    case '/':
      return textResponse(pageDocument, 'text/html', { 'content-security-policy': pagePolicy })
    case '/studio.js':
      return textResponse(script, 'text/javascript')
    case '/studio.css':
      return textResponse(style, 'text/css')
    default:
      return path.startsWith('/api/') ? undefined : failure(404, 'no_route', 'There is nothing at this path.')
  }
}

/** The studio's address, and the token of every request under `/api`. */
interface Guarded {
  readonly port: number
  readonly token: string
}

/**
 * Returns the refusal of a request that names another host, as a page does that has bound its own name to this machine;
 * that comes from a page elsewhere; or that asks for anything but the files of the page without the token.
 */
function guardRequest(request: Request, url: URL, { port, token }: Guarded): Response | undefined {
  const own = ['127.0.0.1', 'localhost'].map((name) => `http://${name}:${port}`)
  if (!own.includes(url.origin))
    return failure(421, 'foreign_host', `This studio answers to ${own.join(' and ')} only.`)
  const origin = request.headers.get('origin')
  const site = request.headers.get('sec-fetch-site') ?? 'same-origin'
  const isOwn = (origin === null || origin === url.origin) && (site === 'same-origin' || site === 'none')
  const isVisit = request.headers.get('sec-fetch-mode') === 'navigate' && url.pathname === '/'
  if (!isOwn && !isVisit) return failure(403, 'foreign_origin', 'Pages of other origins may not use this studio.')
  // The page has no data of the store: it asks for the token.
  if (!url.pathname.startsWith('/api/')) return undefined
  const given = /^Bearer (.+)$/.exec(request.headers.get('authorization') ?? '')?.[1]
  const wish = 'Open the address that was printed when the studio started, or enter its token.'
  if (given === undefined) return failure(401, 'token_missing', `This studio shows nothing without its token. ${wish}`)
  if (!isSame(given, token)) return failure(401, 'token_wrong', `This is not the token of this studio. ${wish}`)
  return undefined
}

/** Compares in constant time. */
function isSame(given: string, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(token))
}
