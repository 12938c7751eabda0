import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { z } from 'zod'
import { createAgent, StoreError, tool } from '../src/index.ts'
import { scripted } from '../src/providers/scripted.ts'

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

/** POST /runs starts a run and answers once it is stored, GET /runs/<id>/events follows it, POST /runs/<id>/approvals lets its call run. */
async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, , runId = '', what] = (request.url ?? '').split('/')
  if (request.method === 'POST' && runId === '') {
    const run = agent.start(await bodyOf(request))
    await run.result()
    return answer(response, 202, { id: run.id })
  }
  if (request.method === 'POST' && what === 'approvals') {
    const run = await agent.load(runId)
    const receipt = await run.approve(await bodyOf(request), { by: 'the web page' })
    const { drive } = await agent.resume(runId)
    return answer(response, 200, { answer: receipt.answer, drive })
  }
  if (request.method === 'GET' && what === 'events') return tellEvents(await agent.load(runId), response)
  return answer(response, 404, { error: 'not found' })
}

/** What was said comes from the store, what is said from now on as it is told; a page that reconnects gets all of it. */
async function tellEvents(run: Awaited<ReturnType<typeof agent.load>>, response: ServerResponse): Promise<void> {
  const events = run.events()
  response.on('close', () => events.end())
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  const tell = (type: string, data: unknown) => response.write(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`)
  const { status, messages, suspended } = await run.result()
  tell('standing', { status, messages, suspended })
  if (status !== 'done') {
    for await (const event of events) {
      tell(event.type, event)
      if (event.type === 'run.ended') break
    }
  }
  response.end()
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const piece of request.setEncoding('utf8')) body += piece
  return body
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

const server = createServer((request, response) => {
  handle(request, response).catch((error: unknown) => {
    const isUnknown = error instanceof StoreError && error.code === 'run_unknown'
    if (response.headersSent) response.end()
    else answer(response, isUnknown ? 404 : 500, { error: isUnknown ? 'no such run' : 'failed' })
  })
})
server.listen(0, '127.0.0.1')
await new Promise((resolve) => server.once('listening', resolve))
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/runs`

/** What a page does: starts a run, reads its events, approves what is asked about. */
try {
  const { id } = (await (await fetch(url, { method: 'POST', body: 'Bill Ada.' })).json()) as { id: string }
  const stream = await fetch(`${url}/${id}/events`)
  const told: string[] = []
  let text = ''
  let isApproved = false
  for await (const piece of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece
    const asked = /"callId":"([^"]+)"[^\n]*"reason":"approval"/.exec(text)
    if (asked !== null && !isApproved) {
      isApproved = true
      const [, callId = ''] = asked
      const approved = await fetch(`${url}/${id}/approvals`, { method: 'POST', body: callId })
      const receipt = (await approved.json()) as { answer: string }
      told.push(`approval ${receipt.answer}`)
    }
  }
  assert.match(text, /event: run\.ended/)
  assert.deepEqual(sent, ['Ada'])
  assert.equal((await fetch(`${url}/nobody/events`)).status, 404)
  const { text: last } = await (await agent.load(id)).result()
  console.log(`${told.join(', ')}; ${last} Sent once, to ${sent.join()}.`)
} finally {
  await agent.close()
  server.close()
  server.closeAllConnections()
}
