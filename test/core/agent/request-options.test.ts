import { expect, test } from 'vitest'
import type { Model, ModelRequest } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { toolbox } from '../../../proof/support/tools.ts'
import { runId, testAgent, type TestAgentOptions } from '../../../proof/support/test-agent.ts'

/** A model and the requests it was sent. */
function recording(inner: Model) {
  const requests: ModelRequest[] = []
  const model: Model = {
    ...inner,
    stream: (request) => {
      requests.push(request)
      return inner.stream(request)
    },
  }
  return { model, requests }
}

const twoTurns = () => scripted([calls(call('c1', 'act')), 'Bye'])

test('PRV-03 PRV-04 passes thinking and cache to the model, and omits them if they are not given', async () => {
  const given = { thinking: 'high', cache: { system: true, messages: false } } as const
  const asked = recording(twoTurns())
  const plain = recording(twoTurns())
  await testAgent({ model: asked.model, tools: [toolbox().act()], request: given }).agent.run('Hi')
  await testAgent({ model: plain.model, tools: [toolbox().act()] }).agent.run('Hi')

  expect(asked.requests.map(({ thinking, cache }) => ({ thinking, cache }))).toEqual([given, given])
  expect(plain.requests.map((request) => 'thinking' in request || 'cache' in request)).toEqual([false, false])
})

test('AGT-01 passes temperature and maxTokens to the model, and omits them if they are not given', async () => {
  const given = { temperature: 0.25, maxTokens: 500 }
  const asked = recording(twoTurns())
  const plain = recording(twoTurns())
  await testAgent({ model: asked.model, tools: [toolbox().act()], request: given }).agent.run('Hi')
  await testAgent({ model: plain.model, tools: [toolbox().act()] }).agent.run('Hi')

  expect(asked.requests.map(({ temperature, maxTokens }) => ({ temperature, maxTokens }))).toEqual([given, given])
  expect(plain.requests.map((request) => 'temperature' in request || 'maxTokens' in request)).toEqual([false, false])
})

const levels = 'Expected off, minimal, low, medium or high.'
const strategies = 'Expected auto, disabled, or true and false for any of system, tools and messages.'

const holdingItself: Record<string, unknown> = {}
holdingItself['self'] = holdingItself

test.for<[TestAgentOptions, string]>([
  [{ request: { thinking: 'huge' as never } }, `Option request.thinking is "huge", which is refused. ${levels}`],
  [{ request: { thinking: null as never } }, `Option request.thinking is null, which is refused. ${levels}`],
  [{ request: { cache: 'on' as never } }, `Option request.cache is "on", which is refused. ${strategies}`],
  [{ request: { thinking: '' as never } }, `Option request.thinking is "", which is refused. ${levels}`],
  [
    { request: { thinking: holdingItself as never } },
    `Option request.thinking is { self: object }, which is refused. ${levels}`,
  ],
  [
    { request: { cache: { tools: 1n } as never } },
    `Option request.cache is { tools: bigint }, which is refused. ${strategies}`,
  ],
  [{ request: { cache: ['auto'] as never } }, `Option request.cache is an array, which is refused. ${strategies}`],
  [{ request: { cache: true as never } }, `Option request.cache is true, which is refused. ${strategies}`],
  [
    { request: { cache: { sistem: true } as never } },
    `Option request.cache is { sistem: boolean }, which is refused. ${strategies}`,
  ],
  [
    { request: { cache: { tools: 'yes' } as never } },
    `Option request.cache is { tools: string }, which is refused. ${strategies}`,
  ],
])('PRV-03 PRV-04 refuses to build an agent with an unknown request option: %#', ([options, message]) => {
  expect(() => testAgent(options)).toThrow(expect.objectContaining({ name: 'UsageError', code: 'bad_option', message }))
})

test.for(['auto', 'disabled', {}, { system: true, tools: false, messages: true }] as const)(
  'PRV-04 accepts the cache strategy %j',
  async (cache) => {
    const { model, requests } = recording(scripted(['Hi.']))
    await testAgent({ model, request: { cache } }).agent.run('Hi')
    expect(requests.map((request) => request.cache)).toEqual([cache])
  },
)

test('PRV-09 PRV-04 reports how many of the tokens that models read came from a cache', async () => {
  const usage = [
    { input: 10, cacheWrite: 30, output: 5 },
    { input: 20, cacheRead: 40, output: 5 },
  ]
  const replies = [
    { ...calls(call('c1', 'act')), usage: usage[0] ?? {} },
    { text: 'Bye', usage: usage[1] ?? {} },
  ]
  const { agent } = testAgent({ replies, tools: [toolbox().act()] })
  const result = await agent.run('Hi', { runId })

  expect(result.cacheHitRate).toBe(40 / 100)
  expect(result.usage).toEqual({ input: 30, output: 10, cacheRead: 40, cacheWrite: 30, totalTokens: 110 })
  expect((await testAgent({ replies: ['Hi.'] }).agent.run('Hi')).cacheHitRate).toBe(0)
})
