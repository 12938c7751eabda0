import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { nodeListener } from '../http/server-node.ts'
import { guardRequest } from './guard-request.ts'
import type { CheckedOptions } from './options.ts'
import { pageDocument, type PageFiles, pagePolicy } from './page-files.ts'
import { errorOf, failure, textResponse } from './respond.ts'
import { StudioRoutes } from './routes.ts'

/** A studio that listens. */
export interface Studio extends AsyncDisposable {
  /** `http://127.0.0.1:<port>/` */
  readonly url: string
  /** The token that every request has to show as `authorization: Bearer <token>`; only the page's own files need none. */
  readonly token: string
  /** The url with the token behind `#`, which a browser sends to nobody; the page takes it out of the address. */
  readonly address: string
  /** Listens no more, and ends what is being read. Agents and store stay as they are. */
  close(): Promise<void>
}

/** The maximum connections; the system cuts dead ones off only in time. */
const mostConnections = 200

/** Opens the server; `readFiles` gives what a browser loads. */
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
      // The chart is laid out while the page loads.
      if (url.pathname === '/') routes.prepare()
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
