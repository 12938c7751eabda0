import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DefaultChatTransport, type UIMessage } from 'ai'
import { createAgent } from '../../src/index.ts'
import { createChatHandlers } from '../../src/protocols/ai-sdk.ts'
import { nodeListener } from '../../src/protocols/server-node.ts'
import { scripted } from '../../src/providers/scripted.ts'
import { timeOf } from '../stopwatch.ts'
import type { Workload } from '../workload.ts'

const delta = 'word '

/** One answer in so many deltas over HTTP on loopback to the transport of the AI SDK; the floor writes the same by hand. */
export const stream: Workload = {
  name: 'stream',
  unit: 'µs a delta',
  floor:
    'an HTTP server that writes the same parts by hand as server-sent events, one after the other was taken, to the same client.',
  rounds: 11,
  warmUp: { size: 2_000, times: 3 },
  variants: [
    {
      name: 'AI SDK',
      sizes: [2_000],
      subjects: {
        floor: (count) =>
          served(
            createServer((_, response) => void writeBare(response, count)),
            count,
          ),
        statewright: async (count) => {
          const model = scripted({ text: delta.repeat(count), chunks: count })
          const agent = createAgent({ name: 'bench', model, events: 'stored' })
          const handlers = createChatHandlers(agent, { authorize: () => true })
          const figure = await served(createServer(nodeListener(handlers)), count)
          await agent.close()
          return figure
        },
      },
    },
  ],
}

async function served(server: Server, count: number): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const figure = (await timeOf('processor', () => read(`http://127.0.0.1:${port}/`, count))) / count
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  return figure
}

async function read(api: string, count: number): Promise<void> {
  const transport = new DefaultChatTransport<UIMessage>({ api })
  const said: UIMessage = { id: 'said', role: 'user', parts: [{ type: 'text', text: 'Go.' }] }
  const trigger = 'submit-message'
  const asked = { chatId: 'bench', messages: [said], trigger, messageId: undefined, abortSignal: undefined } as const
  const chunks = await transport.sendMessages({ ...asked, messages: [said] })
  let length = 0
  for await (const chunk of chunks) if (chunk.type === 'text-delta') length += chunk.delta.length
  if (length !== count * delta.length) throw new Error(`${length} characters were read.`)
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
