import { Client, StreamableHTTPClientTransport, type ClientOptions } from '@modelcontextprotocol/client'
import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent, type Store, tool } from '../../src/index.ts'
import { serveMcp } from '../../src/protocols/mcp-server.ts'
import { scripted } from '../../src/providers/scripted.ts'
import { memoryStore } from '../../src/stores/memory/memory-store.ts'

const ending: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end()
})

/** An agent that deletes a file, if somebody lets it. */
function cleaner(store: Store = memoryStore()) {
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

async function connected(url: string, token: string, options: ClientOptions = {}): Promise<Client> {
  const client = new Client({ name: 'official', version: '1' }, options)
  const headers = { authorization: `Bearer ${token}` }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
  ending.push(() => client.close())
  return client
}

async function served(agent: Parameters<typeof serveMcp>[0], options: object = {}) {
  const service = await serveMcp(agent, { transport: 'http', ...options })
  ending.push(() => service.close())
  return service
}

const protocols: readonly [string, ClientOptions][] = [
  ['of 2025', {}],
  ['of 2026', { versionNegotiation: { mode: 'auto' } }],
]

test.each(protocols)('TOOL-07 a run that asks a client %s is approved through a tool and finishes', async (_, options) => {
  const { agent, deleted } = cleaner()
  const { url, token } = await served(agent)
  const client = await connected(url, token, options)
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['file_cleaner', 'approve', 'deny', 'respond'])

  const asked = await client.callTool({ name: 'file_cleaner', arguments: { prompt: 'Tidy up.' } })
  const runId = String(Object(asked.structuredContent).runId)
  const pending = [{ callId: '1.c', toolName: 'delete_file', arguments: { path: 'old.txt' }, reason: 'approval' }]
  expect(asked.structuredContent).toEqual({ runId, status: 'waiting', reason: 'suspended', text: '', pending })
  expect(deleted).toEqual([])

  const answer = await client.callTool({ name: 'approve', arguments: { runId } })
  expect(answer).toMatchObject({ content: [{ type: 'text', text: 'It is gone.' }] })
  expect(deleted).toEqual(['old.txt'])

  const { contents } = await client.readResource({ uri: `run://${runId}` })
  const done = { runId, status: 'done', reason: 'natural_end', text: 'It is gone.', pending: [] }
  expect(contents.map((each) => JSON.parse('text' in each ? each.text : ''))).toEqual([done])
})

test.each([
  ['approve', 'It is gone.', ['old.txt']],
  ['deny', 'It is gone.', []],
])('TOOL-07 a client that can be asked is asked, and its %s decides', async (answer, text, expected) => {
  const { agent, deleted } = cleaner()
  const { url, token } = await served(agent)
  const client = await connected(url, token, {
    versionNegotiation: { mode: 'auto' },
    capabilities: { elicitation: { form: {} } },
  })
  const asked: string[] = []
  client.setRequestHandler('elicitation/create', ({ params }) => {
    asked.push(params.message)
    return { action: 'accept', content: { answer } }
  })
  const result = await client.callTool({ name: 'file_cleaner', arguments: { prompt: 'Tidy up.' } })
  expect(asked).toEqual(['May the agent call "delete_file" with {"path":"old.txt"}?'])
  expect(result).toMatchObject({ content: [{ type: 'text', text }] })
  expect(deleted).toEqual(expected)
})
