import { expect, test } from 'vitest'
import { type AgentOptions, createAgent, type Model, ModelError, type Prices } from '../../../src/index.ts'
import type { PriceTable } from '../../../src/ports.ts'
import { scripted, type ScriptedReply } from '../../../src/adapters/providers/scripted.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { eventsOf, runId, testAgent } from '../../../proof/support/test-agent.ts'
import { toolbox } from '../../../proof/support/tools.ts'

const prices: Prices = { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 }
const usage = { input: 1_000_000, output: 100_000, cacheRead: 500_000, cacheWrite: 200_000 }
/** 2 + 1 + 0.1 + 0.5 US dollars. */
const price = 3.6
const table: PriceTable = { 'scripted/scripted': prices }
const limits = { maxTokens: Infinity }
const acting: ScriptedReply = { ...calls(call('c1', 'act')), usage }

/** Costs of the stored answers; undefined for one without. */
const costsOf = (messages: readonly { readonly role: string }[]) =>
  messages.flatMap((message) => (message.role === 'assistant' ? [(message as { readonly cost?: number }).cost] : []))

test('AGT-17 prices each answer by the table, and sums the cost of the run', async () => {
  const { agent } = testAgent({
    replies: [acting, { text: 'Bye', usage }],
    tools: [toolbox().act()],
    prices: table,
    limits,
  })
  const result = await agent.run('Hi', { runId })
  expect(costsOf(result.messages)).toEqual([price, price])
  expect(result.cost).toBe(2 * price)
  expect((await (await agent.load(runId)).result()).cost).toBe(2 * price)
})

test("AGT-17 prefers the table's prices to the model's own, and falls back to the model's", async () => {
  const model = { ...scripted([{ text: 'Hi.', usage }]), prices: { ...prices, input: 0 } }
  const options = { name: 'a', model, limits }
  expect((await createAgent({ ...options, prices: table }).run('Hi')).cost).toBe(price)
  expect((await createAgent({ ...options, prices: { 'other/scripted': prices } }).run('Hi')).cost).toBeCloseTo(1.6, 10)
})

test('AGT-17 prices each part of a continued answer, and adds the parts up', async () => {
  const part = { text: 'a', stopReason: 'length', usage } as const
  const replies = [part, part, { text: 'b', usage }]
  const model = scripted(replies, { by: 'calls' })
  const { agent } = testAgent({ model, prices: table, limits })
  const { messages, cost, text } = await agent.run('Hi')
  expect(text).toBe('aab')
  expect(costsOf(messages)).toHaveLength(1)
  expect(cost).toBeCloseTo(3 * price, 10)
})

test("AGT-17 counts a fallback model's answers against maxCost", async () => {
  const model: Model = {
    ...scripted([]),
    id: 'down',
    stream: () => {
      throw new ModelError('network', 'down')
    },
  }
  const fallback = scripted(() => acting, { id: 'second' })
  const options = { model, fallbackModels: [fallback], tools: [toolbox().act()] }
  const { agent } = testAgent({
    ...options,
    prices: { 'scripted/second': prices },
    limits: { ...limits, maxCost: 1.5 * price },
    retry: { maxRetries: 0 },
  })
  const { outcome, cost, messages } = await agent.run('Hi')
  expect(outcome).toEqual({ reason: 'stopped', code: 'max_cost' })
  expect(cost).toBe(2 * price)
  expect(messages.at(-1)).toMatchObject({ role: 'user', content: [{ text: '[Agent stopped: maximum cost reached]' }] })
})

test.each<[string, Pick<AgentOptions, 'onLimit'>, object]>([
  ['error', { onLimit: { max_cost: 'error' } }, { reason: 'error', code: 'max_cost', error: { code: 'max_cost' } }],
  ['finish', { onLimit: { max_cost: 'finish' } }, { reason: 'stopped', code: 'max_cost' }],
])('AGT-17 applies onLimit at maxCost: %s', async (action, options, outcome) => {
  const replies = [acting, { text: 'Bye', usage }]
  const { agent, toolChoices } = testAgent({
    ...options,
    replies,
    tools: [toolbox().act()],
    prices: table,
    limits: { ...limits, maxCost: price },
  })
  expect((await agent.run('Hi')).outcome).toMatchObject(outcome)
  expect(toolChoices).toEqual(action === 'error' ? [undefined] : [undefined, 'none'])
})

