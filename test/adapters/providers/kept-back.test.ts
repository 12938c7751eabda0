import { expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent, tool } from '../../../src/index.ts'
import { addUsage, cacheHitRate, noUsage, type Usage } from '../../../src/core/domain/usage.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { faultServer, stream } from '../../../proof/wires/fault-server.ts'
import { wires } from '../../../proof/wires/wires.ts'
import { ask, requestOf } from './ask.ts'
import { assistant, call, picture, result, user } from './history.ts'

const secret = 'for the application alone'

const weather = tool({
  name: 'weather',
  description: 'Tells the weather.',
  input: z.object({ city: z.string() }),
  effects: 'none',
  execute: ({ city }) => ({
    content: [{ type: 'text', text: `Rain in ${city}.` }],
    details: { note: secret, deep: [{ note: secret }] },
  }),
})

test.each(wires)(
  'TOOL-01 PRV-09 $name keeps the details of a result in the transcript, and sends none',
  async (wire) => {
    const replies = [wire.calls, [...wire.opening, ...wire.closing]]
    await using server = await faultServer((response) => stream(replies.shift() ?? [], 'end', wire.mediaType)(response))
    const store = memoryStore()
    const agent = createAgent({ name: 'guide', model: wire.make(server.url), tools: [weather], store })
    const { runId, text } = await agent.run('Weather in Oslo and Rome?')
    expect(text).toBe('Hello')

    const kept = JSON.stringify((await store.calls(runId)).map(({ record }) => record.result?.details))
    expect(kept.split(secret)).toHaveLength(5)
    const bodies = server.requests.map(({ body }) => JSON.stringify(body))
    expect(bodies).toHaveLength(2)
    expect(bodies[1]).toContain('Rain in Rome.')
    expect(bodies.join()).not.toContain(secret)
    expect(bodies.join()).not.toContain('details')
  },
)

test.each(wires)(
  'TOOL-01 PRV-09 $name sends no details, error, picture next to them or id of a child run',
  async (wire) => {
    const more = { details: { note: secret }, childRunId: 'child-of-mine' }
    const messages = [
      user('Go'),
      assistant([call('a'), call('b'), call('c')], { provider: 'x', model: 'y' }),
      result('a', more),
      result('b', { ...more, isError: true, status: 'error' }),
      result('c', { ...more, content: [picture] }),
      user('And now?'),
    ]
    await using server = await faultServer(stream([...wire.opening, ...wire.closing], 'end', wire.mediaType))
    await ask(wire.make(server.url), requestOf({ messages }))
    const body = JSON.stringify(server.requests[0]?.body)
    expect(body).toContain('Rain for a.')
    expect(body).not.toContain(secret)
    expect(body).not.toContain('child-of-mine')
  },
)

test.each(wires)('PRV-04 $name reports how much of the prompt came from a cache', async (wire) => {
  const replies = [wire.calls, wire.answer('Hello')]
  await using server = await faultServer((response) => stream(replies.shift() ?? [], 'end', wire.mediaType)(response))
  const agent = createAgent({ name: 'guide', model: wire.make(server.url), tools: [weather] })
  const run = agent.start('Weather in Oslo and Rome?')
  const usages: Usage[] = []
  for await (const event of run) {
    if (event.type === 'message.ended' && event.message.role === 'assistant') usages.push(event.message.usage)
  }
  const { usage, cacheHitRate: rate } = await run.settled()
  expect(usages.map(cacheHitRate)[0]).toBe(3 / 13)
  expect(usages.reduce(addUsage)).toEqual(usage)
  expect(rate).toBe(usage.cacheRead / (usage.input + usage.cacheRead + usage.cacheWrite))
  expect(rate).toBeGreaterThan(0)
})

test.each([
  [{ input: 10, cacheRead: 3 }, 3 / 13],
  [{ input: 10, cacheRead: 30, cacheWrite: 20 }, 0.5],
  [{ input: 0, cacheRead: 30 }, 1],
  [{ input: 10, cacheWrite: 20 }, 0],
  [{ output: 20 }, 0],
  [{}, 0],
])('PRV-04 PRV-09 the hit rate of %j is %d', (counts, rate) => {
  expect(cacheHitRate({ ...noUsage, ...counts })).toBe(rate)
})
