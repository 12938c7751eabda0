import { expect, test } from 'vitest'
import type { OnLimit } from '../../src/ports.ts'
import type { Run } from '../../src/index.ts'
import { resultsOf, statusesOf, transcriptOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { toolbox, toolNamed } from '../../proof/support/tools.ts'
import { runId, testAgent, type TestAgentOptions } from '../../proof/support/test-agent.ts'

const usage = { input: 40, output: 10 }
const asking = () => ({ ...calls(call('c', 'act')), usage })

test('RUN-05 finishes the running round, then stops at max turns with a note (E6)', async () => {
  const { done, act } = toolbox()
  const { agent, store } = testAgent({ replies: asking, tools: [act()], limits: { maxTurns: 2, repeat: 0 } })
  const first = await agent.run('Hi', { runId })

  expect(first).toMatchObject({ status: 'done', outcome: { reason: 'stopped', code: 'max_turns' } })
  expect(done.length).toBe(2)
  expect((await transcriptOf(store, runId)).slice(-3)).toEqual([
    'assistant: calls 2.c act',
    '2.c succeeded, result 2.c: act done',
    'user: [Agent stopped: maximum number of turns reached]',
  ])
  const second = await agent.run('Again', { runId: 'run-2' })
  expect([second.outcome.code, done.length]).toEqual(['max_turns', 4])
})

interface Case {
  readonly limits: TestAgentOptions['limits']
  readonly onLimit?: OnLimit
  readonly modelCalls: number
  readonly outcome: unknown
  readonly note?: string
}

test.for<Case>([
  {
    limits: { maxTurns: 3 },
    modelCalls: 3,
    outcome: { reason: 'stopped', code: 'max_turns' },
    note: 'maximum number of turns reached',
  },
  {
    limits: { maxTokens: 100 },
    modelCalls: 2,
    outcome: { reason: 'stopped', code: 'max_tokens' },
    note: 'maximum number of tokens reached',
  },
  {
    limits: { maxDurationMs: 3000 },
    modelCalls: 3,
    outcome: { reason: 'stopped', code: 'max_duration' },
    note: 'maximum running time reached',
  },
  {
    limits: { maxToolInteractions: 2 },
    modelCalls: 2,
    outcome: {
      reason: 'error',
      code: 'max_tool_interactions',
      error: { code: 'max_tool_interactions', message: 'Tool calls exhausted max quota' },
    },
  },
  {
    limits: { maxToolInteractions: 2 },
    onLimit: 'stop',
    modelCalls: 2,
    outcome: { reason: 'stopped', code: 'max_tool_interactions' },
    note: 'maximum number of tool interactions reached',
  },
  {
    limits: { maxTurns: 2 },
    onLimit: 'error',
    modelCalls: 2,
    outcome: {
      reason: 'error',
      code: 'max_turns',
      error: { code: 'max_turns', message: 'maximum number of turns reached' },
    },
  },
  { limits: { maxTurns: 2 }, onLimit: 'finish', modelCalls: 3, outcome: { reason: 'stopped', code: 'max_turns' } },
  {
    limits: { maxTurns: 2, maxToolInteractions: 2 },
    onLimit: { max_turns: 'finish' },
    modelCalls: 3,
    outcome: { reason: 'stopped', code: 'max_turns' },
  },
])(
  'RUN-05 stops after $modelCalls model calls: $limits, $onLimit',
  async ({ limits, onLimit, modelCalls, outcome, note }) => {
    const { act } = toolbox()
    const built = testAgent({
      ...(onLimit === undefined ? {} : { onLimit }),
      replies: ({ toolChoice }) => {
        built.clock.advance(1000)
        return toolChoice === 'none' ? 'The best I have' : asking()
      },
      tools: [act()],
      limits: { ...limits, repeat: 0 },
    })
    const result = await built.agent.run('Hi', { runId })

    expect(result.outcome).toEqual(outcome)
    expect(built.prompts.length).toBe(modelCalls)
    const notes = (await transcriptOf(built.store, runId)).filter((line) => line.startsWith('user: ['))
    expect(notes).toEqual(note === undefined ? [] : [`user: [Agent stopped: ${note}]`])
  },
)

test("RUN-05 asks once more without tools if the limit's action is finish, and ends with that answer", async () => {
  const { act } = toolbox()
  const { agent, prompts, toolChoices } = testAgent({
    limits: { maxTurns: 1 },
    onLimit: 'finish',
    replies: [asking(), { text: 'The best I have', toolCalls: [call('x', 'act')] }],
    tools: [act()],
  })
  const result = await agent.run('Hi', { runId })

  expect(result).toMatchObject({ text: 'The best I have', outcome: { reason: 'stopped', code: 'max_turns' } })
  expect(toolChoices).toEqual([undefined, 'none'])
  expect(prompts[1]?.at(-1)).toBe(
    'user: You have reached your limit. Give your best final answer now, without calling tools.',
  )
})

test('RUN-05 has default limits unless they are turned off', async () => {
  const { done, act } = toolbox()
  const usual = testAgent({ replies: () => calls(call('c', 'act')), tools: [act()], limits: { repeat: 0 } })
  expect((await usual.agent.run('Hi', { runId })).outcome.code).toBe('max_turns')
  expect(done.length).toBe(50)
  const free = testAgent({
    replies: (request) => (request.messages.length > 120 ? 'Bye' : calls(call('c', 'act'))),
    tools: [act()],
    limits: { maxTurns: Infinity, maxTokens: Infinity, maxDurationMs: Infinity, repeat: 0 },
  })
  expect((await free.agent.run('Hi', { runId })).outcome).toEqual({ reason: 'natural_end' })
  expect(done.length).toBeGreaterThan(100)
})

test('RUN-05 counts interactions across a suspension (A4)', async () => {
  const { act } = toolbox()
  const { agent, prompts } = testAgent({
    replies: ({ messages }) => calls(call('c', messages.length === 5 ? 'gated' : 'act')),
    tools: [act(), act('gated', { needs: 'approval' })],
    limits: { maxToolInteractions: 5, repeat: 0 },
  })
  expect((await agent.run('Hi', { runId })).status).toBe('waiting')
  const run = await agent.load(runId)
  await run.approve()

  expect((await run.settled()).outcome).toEqual({
    reason: 'error',
    code: 'max_tool_interactions',
    error: { code: 'max_tool_interactions', message: 'Tool calls exhausted max quota' },
  })
  expect(prompts.length).toBe(5)
})

test("RUN-05 counts a tool's time even if its model answered within the millisecond", async () => {
  const hour = toolNamed('hour', () => {
    clock.advance(3_600_000)
    return 'an hour later'
  })
  const { agent, clock } = testAgent({ replies: [calls(call('c1', 'hour')), 'Bye'], tools: [hour] })
  expect((await agent.run('Hi', { runId })).outcome).toEqual({ reason: 'stopped', code: 'max_duration' })
})

test('RUN-05 does not count the time while a run waits', async () => {
  const { act } = toolbox()
  const { agent, clock } = testAgent({
    limits: { maxDurationMs: 1000 },
    replies: [calls(call('c1', 'gated')), 'Bye'],
    tools: [act('gated', { needs: 'approval' })],
  })
  await agent.run('Hi', { runId })
  clock.advance(1_000_000)
  const run = await agent.load(runId)
  await run.approve()

  expect((await run.settled()).outcome).toEqual({ reason: 'natural_end' })
})

test.for([
  { what: 'an expiry', ticket: { expiresAt: 1_700_000_100_000 }, end: () => Promise.resolve() },
  { what: 'a cancelled call', ticket: {}, end: (run: Run) => run.cancelCall('1.c1') },
])('RUN-05 does not count the time of a wait that $what ends', async ({ ticket, end }) => {
  const { ask, act } = toolbox()
  const { agent, clock } = testAgent({
    limits: { maxDurationMs: 1000 },
    replies: [calls(call('c1', 'ask')), calls(call('c2', 'act')), 'Bye'],
    tools: [ask('ask', ticket), act()],
  })
  const run = agent.start('Hi', { runId })
  await run.settled()
  clock.advance(1_000_000)
  await end(run)

  expect((await run.settled()).outcome).toEqual({ reason: 'natural_end' })
})

const mixed = [calls(call('c1', 'act'), call('c2', 'gated')), 'The best I have']

test('RUN-03 RUN-05 waits before it stops at a limit, and stops without a model call (waits are judged before limits)', async () => {
  const { act } = toolbox()
  const { agent, store, prompts } = testAgent({
    limits: { maxTurns: 1 },
    replies: mixed,
    tools: [act(), act('gated', { needs: 'approval' })],
  })
  const paused = await agent.run('Hi', { runId })
  const run = await agent.load(runId)
  expect(paused.outcome).toEqual({ reason: 'suspended' })
  await run.approve()

  expect((await run.settled()).outcome).toEqual({ reason: 'stopped', code: 'max_turns' })
  expect(prompts.length).toBe(1)
  expect((await transcriptOf(store, runId)).slice(3)).toEqual([
    '1.c2 succeeded, result 1.c2: gated done',
    'user: [Agent stopped: maximum number of turns reached]',
  ])
})

test('RUN-03 RUN-05 never makes the finishing call while a call is suspended, and makes it once', async () => {
  const { act } = toolbox()
  const { agent, prompts, toolChoices } = testAgent({
    limits: { maxTurns: 1 },
    onLimit: 'finish',
    replies: mixed,
    tools: [act(), act('gated', { needs: 'approval' })],
  })
  expect((await agent.run('Hi', { runId })).status).toBe('waiting')
  const run = await agent.load(runId)
  await run.deny()
  const end = await run.settled()

  expect(end).toMatchObject({ text: 'The best I have', outcome: { reason: 'stopped', code: 'max_turns' } })
  expect([prompts.length, toolChoices]).toEqual([2, [undefined, 'none']])
})

test("RUN-05 RUN-07 cancels a suspended call if the limit's action is an error", async () => {
  const { act } = toolbox()
  const { agent, store } = testAgent({
    limits: { maxTurns: 1 },
    onLimit: 'error',
    replies: mixed,
    tools: [act(), act('gated', { needs: 'approval' })],
  })

  expect((await agent.run('Hi', { runId })).outcome).toMatchObject({ reason: 'error', code: 'max_turns' })
  expect(await statusesOf(store, runId)).toEqual({ '1.c1': 'succeeded', '1.c2': 'cancelled' })
  expect(await resultsOf(store, runId)).toMatchObject({
    '1.c2': '[Tool execution was interrupted before producing a result.]',
  })
})

test('RUN-03 RUN-05 waits instead of failing if every call of the round is suspended at a limit', async () => {
  const { act } = toolbox()
  const { agent } = testAgent({
    limits: { maxTurns: 1 },
    onLimit: 'error',
    replies: [calls(call('c1', 'gated'))],
    tools: [act('gated', { needs: 'approval' })],
  })

  expect((await agent.run('Hi', { runId })).outcome).toEqual({ reason: 'suspended' })
})