test('AGT-17 keeps the cost across a suspension, so that the limit includes it', async () => {
  const asking: ScriptedReply = { ...calls(call('c1', 'pay')), usage }
  const options = {
    replies: [asking, acting, 'Never.'],
    tools: [toolbox().act(), toolbox().act('pay', { needs: 'approval' })],
    prices: table,
    limits: { ...limits, maxCost: 1.5 * price },
  }
  const { agent, store } = testAgent(options)
  expect(await agent.run('Hi', { runId })).toMatchObject({ status: 'waiting', cost: price })
  const second = testAgent({ ...options, store, process: 'p2' }).agent
  const run = await second.load(runId)
  await run.approve()
  expect(await run.settled()).toMatchObject({ outcome: { code: 'max_cost' }, cost: 2 * price })
})

test('AGT-17 counts a model without a price as 0, and warns once for each run and model', async () => {
  const replies = [acting, { ...calls(call('c2', 'act')), usage }, { text: 'Bye', usage }]
  const { agent, clock } = testAgent({ replies, tools: [toolbox().act()], limits: { ...limits, maxCost: 1 } })
  const run = agent.start('Hi', { runId })
  const told = (await eventsOf(run)).filter(({ type }) => type === 'model.unpriced')
  const model = { provider: 'scripted', model: 'scripted' }
  expect(told).toEqual([{ type: 'model.unpriced', seq: 5, runId, subject: runId, at: clock.now(), turn: 1, ...model }])
  const { cost, outcome, messages } = await run.result()
  expect({ cost, outcome }).toEqual({ cost: 0, outcome: { reason: 'natural_end' } })
  expect(costsOf(messages)).toEqual([undefined, undefined, undefined])
})

test('AGT-17 does not warn about a model with a price, nor about an answer without tokens', async () => {
  const unpriced = async (options: Parameters<typeof testAgent>[0]) =>
    (await eventsOf(testAgent(options).agent.start('Hi'))).filter(({ type }) => type === 'model.unpriced')
  expect(await unpriced({ replies: [{ text: 'Hi.', usage }], prices: table, limits })).toEqual([])
  expect(await unpriced({ replies: ['Hi.'] })).toEqual([])
})

test('AGT-17 ignores a cost that an adapter reports, because it would count against a dollar limit in another unit', async () => {
  const inner = scripted([{ text: 'Hi.', usage }])
  const model: Model = {
    ...inner,
    async *stream(request) {
      for await (const event of inner.stream(request))
        yield event.type === 'finished' ? { ...event, message: { ...event.message, cost: 99 } } : event
    },
  }
  const { cost, messages } = await testAgent({ model, limits }).agent.run('Hi')
  expect({ cost, costs: costsOf(messages) }).toEqual({ cost: 0, costs: [undefined] })
})

test.each<[string, unknown, string]>([
  ['a negative price', { 'a/b': { ...prices, input: -1 } }, 'Option prices["a/b"].input of createAgent is -1'],
  ['no number', { 'a/b': { ...prices, output: NaN } }, 'Option prices["a/b"].output of createAgent is NaN'],
  [
    'an endless price',
    { 'a/b': { ...prices, output: Infinity } },
    'Option prices["a/b"].output of createAgent is Infinity',
  ],
  ['a price as text', { 'a/b': { ...prices, cacheRead: '1' } }, 'Option prices["a/b"].cacheRead of createAgent is "1"'],
  ['a missing price', { 'a/b': { input: 1 } }, 'Option prices["a/b"].output of createAgent is missing.'],
  ['an unknown field', { 'a/b': { ...prices, cached: 1 } }, 'Option prices["a/b"].cached of createAgent is not known.'],
  ['no object for a model', { 'a/b': 3 }, 'Option prices["a/b"] of createAgent is 3'],
  ['a name without a provider', { b: prices }, 'Option prices["b"] of createAgent is'],
  ['no table', 3, 'Option prices of createAgent is 3'],
])('AGT-17 refuses %s in the price table', (_what, given, message) => {
  const make = () => createAgent({ name: 'a', model: scripted([]), prices: given as PriceTable })
  expect(make).toThrow(
    expect.objectContaining({ name: 'UsageError', code: 'bad_option', message: expect.stringContaining(message) }),
  )
})
