import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request as a server on loopback has taken it. */
export interface SeenRequest {
  readonly method: string
  /** Path and query, as they were sent. */
  readonly url: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

/** A server on loopback, for one test. */
export interface LoopbackServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`. */
  readonly origin: string
  readonly seen: SeenRequest[]
}

/** Answers a request once it was read. */
export type Answer = (response: ServerResponse, request: SeenRequest) => void

/** Starts one on a free port; by default it answers `{}`. */
export async function loopbackServer(answer: Answer = (response) => response.end('{}')): Promise<LoopbackServer> {
  const seen: SeenRequest[] = []
  const listener: RequestListener = (request, response) => {
    void read(request).then((body) => {
      const { method = '', url = '', headers } = request
      const one = { method, url, headers, body }
      seen.push(one)
      answer(response, one)
    })
  }
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    seen,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function read(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString('utf8')
}
