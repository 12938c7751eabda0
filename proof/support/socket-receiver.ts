import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/** Accepts sockets of the web on loopback, and keeps what it is told; it answers nothing. */
export interface SocketReceiver extends AsyncDisposable {
  /** `ws://127.0.0.1:<port>`. */
  readonly url: string
  readonly texts: string[]
}

/** Starts one on a free port. */
export async function socketReceiver(): Promise<SocketReceiver> {
  const texts: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer().on('upgrade', (request, socket: Socket) => {
    const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`
    const accepted = createHash('sha1').update(key).digest('base64')
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accepted}\r\n\r\n`,
    )
    sockets.add(socket)
    let waiting = Buffer.alloc(0)
    socket.on('data', (piece: Buffer) => {
      waiting = readFrames(Buffer.concat([waiting, piece]), texts)
    })
    socket.on('error', () => socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `ws://127.0.0.1:${port}`,
    texts,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Reads whole frames of text; gives what is left of the bytes. */
function readFrames(bytes: Buffer, texts: string[]): Buffer<ArrayBuffer> {
  let rest = Buffer.from(bytes)
  while (rest.length >= 6) {
    const short = (rest[1] ?? 0) & 127
    const head = short === 126 ? 4 : short === 127 ? 10 : 2
    if (rest.length < head + 4) break
    const length = short === 126 ? rest.readUInt16BE(2) : short === 127 ? Number(rest.readBigUInt64BE(2)) : short
    if (rest.length < head + 4 + length) break
    const mask = rest.subarray(head, head + 4)
    const text = rest.subarray(head + 4, head + 4 + length).map((byte, index) => byte ^ (mask[index % 4] ?? 0))
    if (((rest[0] ?? 0) & 15) === 1) texts.push(Buffer.from(text).toString('utf8'))
    rest = rest.subarray(head + 4 + length)
  }
  return rest
}
