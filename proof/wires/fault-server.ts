import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'

/** A request as the server got it. */
export interface ReceivedRequest {
  readonly path: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: unknown
}

/** A server that answers as it is told, well or badly, and keeps what it was asked. */
export interface FaultServer extends AsyncDisposable {
  readonly url: string
  readonly requests: readonly ReceivedRequest[]
  /** Resolves once a client has gone before its answer was over. */
  readonly dropped: Promise<void>
}

/** The server's treatment of a response. */
export type Reply = (response: ServerResponse) => void

/** Starts a server on loopback that gives the same reply to every request. */
export async function faultServer(reply: Reply): Promise<FaultServer> {
  const requests: ReceivedRequest[] = []
  const { promise: dropped, resolve: drop } = promiseParts()
  const server = createServer((request, response) => {
    response.on('close', () => (response.writableEnded ? undefined : drop()))
    void (async () => {
      requests.push({ path: request.url, headers: request.headers, body: JSON.parse(await textOf(request)) })
      reply(response)
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    dropped,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A whole answer that is no stream. */
export function page(status: number, body: string, headers: Readonly<Record<string, string>> = {}): Reply {
  return (response) => response.writeHead(status, headers).end(body)
}

/** The form of a stream: text, or bytes if the wire is binary. */
export type Frame = string | Uint8Array

/** The end of a stream: regular, cut after every byte has arrived, broken at once, or never. */
export type StreamEnding = 'end' | 'cut' | 'reset' | 'hold'

/** An event stream of frames. */
export function stream(frames: readonly Frame[], ending: StreamEnding = 'end', mediaType = 'text/event-stream'): Reply {
  return (response) => {
    response.writeHead(200, { 'content-type': `${mediaType}; charset=utf-8` })
    response.write(bytesOf(frames), () => {
      if (ending === 'end') response.end()
      if (ending === 'cut') response.socket?.end()
      if (ending === 'reset') response.socket?.resetAndDestroy()
    })
  }
}

/** An event stream whose bytes come one by one, so that every character and every frame is split. */
export function drip(frames: readonly Frame[], mediaType = 'text/event-stream'): Reply {
  return (response) => {
    response.writeHead(200, { 'content-type': mediaType })
    const bytes = bytesOf(frames)
    const send = (index: number): void => {
      if (index === bytes.length) response.end()
      else response.write(bytes.subarray(index, index + 1), () => setImmediate(send, index + 1))
    }
    send(0)
  }
}

/** The bytes of frames in a row. */
export function bytesOf(frames: readonly Frame[]): Buffer {
  return Buffer.concat(frames.map((frame) => (typeof frame === 'string' ? Buffer.from(frame) : frame)))
}

/** Takes the request and never answers. */
export const silent: Reply = () => undefined

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}

function promiseParts(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = () => undefined as void
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}
