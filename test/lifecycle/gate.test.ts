import { z } from 'zod'
import { expect, test } from 'vitest'
import { type Plugin, tool } from '../../src/index.ts'
import type { GateAnswer } from '../../src/core/ports/plugin.ts'
import { resultsOf, statusesOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { toolbox } from '../../proof/support/tools.ts'
import { eventsOf, runId, testAgent } from '../../proof/support/test-agent.ts'

function saying(name: string, answer: GateAnswer): Plugin {
  return { name, gateCall: () => answer }
}

const block: GateAnswer = { block: 'Blocked' }
const result: GateAnswer = { result: 'Set' }
const suspend: GateAnswer = { suspend: { message: 'Sure?' } }

interface Case {
  readonly what: string
  readonly name?: string
  readonly input?: { readonly city: string } | { readonly city: number }
  readonly answers: readonly GateAnswer[]
  readonly status: string
  readonly text: string | undefined
  readonly executed?: boolean
}

test.for<Case>([
  { what: 'block over a set result', answers: [result, block], status: 'failed', text: 'Blocked' },
  { what: 'block over suspend (S20)', answers: [suspend, block], status: 'failed', text: 'Blocked' },
  { what: 'block over an unknown tool', name: 'nope', answers: [block], status: 'failed', text: 'Blocked' },
  { what: 'a set result over an unknown tool', name: 'nope', answers: [result], status: 'succeeded', text: 'Set' },
  { what: 'a set result over bad arguments', input: { city: 1 }, answers: [result], status: 'succeeded', text: 'Set' },
  { what: 'a set result over suspend', answers: [suspend, result], status: 'succeeded', text: 'Set' },
  {
    what: 'an unknown tool over suspend',
    name: 'nope',
    answers: [suspend],
    status: 'failed',
    text: 'Tool "nope" does not exist. Available tools: weather.',
  },
  {
    what: 'bad arguments over suspend (S17)',
    input: { city: 1 },
    answers: [suspend],
    status: 'failed',
    text: 'Invalid arguments for "weather":\n- city: Invalid input: expected string, received number',
  },
  { what: 'suspend over execute', answers: [suspend], status: 'suspended', text: undefined },
  { what: 'execute where nobody speaks', answers: [undefined], status: 'succeeded', text: 'Sunny', executed: true },
])(
  'TC-02 TC-07 ranks $what',
  async ({ name = 'weather', input = { city: 'Oslo' }, answers, status, text, executed }) => {
    const executions: string[] = []
    const weather = tool({
      name: 'weather',
      description: 'Weather of a city',
      input: z.object({ city: z.string() }),
      execute: ({ city }) => {
        executions.push(city)
        return 'Sunny'
      },
    })
    const plugins = answers.map((answer, index) => saying(`p${index}`, answer))
    const { agent, store } = testAgent({ replies: [calls(call('c1', name, input)), 'Bye'], tools: [weather], plugins })

    await agent.run('Hi', { runId })

    expect(await statusesOf(store, runId)).toEqual({ '1.c1': status })
    expect(await resultsOf(store, runId)).toEqual({ '1.c1': text })
    expect(executions).toEqual(executed === true ? ['Oslo'] : [])
  },
)

test.for([
  ['two suspend', { suspend: { message: 'first' } }, { suspend: { message: 'second' } }],
  ['two block', { block: 'first' }, { block: 'second' }],
  ['two set the result', { result: 'first' }, { result: 'second' }],
] satisfies [string, GateAnswer, GateAnswer][])(
  'TC-02 keeps the first of two plugins with equal rank and reports the conflict: %s (S20)',
  async ([, first, second]) => {
    const { act } = toolbox()
    const { agent, store } = testAgent({
      replies: [calls(call('c1', 'act')), 'Bye'],
      tools: [act()],
      plugins: [saying('one', first), saying('two', second)],
    })
    const run = agent.start('Hi', { runId })
    const events = await eventsOf(run)

    const conflicts = events.filter(({ type }) => type === 'plugin.conflict')
    expect(conflicts).toEqual([
      {
        type: 'plugin.conflict',
        seq: 8,
        runId,
        subject: runId,
        at: 1_700_000_000_000,
        callId: '1.c1',
        kept: 'one',
        ignored: 'two',
      },
    ])
    const [row] = await store.calls(runId)
    const text = (await resultsOf(store, runId))['1.c1'] ?? row?.record.suspension?.message
    expect(text).toBe('first')
  },
)

test('TC-02 requests no approval of a call that could not run (S17)', async () => {
  const asked: unknown[] = []
  const gated = tool({
    name: 'gated',
    description: 'Needs approval',
    input: z.object({ n: z.number() }),
    needs: (input) => {
      asked.push(input)
      return true
    },
    execute: () => 'ran',
  })
  const { agent, store } = testAgent({ replies: [calls(call('c1', 'gated', { n: 'x' })), 'Bye'], tools: [gated] })

  expect((await agent.run('Hi', { runId })).outcome).toEqual({ reason: 'natural_end' })
  expect(asked).toEqual([])
  expect(await statusesOf(store, runId)).toEqual({ '1.c1': 'failed' })
})

test('TC-02 asks if the rule that decides whether to ask throws', async () => {
  const { act } = toolbox()
  const needs = () => {
    throw new Error('no rule')
  }
  const { agent } = testAgent({ replies: [calls(call('c1', 'act')), 'Bye'], tools: [act('act', { needs })] })

  expect((await agent.run('Hi', { runId })).status).toBe('waiting')
})

test('TC-02 reports the parse error of malformed arguments and never runs the call with {}', async () => {
  const { done, act } = toolbox()
  const { agent, store } = testAgent({
    replies: [calls({ id: 'c1', name: 'act', arguments: {}, malformed: 'Unexpected end of JSON input' }), 'Bye'],
    tools: [act()],
  })

  await agent.run('Hi', { runId })

  expect(done).toEqual([])
  expect(await resultsOf(store, runId)).toEqual({
    '1.c1': 'The arguments for "act" could not be read: Unexpected end of JSON input',
  })
})

test('TC-02 runs the complete calls of a truncated answer and refuses the one that was cut off', async () => {
  const { done, act } = toolbox()
  const cut = { id: 'c2', name: 'act', arguments: {}, truncated: true }
  const { agent, store } = testAgent({
    replies: [{ ...calls(call('c1', 'act'), cut), stopReason: 'length' }, 'Bye'],
    tools: [act()],
  })

  await agent.run('Hi', { runId })

  expect(done).toEqual(['act {}'])
  expect(await resultsOf(store, runId)).toEqual({
    '1.c1': 'act done',
    '1.c2': '[Not executed: the answer was cut off at the token limit.]',
  })
})

test("TC-02 RUN-06 continues after a plugin's denial, and a replay passes its gate once approved (L9)", async () => {
  const { done, act } = toolbox()
  const seen: (string | undefined)[] = []
  const asking: Plugin = {
    name: 'asking',
    gateCall: ({ decision }) => {
      seen.push(decision?.action)
      return { suspend: {} }
    },
  }
  const { agent } = testAgent({ replies: [calls(call('c1', 'act')), 'Bye'], tools: [act()], plugins: [asking] })
  await agent.run('Hi', { runId })
  const run = await agent.load(runId)
  await run.approve()

  expect((await run.settled()).text).toBe('Bye')
  expect([seen, done]).toEqual([[undefined, 'resume'], ['act {}']])
})

test('TC-01 DEC-05 suspends a replay again if the gate insists', async () => {
  const { done, act } = toolbox()
  let asks = 0
  const insisting: Plugin = {
    name: 'insisting',
    gateCall: () => (++asks <= 2 ? { suspend: {}, evenIfApproved: true } : undefined),
  }
  const { agent } = testAgent({ replies: [calls(call('c1', 'act')), 'Bye'], tools: [act()], plugins: [insisting] })
  const ids: (string | undefined)[] = []
  ids.push((await agent.run('Hi', { runId })).suspended[0]?.suspension?.id)
  const run = await agent.load(runId)
  await run.approve()
  ids.push((await run.settled()).suspended[0]?.suspension?.id)
  await run.approve()

  expect((await run.settled()).text).toBe('Bye')
  expect(ids).toEqual(['sus_p1_1', 'sus_p1_2'])
  expect(done).toEqual(['act {}'])
})
