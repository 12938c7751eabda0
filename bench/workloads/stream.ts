import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAgent } from '../../src/index.ts'
import { createChatHandlers } from '../../src/servers/ai-sdk.ts'
import { nodeListener } from '../../src/servers/http/server-node.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { timeOf } from '../stopwatch.ts'
import { type AskedRead, readAnswer } from '../stream-client.ts'
import type { Variant, Workload } from '../workload.ts'

const delta = 'word '

/**
 * One answer in so many deltas over HTTP on loopback to the transport of the AI SDK: server and client in one process, and
 * the server alone, with its client in another. The floor writes the same by hand.
 */
export const stream: Workload = {
  name: 'stream',
  unit: 'µs a delta',
  floor:
    'an HTTP server that writes the same parts by hand as server-sent events, one after the other was taken, to the same client.',
  rounds: 11,
  warmUp: { size: 2_000, times: 3 },
  variants: [streamed('AI SDK', readAnswer), streamed('server alone', readElsewhere)],
}

function streamed(name: string, read: typeof readAnswer): Variant {
  return {
    name,
    sizes: [2_000],
    subjects: {
      floor: (count) =>
        served(
          createServer((_, response) => void writeBare(response, count)),
          count,
          read,
        ),
      statewright: async (count) => {
        const model = scripted({ text: delta.repeat(count), chunks: count })
        const agent = createAgent({ name: 'bench', model })
        const handlers = createChatHandlers(agent, { authorize: () => true })
        const figure = await served(createServer(nodeListener(handlers)), count, read)
        await agent.close()
        return figure
      },
    },
  }
}

async function served(server: Server, count: number, read: typeof readAnswer): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const asked = { api: `http://127.0.0.1:${port}/`, characters: count * delta.length }
  const figure = (await timeOf('processor', () => read(asked))) / count
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  return figure
}

let client: ChildProcess | undefined

/** Has the client read in a process of its own, whose processor time counts for nobody. */
async function readElsewhere(asked: AskedRead): Promise<void> {
  client ??= fork(new URL('../stream-client.ts', import.meta.url), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  client.send(asked)
  const [{ failure }] = (await once(client, 'message')) as [{ readonly failure?: string }]
  if (failure !== undefined) throw new Error(failure)
}

/** The least that says the same; each piece is written when the one before was taken. */
async function writeBare(response: ServerResponse, count: number): Promise<void> {
  const say = async (chunk: object) => {
    if (!response.write(`data: ${JSON.stringify(chunk)}\n\n`)) {
      await new Promise((resolve) => response.once('drain', resolve))
    }
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  await say({ type: 'start', messageId: 'm' })
  await say({ type: 'text-start', id: 't' })
  for (let index = 0; index < count; index++) await say({ type: 'text-delta', id: 't', delta })
  await say({ type: 'text-end', id: 't' })
  await say({ type: 'finish' })
  response.end('data: [DONE]\n\n')
}
