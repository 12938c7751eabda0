import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { ModelError, type AgentEvent, type Model } from '../../src/index.ts'
import { userMessage } from '../../src/core/domain/message.ts'
import { openaiChat } from '../../src/adapters/providers/openai.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { start } from '../../proof/support/fake-clock.ts'
import { eventsOf, runId, stop, testAgent, type TestAgentOptions } from '../../proof/support/test-agent.ts'

/** A model that refuses prompts of more than so many letters, and keeps how long those were that it was sent. */
function withWindow(most: number) {
  const sent: number[] = []
  const inner = scripted(() => 'Yes.', { now: () => start })
  const model: Model = {
    ...inner,
    async *stream(request) {
      const length = JSON.stringify(request.messages).length
      sent.push(length)
      if (length > most) throw new ModelError('overflow', 'prompt is too long', { status: 400 })
      yield* inner.stream(request)
    },
  }
  return { model, sent }
}

const prompt = Array.from({ length: 40 }, (_, index) => userMessage(`${index} ${'x'.repeat(200)}`, start))

const told = (events: readonly AgentEvent[]) =>
  events.flatMap((event): readonly unknown[] => {
    if (event.type === 'model.failed') return [event.error.code]
    if (event.type === 'context.compacted') return [`compacted ${event.tier}`]
    return event.type === 'run.ended' ? [event.outcome.error?.code ?? event.outcome.reason] : []
  })

test.for<[string, TestAgentOptions]>([
  ['by default', {}],
  ['where compaction is off', { compaction: false }],
])('PRV-06 compacts a prompt that was refused as too long and retries, %s', async ([, options]) => {
  const { model, sent } = withWindow(7000)
  const { agent } = testAgent({ model, ...options })
  const run = agent.start(prompt, { runId })
  expect(told(await eventsOf(run))).toEqual(['context_overflow', 'compacted 3', 'natural_end'])
  expect(sent).toHaveLength(2)
  expect(await run.messages()).toHaveLength(41)

  await (await run.prompt('And now?', { runId: 'run-2' })).settled()
  expect(sent).toHaveLength(3)
  expect(sent[2]).toBeLessThan(7000)
})

test('PRV-06 ends the run if the smaller prompt is refused too, with one retry for each model call', async () => {
  const { model, sent } = withWindow(10)
  const events = await eventsOf(testAgent({ model }).agent.start(prompt, { runId }))
  expect(told(events)).toEqual(['context_overflow', 'compacted 3', 'context_overflow', 'context_overflow'])
  expect(sent).toHaveLength(2)
})

test('PRV-06 retries with the same prompt if a process dies after the overflow', async () => {
  const store = memoryStore()
  const asked = Promise.withResolvers<void>()
  const lengths: number[] = []
  const inner = scripted(() => new Promise<string>(asked.resolve as never), { now: () => start })
  const model: Model = {
    ...inner,
    async *stream(request) {
      lengths.push(JSON.stringify(request.messages).length)
      if (lengths.length === 1) throw new ModelError('overflow', 'prompt is too long')
      yield* inner.stream(request)
    },
  }
  const run = testAgent({ model, store }).agent.start(prompt, { runId })
  const driving = run.settled()
  await asked.promise
  await stop(run, driving)
  const second = withWindow(7000)
  const again = await testAgent({ model: second.model, store, process: 'p2' }).agent.load(runId)
  expect(told(await eventsOf(again))).toEqual(['natural_end'])
  expect(second.sent).toEqual([lengths[1]])
})

const inStream = `data: ${JSON.stringify({ error: { message: 'This exceeds the context window.', code: 'invalid' } })}\n\n`
const answered = ['{"choices":[{"index":0,"delta":{"content":"Yes."},"finish_reason":"stop"}]}', '[DONE]']

test.for<[string, number, string, string]>([
  ['400 with a phrase', 400, 'application/json', '{"error":{"message":"Too many tokens: prompt is too long"}}'],
  ['413 with an empty body', 413, 'text/plain', ''],
  ['an error in the stream', 200, 'text/event-stream', inStream],
])("PRV-06 recovers from a server's %s", async ([, status, type, body]) => {
  let requests = 0
  const server = createServer((request, response) => {
    request.resume()
    const isFirst = ++requests === 1
    response.writeHead(isFirst ? status : 200, { 'content-type': isFirst ? type : 'text/event-stream' })
    response.end(isFirst ? body : answered.map((line) => `data: ${line}\n\n`).join(''))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const model = openaiChat('m', { baseURL: `http://127.0.0.1:${port}`, apiKey: 'k' })
  const { agent } = testAgent({ model })
  const events = await eventsOf(agent.start(prompt, { runId }))
  expect(told(events)).toEqual(['context_overflow', 'compacted 3', 'natural_end'])
  expect(requests).toBe(2)
  server.close()
})
