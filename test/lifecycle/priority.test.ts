import { describe, expect, test } from 'vitest'
import type { Model, Plugin } from '../../src/index.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { start } from '../../proof/support/fake-clock.ts'
import { statusesOf, transcriptOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { toolbox } from '../../proof/support/tools.ts'
import { eventsOf, runId, testAgent, type TestAgentOptions } from '../../proof/support/test-agent.ts'

const outranked = '[Not executed: a call of higher priority came first. Ask again if still needed.]'

/** A model whose wire refuses a history from which calls of its own answer are missing. */
function bound(replies: Parameters<typeof scripted>[0], id = 'scripted'): Model {
  return { ...scripted(replies, { id, now: () => start }), bindsCallsToReasoning: true }
}

const three = calls(call('c1', 'low'), call('c2', 'high'), call('c3', 'high'))

test('AGT-15 TC-05 runs only the calls with the highest priority; the others leave the message and are named (A3)', async () => {
  const { done, act } = toolbox()
  const { agent, prompts } = testAgent({
    replies: [three, 'Bye'],
    tools: [act('low'), act('high', { priority: 2 })],
  })
  const events = await eventsOf(agent.start('Hi', { runId }))

  expect(done).toEqual(['high {}', 'high {}'])
  expect(prompts[1]).toEqual([
    'user: Hi',
    'assistant: calls 1.c2 high, 1.c3 high',
    'result 1.c2: high done',
    'result 1.c3: high done',
  ])
  expect(events.filter(({ type }) => type === 'calls.dropped')).toEqual([
    { type: 'calls.dropped', seq: 8, runId, subject: runId, at: start, turn: 1, names: ['low'] },
  ])
})

test.for(['parallel', 'sequential', { batch: 2 }] as const)(
  'AGT-15 answers calls of lower priority without running them if the wire binds calls to reasoning, executor %j (A3)',
  async (executor) => {
    const { done, act } = toolbox()
    const tools = [act('low', { needs: 'approval', concurrency: 'exclusive' }), act('high', { priority: 2 })]
    const { agent, prompts } = testAgent({ model: bound([three, 'Bye']), tools, executor })
    const events = await eventsOf(agent.start('Hi', { runId }))

    expect(done).toEqual(['high {}', 'high {}'])
    expect(prompts[1]).toEqual([
      'user: Hi',
      'assistant: calls 1.c1 low, 1.c2 high, 1.c3 high',
      `result 1.c1 (error): ${outranked}`,
      'result 1.c2: high done',
      'result 1.c3: high done',
    ])
    expect(events.filter(({ type }) => type === 'calls.dropped' || type === 'call.suspended')).toEqual([])
  },
)

const cases: readonly { readonly given: string; readonly options: TestAgentOptions; readonly results: number }[] = [
  {
    given: 'by the answering fallback, bound',
    options: { fallbackModels: [bound([three, 'Bye'], 'other')] },
    results: 3,
  },
  { given: 'by the answering fallback, free', options: { fallbackModels: [scripted([three, 'Bye'])] }, results: 2 },
]

test.for(cases)('AGT-15 PRV-10 depends on the model that answers: $given', async ({ options, results }) => {
  const { act } = toolbox()
  const failing = scripted(() => ({ error: { kind: 'network' as const, message: 'down' } }))
  const isFree = results === 3
  const model = isFree ? failing : { ...failing, bindsCallsToReasoning: true }
  const tools = [act('low'), act('high', { priority: 2 })]
  const { agent, store } = testAgent({ model, tools, retry: { maxRetries: 0 }, ...options })
  await agent.run('Hi', { runId })

  expect(Object.keys(await statusesOf(store, runId)).length).toBe(results)
})

test('AGT-15 TC-04 calls no plugin for a call of lower priority, before or after', async () => {
  const { act } = toolbox()
  const heard: string[] = []
  const plugin: Plugin = {
    name: 'listening',
    gateCall: ({ call: { callId } }) => {
      heard.push(`gate ${callId}`)
      return { result: 'Supplied.' }
    },
    reviewCall: ({ call: { callId } }) => void heard.push(`review ${callId}`),
  }
  const tools = [act('low'), act('high', { priority: 2 })]
  const { agent, store } = testAgent({ model: bound([three, 'Bye']), tools, plugins: [plugin] })
  await agent.run('Hi', { runId })

  expect(heard.toSorted()).toEqual(['gate 1.c2', 'gate 1.c3', 'review 1.c2', 'review 1.c3'])
  expect(await transcriptOf(store, runId)).toEqual([
    'user: Hi',
    'assistant: calls 1.c1 low, 1.c2 high, 1.c3 high',
    `1.c1 failed, result 1.c1 (error): ${outranked}`,
    '1.c2 succeeded, result 1.c2: Supplied.',
    '1.c3 succeeded, result 1.c3: Supplied.',
    'assistant: Bye',
  ])
})

test.for([true, false])(
  'AGT-15 RUN-03 waits if every call of the highest priority suspended, wire bound: %s',
  async (isBound) => {
    const { act } = toolbox()
    const replies = [calls(call('c1', 'high'), call('c2', 'low')), 'Bye']
    const tools = [act('low'), act('high', { priority: 2, needs: 'approval' })]
    const model = isBound ? bound(replies) : scripted(replies)
    const { agent, prompts } = testAgent({ model, tools })
    const run = agent.start('Hi', { runId })

    expect((await run.settled()).outcome).toEqual({ reason: 'suspended' })
    await run.approve('1.c1')
    expect((await run.settled()).text).toBe('Bye')
    expect(prompts[1]).toEqual([
      'user: Hi',
      `assistant: calls 1.c1 high${isBound ? ', 1.c2 low' : ''}`,
      'result 1.c1: high done',
      ...(isBound ? [`result 1.c2 (error): ${outranked}`] : []),
    ])
  },
)

test('AGT-15 refuses an unknown tool by its name, with any priorities', async () => {
  const { act } = toolbox()
  const replies = [calls(call('c1', 'nobody'), call('c2', 'low'), call('c3', 'high')), 'Bye']
  const { agent, prompts } = testAgent({ model: bound(replies), tools: [act('low'), act('high', { priority: 2 })] })
  await agent.run('Hi', { runId })

  expect(prompts[1]?.slice(2)).toEqual([
    'result 1.c1 (error): Tool "nobody" does not exist. Available tools: low, high.',
    `result 1.c2 (error): ${outranked}`,
    'result 1.c3: high done',
  ])
})

describe('AGT-12 an answer with too many calls', () => {
  const many = (count: number) => calls(...Array.from({ length: count }, (_, index) => call(`c${index}`, 'act')))

  test("AGT-12 runs the first calls up to the maximum and answers the rest without running them, in the model's order", async () => {
    const { done, act } = toolbox()
    const { agent, prompts } = testAgent({
      replies: [many(5), 'Bye'],
      tools: [act()],
      limits: { maxCallsPerTurn: 3, repeat: 0 },
    })
    await agent.run('Hi', { runId })
    expect(done).toHaveLength(3)
    const rest = '[Not executed: an answer may hold at most 3 calls.]'
    expect(prompts[1]?.slice(2)).toEqual([
      ...['c0', 'c1', 'c2'].map((id) => `result 1.${id}: act done`),
      ...['c3', 'c4'].map((id) => `result 1.${id} (error): ${rest}`),
    ])
  })

  test.for(['parallel', 'sequential', { batch: 7 }] as const)(
    'AGT-12 runs at most 128 calls by default, executor %j',
    async (executor) => {
      const { done, act } = toolbox()
      const { agent, prompts } = testAgent({
        replies: [many(130), 'Bye'],
        tools: [act()],
        executor,
        limits: { repeat: 0 },
      })
      await agent.run('Hi', { runId })
      expect(done).toHaveLength(128)
      expect(prompts[1]?.at(-1)).toBe('result 1.c129 (error): [Not executed: an answer may hold at most 128 calls.]')
    },
  )

  test('AGT-12 requests no approval of calls beyond the maximum, and no run waits for them', async () => {
    const { act } = toolbox()
    const tools = [act('act', { needs: 'approval' })]
    const { agent, store } = testAgent({ replies: [many(4), 'Bye'], tools, limits: { maxCallsPerTurn: 2 } })
    expect(await agent.run('Hi', { runId })).toMatchObject({
      status: 'waiting',
      suspended: [{ callId: '1.c0' }, { callId: '1.c1' }],
    })
    expect(Object.values(await statusesOf(store, runId))).toEqual(['suspended', 'suspended', 'failed', 'failed'])
  })

  test.for([0.5, 0, -1, Number.NaN, '128'])('AGT-12 refuses %s as the maximum', (maxCallsPerTurn) => {
    expect(() => testAgent({ limits: { maxCallsPerTurn: maxCallsPerTurn as number } })).toThrow(/maxCallsPerTurn/)
  })
})
