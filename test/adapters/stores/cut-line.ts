import { connect, createServer, type Socket } from 'node:net'

/** When a line is cut: before the server gets what holds the mark, or when it has answered it. */
export type CutMoment = 'before' | 'after'

/** A way to a server that can be cut. */
export interface CutLine {
  readonly url: string
  /** Cuts the connection over which the next text with this mark goes. */
  readonly cutAt: (mark: string, moment: CutMoment) => void
  /** Cuts the next connection as soon as it is there: what the server says last comes with what it said first. */
  readonly cutNext: () => void
  /** The number of cut connections. */
  readonly cuts: () => number
  readonly close: () => Promise<void>
}

/** A way to the server of an address. */
export async function cutLine(address: string): Promise<CutLine> {
  const url = new URL(address)
  const port = Number(url.port)
  const sockets = new Set<Socket>()
  let wanted: { readonly mark: string; readonly moment: CutMoment } | undefined
  let cuts = 0
  let isNextCut = false

  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    let isDeaf = false
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    const cut = () => {
      cuts++
      client.destroy()
    }
    client.on('data', (data) => {
      const found = wanted !== undefined && data.includes(wanted.mark) ? wanted : undefined
      if (found !== undefined) wanted = undefined
      if (found?.moment === 'before') return cut()
      if (found?.moment === 'after') isDeaf = true
      upstream.write(data)
    })
    upstream.on('data', (data) => {
      // The server answers what was done, after it is done.
      if (isDeaf) cut()
      else if (isNextCut && data.includes(ready)) {
        isNextCut = false
        cuts++
        client.end(Buffer.concat([data, farewell]))
      } else client.write(data)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bound = server.address()
  url.port = String(typeof bound === 'object' && bound !== null ? bound.port : 0)
  return {
    url: url.href,
    cutAt(mark, moment) {
      wanted = { mark, moment }
    },
    cutNext() {
      isNextCut = true
    },
    cuts: () => cuts,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}

/** The server waits for a statement. */
const ready = Buffer.from('Z\0\0\0\x05I', 'latin1')
const fields = 'SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'
const farewell = Buffer.concat([Buffer.from('E'), Buffer.alloc(4), Buffer.from(fields)])
farewell.writeUInt32BE(fields.length + 4, 1)
