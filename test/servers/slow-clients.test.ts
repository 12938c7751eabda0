import { expect, test } from 'vitest'
import { heldReply } from '../../proof/support/test-agent.ts'
import type { Agent } from '../../src/index.ts'
import { createAgUiHandlers } from '../../src/servers/ag-ui.ts'
import { createChatHandlers } from '../../src/servers/ai-sdk.ts'
import { createHandlers } from '../../src/servers/http/server.ts'
import { runResponse } from '../../src/servers/chat/run-response.ts'
import { storedSoFar } from '../../src/servers/chat/seen-events.ts'
import { lastRun, mailer } from './mailer.ts'

const user = { id: 'm1', role: 'user' }
const protocols = {
  'the AI SDK': {
    make: createChatHandlers,
    body: { id: 'talk', trigger: 'submit-message', messages: [{ ...user, parts: [{ type: 'text', text: 'Hi' }] }] },
    end: '"finishReason":"stop"',
  },
  'AG-UI': {
    make: createAgUiHandlers,
    body: { threadId: 'talk', runId: 'r', messages: [{ ...user, content: 'Hi' }], tools: [], context: [] },
    end: '"outcome":{"type":"success"}',
  },
}

const names = ['the AI SDK', 'AG-UI'] as const

async function said(agent: Agent, name: (typeof names)[number]): Promise<ReadableStream<Uint8Array>> {
  const { make, body } = protocols[name]
  const headers = { 'content-type': 'application/json' }
  const request = new Request('http://localhost', { method: 'POST', headers, body: JSON.stringify(body) })
  const response = await make(agent, { authorize: () => true }).fetch(request)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
  return response.body ?? new ReadableStream()
}

test.for(names)('EVT-04 a hundred clients of %s that do not read delay neither a run nor each other', async (name) => {
  const held = heldReply()
  const { agent } = mailer([held.reply])
  const streams = [await said(agent, name)]
  for (let more = 1; more < 100; more++) streams.push(await said(agent, name))
  held.give({ text: 'A long story. '.repeat(200), chunks: 200 })
  const { status } = await (await lastRun(agent, 'talk')).settled()
  expect([status, (await agent.runs()).length]).toEqual(['done', 1])
  const last = streams.pop()
  for (const stream of streams) await stream.cancel()
  expect(await new Response(last).text()).toContain(protocols[name].end)
})

test.for(names)('EVT-04 a stream of %s that cannot continue breaks off, and never looks complete', async (name) => {
  const held = heldReply()
  const { agent } = mailer([held.reply])
  const reader = (await said(agent, name)).getReader()
  await held.asked
  expect((await reader.read()).done).toBe(false)
  const rest = (async () => {
    for (;;) if ((await reader.read()).done) return 'ended'
  })()
  const closing = agent.close()
  await expect(rest).rejects.toMatchObject({ code: 'agent_closed' })
  await closing
})

test('EVT-04 encodes no more than a client has read', async () => {
  const { agent } = mailer([{ text: 'Story. '.repeat(200), chunks: 200 }])
  const run = agent.start('Hi')
  await run.settled()
  let encoded = 0
  const encoder = { begin: () => [{}], encode: () => [{ number: encoded++ }], finish: () => [{}] }
  const request = new Request('http://localhost')
  const reader = (await runResponse(run, encoder, { request, after: 0 })).body?.getReader()
  await reader?.read()
  await reader?.read()
  const told = await storedSoFar(run)
  expect([encoded <= 2, told.length > 4]).toEqual([true, true])
  await reader?.cancel()
  expect(encoded).toBeLessThanOrEqual(2)
})

test('EVT-04 two hundred unread streams keep the joined answer, and not all its pieces', async () => {
  const held = heldReply()
  const { agent } = mailer([held.reply])
  const { fetch } = createHandlers(agent, { authorize: () => true })
  const run = agent.start('Hi', { runId: 'talk-1' })
  await held.asked
  const asked = () => fetch(new Request('http://localhost/runs/talk-1/events'))
  const streams = await Promise.all(Array.from({ length: 200 }, asked))
  const text = 'A long story. '.repeat(1_000)
  held.give({ text, chunks: 1_000 })
  expect((await run.settled()).status).toBe('done')
  const last = await streams.pop()?.text()
  for (const { body } of streams) await body?.cancel()
  const pieces = last?.match(/"type":"message.updated"/g)?.length ?? 0
  expect(pieces).toBeLessThan(150)
  expect(last?.length).toBeLessThan(4 * text.length + 50_000)
  expect(last).toContain('"type":"run.ended"')
})
