import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import { having } from '../../core/domain/text/option-shape.ts'
import type { Handlers } from './server.ts'

/**
 * Returns a listener for `http.createServer` from handlers of `Request` and `Response`. If a client disconnects, the
 * request's signal fires; the listener waits for slow clients.
 */
export function nodeListener(
  handlers: Pick<Handlers, 'fetch'>,
): (incoming: IncomingMessage, outgoing: ServerResponse) => void {
  having('handlers, as createHandlers gives them', 'fetch')(handlers, { field: 'handlers', owner: 'nodeListener' })
  const { fetch } = handlers
  return (incoming, outgoing) => {
    // A client that has gone needs no answer, and nobody is left to receive the error.
    void answer(fetch, incoming, outgoing).catch(() => outgoing.destroy())
  }
}

async function answer(fetch: Handlers['fetch'], incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const left = new AbortController()
  outgoing.once('close', () => left.abort())
  const request = requestOf(incoming, left.signal)
  if (request === undefined) {
    outgoing.writeHead(400, { 'content-type': 'application/json' })
    outgoing.end('{"code":"bad_request","message":"The address or a header of the request is refused."}')
    return
  }
  const { status, headers, body } = await fetch(request)
  outgoing.writeHead(status, Object.fromEntries(headers))
  if (body === null) outgoing.end()
  else await pipeline(Readable.fromWeb(body as NodeReadableStream), outgoing)
}

/** Returns undefined for a request that is not valid, such as one with an invalid Host. */
function requestOf(incoming: IncomingMessage, signal: AbortSignal): Request | undefined {
  const { method = 'GET', headers: given, url = '/' } = incoming
  // On Bun a plain socket has the property too, as false.
  const scheme = 'encrypted' in incoming.socket && incoming.socket.encrypted === true ? 'https' : 'http'
  const hasBody = method !== 'GET' && method !== 'HEAD'
  try {
    const headers = new Headers()
    for (const [name, value = ''] of Object.entries(given)) {
      for (const text of [value].flat()) headers.append(name, text)
    }
    const body = hasBody ? { body: Readable.toWeb(incoming) as ReadableStream, duplex: 'half' } : {}
    return new Request(new URL(url, `${scheme}://${given.host ?? ''}`), { method, headers, signal, ...body })
  } catch {
    return undefined
  }
}
