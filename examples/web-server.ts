import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { z } from 'zod'
import { type AgentEvent, createAgent, foldEvents, tool } from '../src/index.ts'
import { nodeListener } from '../src/servers/http/server-node.ts'
import { createHandlers } from '../src/servers/http/server.ts'
import { scripted } from '../src/adapters/providers/scripted.ts'

const sent: string[] = []
const send = tool({
  name: 'send',
  description: 'Sends an invoice.',
  input: z.object({ to: z.string() }),
  needs: 'approval',
  execute: ({ to }) => `Sent to ${sent[sent.push(to) - 1]}.`,
})
const model = scripted([{ toolCalls: [{ name: 'send', arguments: { to: 'Ada' } }] }, 'It is out.'])
const agent = createAgent({ name: 'clerk', model, tools: [send] })

/** Users by token; each user can access only their own runs. */
const people: Readonly<Record<string, string>> = { 'token-of-anna': 'anna' }
const handlers = createHandlers(agent, {
  basePath: '/api',
  authorize: ({ headers }) => {
    const name = people[headers.get('authorization')?.replace('Bearer ', '') ?? '']
    return name !== undefined && { by: name, filter: { labels: { owner: name } } }
  },
})
const server = createServer(nodeListener(handlers))
server.listen(0, '127.0.0.1')
await new Promise((resolve) => server.once('listening', resolve))
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/runs`

/** The requests of a page: it starts a run, reads its events, approves a call, and reads on. */
async function ask(path: string, body?: object): Promise<Response> {
  const headers = { authorization: 'Bearer token-of-anna', 'content-type': 'application/json' }
  return fetch(
    `${url}${path}`,
    body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) },
  )
}

async function eventsOf(response: Response): Promise<readonly AgentEvent[]> {
  const lines = (await response.text()).matchAll(/^data: (.+)$/gm)
  return [...lines].map(([, data = '']) => JSON.parse(data) as AgentEvent)
}

try {
  const { runId } = (await (await ask('', { prompt: 'Bill Ada.' })).json()) as { runId: string }
  const first = await eventsOf(await ask(`/${runId}/events`))
  const { suspended, seq } = foldEvents(first)
  const decisions = suspended.map(({ callId }) => ({ target: callId, action: 'resume' }))
  const { receipts } = (await (await ask(`/${runId}/decisions`, { decisions })).json()) as {
    receipts: { answer: string }[]
  }
  const { status, text } = foldEvents([...first, ...(await eventsOf(await ask(`/${runId}/events?after=${seq}`)))])
  assert.deepEqual([receipts[0]?.answer, status, sent.join()], ['applied', 'done', 'Ada'])
  assert.equal((await ask('/nobody')).status, 404)
  assert.equal((await fetch(`${url}/${runId}`)).status, 403)
  console.log(`approval ${receipts[0]?.answer}; ${text} Sent once, to ${sent.join()}.`)
} finally {
  await agent.close()
  server.close()
  server.closeAllConnections()
}
