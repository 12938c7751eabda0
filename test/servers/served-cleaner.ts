import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import { createAgent, type Store, tool } from '../../src/index.ts'
import { serveMcp } from '../../src/servers/mcp-server.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'

/** An agent that deletes a file, if somebody lets it. */
export function cleaner(store: Store = memoryStore()) {
  const deleted: string[] = []
  const remove = tool({
    name: 'delete_file',
    description: 'Deletes a file.',
    input: z.object({ path: z.string() }),
    needs: 'approval',
    execute: ({ path }) => {
      deleted.push(path)
      return `Deleted ${path}.`
    },
  })
  const call = { id: 'c', name: 'delete_file', arguments: { path: 'old.txt' } }
  const model = scripted([{ toolCalls: [call] }, 'It is gone.'])
  return { deleted, agent: createAgent({ name: 'file cleaner', model, tools: [remove], store }) }
}

/** A client of the service at an address. */
export async function connected(url: string, token: string, options: ClientOptions = {}): Promise<Client> {
  const client = new Client({ name: 'official', version: '1' }, options)
  const headers = { authorization: `Bearer ${token}` }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
  onTestFinished(() => client.close())
  return client
}

/** Serves an agent over HTTP for one test. */
export async function served(agent: Parameters<typeof serveMcp>[0], options: object = {}) {
  const service = await serveMcp(agent, { transport: 'http', ...options })
  onTestFinished(() => service.close())
  return service
}

/** The texts of a result, a line each. */
export const textOf = ({ content }: Awaited<ReturnType<Client['callTool']>>) =>
  content.map((block) => (block.type === 'text' ? block.text : block.type)).join('\n')
