import { expect, test } from 'vitest'
import { textOf } from '../../src/core/domain/message.ts'
import { transcriptOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { toolbox } from '../../proof/support/tools.ts'
import { eventsOf, runId, testAgent, type TestAgentOptions } from '../../proof/support/test-agent.ts'

/** A run whose model never stops to ask for a tool: each turn takes 1,000 tokens and ten seconds. */
function endless(options: TestAgentOptions = {}) {
  const { act, done } = toolbox()
  const built = testAgent({
    replies: () => {
      built.clock.advance(10_000)
      return { ...calls(call('c', 'act')), usage: { input: 900, output: 100 } }
    },
    tools: [act()],
    ...options,
    limits: { repeat: 0, ...options.limits },
  })
  return { ...built, done }
}

/** Five hundred times as many tokens, none of the time. */
function costly() {
  const { act, done } = toolbox()
  const replies = () => ({ ...calls(call('c', 'act')), usage: { input: 450_000, output: 50_000 } })
  return { ...testAgent({ replies, tools: [act()], limits: { repeat: 0 } }), done }
}

/** Ten minutes an answer. */
function slow() {
  const { act, done } = toolbox()
  const built = testAgent({
    replies: () => {
      built.clock.advance(600_000)
      return calls(call('c', 'act'))
    },
    tools: [act()],
  })
  return { ...built, done }
}

test.each([
  ['turns', () => endless(), 50, 'max_turns', 'maximum number of turns reached'],
  ['tokens', costly, 2, 'max_tokens', 'maximum number of tokens reached'],
  ['time', slow, 1, 'max_duration', 'maximum running time reached'],
])(
  'AGT-12 an endless run ends at the default limit of %s, without an error and with a note',
  async (_limit, make, modelCalls, code, words) => {
    const { agent, store, prompts } = make()
    const run = agent.start('Hi', { runId })
    const events = await eventsOf(run)
    const note = `[Agent stopped: ${words}]`

    expect(prompts).toHaveLength(modelCalls)
    const last = events.slice(-2)
    expect(last).toMatchObject([
      { type: 'message.ended', message: { role: 'user' } },
      { type: 'run.ended', outcome: { reason: 'stopped', code } },
    ])
    const told = events.flatMap((event) => (event.type === 'message.ended' ? [textOf(event.message)] : []))
    expect(told.filter((text) => text.startsWith('[Agent stopped'))).toEqual([note])
    expect((await transcriptOf(store, runId)).at(-1)).toBe(`user: ${note}`)
    expect(await store.record(runId)).not.toHaveProperty('error')
  },
)

test('AGT-12 turns its limits off, and sets by one option what happens at each', async () => {
  const limits = { maxTurns: 2 }
  const outcomes = []
  for (const onLimit of ['stop', 'error', 'finish'] as const) {
    const { agent, toolChoices } = endless({ limits, onLimit })
    const { outcome } = await agent.run('Hi', { runId })
    outcomes.push([onLimit, outcome.reason, outcome.code, toolChoices.at(-1)])
  }
  expect(outcomes).toEqual([
    ['stop', 'stopped', 'max_turns', undefined],
    ['error', 'error', 'max_turns', undefined],
    ['finish', 'stopped', 'max_turns', 'none'],
  ])
})

test.each([1, 2, 5])(
  'AGT-10 a quota of %i model calls ends the run with an error that names the quota',
  async (quota) => {
    const { agent, store, prompts, done } = endless({ limits: { maxToolInteractions: quota } })
    const error = { code: 'max_tool_interactions', message: 'Tool calls exhausted max quota' }
    const run = agent.start('Hi', { runId })
    const events = await eventsOf(run)

    expect(events.at(-1)).toMatchObject({ type: 'run.ended', outcome: { reason: 'error', error } })
    expect(await store.record(runId)).toMatchObject({ status: 'done', doneReason: 'error', error })
    expect([prompts.length, done.length]).toEqual([quota, quota])
  },
)

test('AGT-10 a run within its quota, or without one, ends naturally', async () => {
  for (const limits of [{ maxToolInteractions: 2 }, {}]) {
    const { act } = toolbox()
    const { agent } = testAgent({ limits, replies: [calls(call('c', 'act')), 'Bye'], tools: [act()] })
    expect((await agent.run('Hi', { runId })).outcome).toEqual({ reason: 'natural_end' })
  }
})
