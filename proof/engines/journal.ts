import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server on loopback that records the effects of tools, which outlives the processes that perform them. */
export interface Journal extends AsyncDisposable {
  readonly url: string
  /** The number of requests for a path such as `/pay/run-1`. */
  count(path: string): number
}

/** Starts a journal that answers after some milliseconds, because a process may end between an effect and its record. */
export async function startJournal(effectMs: number): Promise<Journal> {
  const counts = new Map<string, number>()
  const server = createServer(({ url = '' }, response) => {
    counts.set(url, (counts.get(url) ?? 0) + 1)
    setTimeout(() => response.end('ok'), effectMs)
  })
  // An idle connection that is closed while it is used again is a failed call, and no fault of this play.
  server.keepAliveTimeout = 0
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    count: (path) => counts.get(path) ?? 0,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
