import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { remoteAgent } from '../../src/adapters/tools/a2a.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { createAgent } from '../../src/index.ts'
import { createA2aHandlers } from '../../src/servers/a2a.ts'
import { nodeListener } from '../../src/servers/http/server-node.ts'
import type { Elsewhere } from './play-family.ts'

/** Serves an agent over A2A on loopback, which every family asks that has a remote member. */
export async function serveElsewhere(name: string): Promise<Elsewhere & AsyncDisposable> {
  let asked = (): void => {}
  const reply = () => {
    asked()
    return 'Done.'
  }
  const agent = createAgent({ name, model: scripted(reply) })
  const handlers = await createA2aHandlers(agent, { authorize: () => ({ by: 'top' }) })
  const server = createServer(nodeListener(handlers))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    tool: () => remoteAgent(`http://127.0.0.1:${port}`),
    hear: (heard) => {
      asked = heard
    },
    [Symbol.asyncDispose]: async () => {
      await handlers.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await agent.close()
    },
  }
}
