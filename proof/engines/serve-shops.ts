import { once } from 'node:events'
import { createServer } from 'node:http'
import { routeToObject } from '../../src/adapters/hosts/route-to-object.ts'
import type { Store } from '../../src/core/ports/store.ts'
import { createWorker } from '../../src/core/workers/worker.ts'
import { createHandlers, type Handlers } from '../../src/servers/http/server.ts'
import { nodeListener } from '../../src/servers/http/server-node.ts'
import { token } from './object-client.ts'
import { shopAgent } from './shop-agent.ts'

/** The storage of objects, and whether this process drives their runs. */
interface ShopsPlan {
  readonly storeOf: (object: string) => Store
  readonly drive: boolean
  readonly act: (path: string) => Promise<string>
}

/** Serves the routes of every object on loopback. */
export async function serveShops({
  storeOf,
  drive,
  act,
}: ShopsPlan): Promise<AsyncDisposable & { readonly url: string }> {
  const objects = new Map<string, Handlers>()
  const closes: (() => Promise<void>)[] = []
  const getByName = (object: string): Handlers => {
    const known = objects.get(object)
    if (known !== undefined) return known
    const store = storeOf(object)
    const agent = shopAgent({ store, act })
    const worker = drive ? createWorker({ agents: [agent], pollMs: 100 }) : undefined
    closes.push(async () => {
      await worker?.drain()
      await agent.close()
      await store.close()
    })
    const authorize = (request: Request) => request.headers.get('authorization') === `Bearer ${token}`
    const handlers = createHandlers(agent, { authorize, drive: false })
    objects.set(object, handlers)
    return handlers
  }
  const server = createServer(nodeListener({ fetch: (request) => routeToObject(request, { getByName }) }))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
      await Promise.all(closes.map((close) => close()))
    },
  }
}
