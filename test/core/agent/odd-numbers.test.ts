import { expect, test } from 'vitest'
import type { Plugin } from '../../../src/index.ts'
import { resultsOf } from '../../../proof/support/read-run.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { start } from '../../../proof/support/fake-clock.ts'
import { heldTool, toolbox } from '../../../proof/support/tools.ts'
import { runId, testAgent, type TestAgentOptions } from '../../../proof/support/test-agent.ts'

test('RUN-05 applies no limit that is Infinity, and keeps the others', async () => {
  const endless = { maxTokens: Infinity, maxDurationMs: Infinity, maxToolInteractions: Infinity, maxCost: Infinity }
  const { agent } = testAgent({ limits: { maxTurns: Infinity, ...endless }, replies: ['Bye'] })
  const bounded = testAgent({
    limits: { maxTurns: 2, ...endless },
    replies: () => calls(call('c1', 'act')),
    tools: [toolbox().act()],
  })

  expect((await agent.run('Hi', { runId })).outcome).toEqual({ reason: 'natural_end' })
  expect((await bounded.agent.run('Hi', { runId })).outcome).toEqual({ reason: 'stopped', code: 'max_turns' })
})

test('RUN-05 never notes a repeat if the repeat limit is Infinity', async () => {
  const { agent, prompts } = testAgent({
    replies: () => calls(call('c1', 'act')),
    tools: [toolbox().act()],
    limits: { maxTurns: 6, repeat: Infinity, onRepeat: 'stop' },
  })

  expect((await agent.run('Hi', { runId })).outcome).toEqual({ reason: 'stopped', code: 'max_turns' })
  expect(prompts.flat().filter((line) => line.startsWith('user'))).toEqual(Array(6).fill('user: Hi'))
})

test('RUN-06 retries without end if retries are Infinity', async () => {
  let failures = 0
  const { agent } = testAgent({
    retry: { maxRetries: Infinity, initialDelayMs: 0, maxDelayMs: Infinity },
    replies: () => (++failures <= 10 ? { error: { kind: 'network', message: 'down' } } : 'Bye'),
  })

  expect(await agent.run('Hi', { runId })).toMatchObject({ outcome: { reason: 'natural_end' }, text: 'Bye' })
  expect(failures).toBe(11)
})

test('TC-03 never times out a tool whose own time is Infinity, with any limit of the agent', async () => {
  const held = heldTool('held', { timeoutMs: Infinity })
  const { agent, store, clock } = testAgent({
    replies: [calls(call('c1', 'held')), 'Bye'],
    tools: [held.tool],
    limits: { toolTimeoutMs: 100 },
  })
  const end = agent.start('Hi', { runId }).settled()
  await held.begins('1.c1')
  clock.advance(1000)
  held.finish('1.c1')
  await end

  expect(await resultsOf(store, runId)).toEqual({ '1.c1': 'held done' })
})

const wish = 'Expected a number of 0 or more.'
const timed = (timeoutMs: number) => ({ tools: [toolbox().act('act', { timeoutMs })] })

test.for<[TestAgentOptions, string]>([
  [{ limits: { maxTurns: NaN } }, `Option limits.maxTurns is NaN, which is refused. ${wish}`],
  [{ limits: { maxTokens: -1 } }, `Option limits.maxTokens is -1, which is refused. ${wish}`],
  [{ limits: { maxDurationMs: NaN } }, `Option limits.maxDurationMs is NaN, which is refused. ${wish}`],
  [{ limits: { maxToolInteractions: -1 } }, `Option limits.maxToolInteractions is -1, which is refused. ${wish}`],
  [{ limits: { maxCost: -Infinity } }, `Option limits.maxCost is -Infinity, which is refused. ${wish}`],
  [
    { limits: { maxTokens: 2 ** 53 } },
    'Option limits.maxTokens is 9007199254740992, which is refused. Expected at most 9007199254740991, or Infinity for no limit.',
  ],
  [
    { limits: { maxCost: 9_007_200 } },
    'Option limits.maxCost is 9007200, which is refused. Expected at most 9007199, or Infinity for no limit.',
  ],
  [{ limits: { maxTurns: '5' as never } }, `Option limits.maxTurns is 5, which is refused. ${wish}`],
  [{ limits: { repeat: NaN } }, `Option limits.repeat is NaN, which is refused. ${wish}`],
  [{ retry: { maxRetries: NaN } }, `Option retry.maxRetries is NaN, which is refused. ${wish}`],
  [{ retry: { maxRetries: -1 } }, `Option retry.maxRetries is -1, which is refused. ${wish}`],
  [
    { retry: { initialDelayMs: Infinity } },
    'Option retry.initialDelayMs is Infinity, which is refused. Expected a finite number.',
  ],
  [{ retry: { factor: NaN } }, `Option retry.factor is NaN, which is refused. ${wish}`],
  [{ retry: { maxDelayMs: -1 } }, `Option retry.maxDelayMs is -1, which is refused. ${wish}`],
  [{ limits: { toolTimeoutMs: -1 } }, `Option limits.toolTimeoutMs is -1, which is refused. ${wish}`],
  [timed(NaN), `Option timeoutMs of tool "act" is NaN, which is refused. ${wish}`],
])('RUN-06 refuses to build an agent with an invalid number: %#', ([options, message]) => {
  expect(() => testAgent(options)).toThrow(expect.objectContaining({ name: 'UsageError', code: 'bad_number', message }))
})

test('DEC-06 accepts an approval of a call that expires at Infinity, which means never', async () => {
  const { ask } = toolbox()
  const { agent, store, clock } = testAgent({
    replies: [calls(call('c1', 'ask')), 'Bye'],
    tools: [ask('ask', { message: 'Sure?', expiresAt: Infinity })],
  })
  const run = agent.start('Hi', { runId })
  const { suspended } = await run.settled()
  clock.advance(10 ** 12)

  expect(suspended.map(({ suspension }) => suspension)).toEqual([{ id: 'sus_p1_1', reason: 'input', message: 'Sure?' }])
  expect(await run.approve()).toMatchObject({ target: 'sus_p1_1', answer: 'applied' })
  expect((await run.settled()).outcome).toEqual({ reason: 'natural_end' })
  expect(await resultsOf(store, runId)).toEqual({ '1.c1': 'ask heard resume' })
})

test.for([NaN, -Infinity, '2030-01-01', new Date(start)])(
  'DEC-06 returns a failed result for a tool whose ticket expires at %s',
  async (expiresAt) => {
    const { ask } = toolbox()
    const { agent, store } = testAgent({
      replies: [calls(call('c1', 'ask')), 'Bye'],
      tools: [ask('ask', { expiresAt: expiresAt as number })],
    })
    await agent.run('Hi', { runId })

    expect(await resultsOf(store, runId)).toEqual({
      '1.c1': `Tool "ask" failed: The ticket expires at ${String(expiresAt)}. Expected Unix milliseconds, or nothing for never.`,
    })
  },
)

test('DEC-06 RUN-06 ends the run with an error that names the plugin whose ticket expires at NaN', async () => {
  const plugin: Plugin = { name: 'holding', runStart: ({ suspend }) => suspend({ expiresAt: NaN }) }
  const { agent } = testAgent({ replies: ['Bye'], plugins: [plugin] })

  expect((await agent.run('Hi', { runId })).outcome).toEqual({
    reason: 'error',
    error: {
      code: 'effect_failed',
      message:
        'Plugin "holding" failed in runStart: The ticket expires at NaN. Expected Unix milliseconds, or nothing for never.',
    },
  })
})
