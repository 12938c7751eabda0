import { expect, test } from 'vitest'
import type { Plugin } from '../../src/index.ts'
import type { Phase } from '../../machines/run/run.phases.ts'
import { userMessage } from '../../src/core/domain/message.ts'
import { resultsOf, statusesOf, transcriptOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { toolbox } from '../../proof/support/tools.ts'
import { runId, testAgent } from '../../proof/support/test-agent.ts'

const phases: readonly Phase[] = [
  'runStart',
  'stepStart',
  'beforeModel',
  'afterModel',
  'stepEnd',
  'gateCall',
  'reviewCall',
  'runEnd',
]

function listening(log: string[]): Plugin {
  const entries = phases.map((phase) => [
    phase,
    (context: { turn: number; call?: { callId: string } }) =>
      void log.push(`${phase} ${context.turn}${context.call === undefined ? '' : ` ${context.call.callId}`}`),
  ])
  return { name: 'listening', ...(Object.fromEntries(entries) as object) }
}

test('RUN-02 TC-04 calls plugins in the order of the flow, again after a wait', async () => {
  const log: string[] = []
  const { act } = toolbox()
  const { agent } = testAgent({
    replies: [calls(call('c1', 'gated')), 'Bye'],
    tools: [act('gated', { needs: 'approval' })],
    plugins: [listening(log)],
  })
  await agent.run('Hi', { runId })
  log.push('— waits —')
  const run = await agent.load(runId)
  await run.approve()
  await run.settled()

  expect(log).toEqual([
    'runStart 0',
    'stepStart 1',
    'beforeModel 1',
    'afterModel 1',
    'stepEnd 1',
    'gateCall 1 1.c1',
    'reviewCall 1 1.c1',
    'runEnd 1',
    '— waits —',
    'runStart 1',
    'gateCall 1 1.c1',
    'reviewCall 1 1.c1',
    'stepStart 2',
    'beforeModel 2',
    'afterModel 2',
    'stepEnd 2',
    'runEnd 2',
  ])
})

test.for(phases)('RUN-06 ends the run with an error that names the plugin if it throws in %s (L9)', async (phase) => {
  const { act } = toolbox()
  const throwing: Plugin = {
    name: 'throwing',
    [phase]: () => {
      throw new Error('boom')
    },
  }
  const { agent, store } = testAgent({
    replies: [calls(call('c1', 'act'), call('c2', 'act')), 'Bye'],
    tools: [act()],
    plugins: [throwing],
  })
  const { status, outcome } = await agent.run('Hi', { runId })

  expect([status, outcome.reason, outcome.error?.code]).toEqual(['done', 'error', 'effect_failed'])
  expect(outcome.error?.message).toMatch(new RegExp(`Plugin "throwing" failed in ${phase}: boom`))
  const results = Object.values(await resultsOf(store, runId))
  expect(results).not.toContain(undefined)
  expect(Object.values(await statusesOf(store, runId)).every((state) => /succeeded|cancelled/.test(state))).toBe(true)
})

test('RUN-06 ends a run with an error if a plugin throws on a suspended call, and cancels the call', async () => {
  const { act } = toolbox()
  const throwing: Plugin = {
    name: 'throwing',
    reviewCall: () => {
      throw new Error('boom')
    },
  }
  const { agent, store } = testAgent({
    replies: [calls(call('c1', 'gated')), 'Bye'],
    tools: [act('gated', { needs: 'approval' })],
    plugins: [throwing],
  })

  expect((await agent.run('Hi', { runId })).outcome.reason).toBe('error')
  expect(await statusesOf(store, runId)).toEqual({ '1.c1': 'cancelled' })
})

test('RUN-06 ends a run with an error if a plugin throws at the gate of a replay', async () => {
  const { act } = toolbox()
  const throwing: Plugin = {
    name: 'throwing',
    gateCall: ({ decision }) => {
      if (decision !== undefined) throw new Error('boom')
    },
  }
  const { agent, store } = testAgent({
    replies: [calls(call('c1', 'gated')), 'Bye'],
    tools: [act('gated', { needs: 'approval' })],
    plugins: [throwing],
  })
  await agent.run('Hi', { runId })
  const run = await agent.load(runId)
  await run.approve()

  expect((await run.settled()).outcome.reason).toBe('error')
  expect(await statusesOf(store, runId)).toEqual({ '1.c1': 'cancelled' })
})

test('RUN-03 RUN-05 keeps an end that was planned before a wait, despite later requests of a plugin', async () => {
  const plugin: Plugin = {
    name: 'ending twice',
    afterModel: ({ terminate }) => terminate('first'),
    runStart: ({ isResumed, terminate }) => (isResumed ? terminate('second') : undefined),
  }
  const { done, act } = toolbox()
  const { agent } = testAgent({
    replies: [calls(call('c1', 'gated')), 'Bye'],
    tools: [act('gated', { needs: 'approval' })],
    plugins: [plugin],
  })
  expect((await agent.run('Hi', { runId })).status).toBe('waiting')
  const run = await agent.load(runId)
  await run.approve()
  expect((await run.settled()).outcome).toEqual({ reason: 'stopped', code: 'first' })
  expect(done).toEqual(['gated {}'])
})

function ending(phase: Phase, code?: string): Plugin {
  return {
    name: 'ending',
    [phase]: (context: { turn: number; terminate: (code?: string) => void }) => {
      if (phase === 'runStart' || context.turn === 2) context.terminate(code)
    },
  }
}

interface Terminate {
  readonly phase: Phase
  readonly code?: string
  readonly modelCalls: number
  readonly outcome: unknown
  /** The results of the calls of turn 2. */
  readonly second?: string
}

test.for<Terminate>([
  { phase: 'runStart', modelCalls: 0, outcome: { reason: 'plugin_requested' } },
  { phase: 'runStart', code: 'closed', modelCalls: 0, outcome: { reason: 'stopped', code: 'closed' } },
  { phase: 'stepStart', modelCalls: 1, outcome: { reason: 'plugin_requested' } },
  { phase: 'stepStart', code: 'early', modelCalls: 1, outcome: { reason: 'stopped', code: 'early' } },
  { phase: 'beforeModel', modelCalls: 1, outcome: { reason: 'plugin_requested' } },
  { phase: 'beforeModel', code: 'dear', modelCalls: 1, outcome: { reason: 'stopped', code: 'dear' } },
  { phase: 'afterModel', modelCalls: 2, outcome: { reason: 'plugin_requested' }, second: 'cancelled' },
  {
    phase: 'afterModel',
    code: 'enough',
    modelCalls: 2,
    outcome: { reason: 'stopped', code: 'enough' },
    second: 'succeeded',
  },
])(
  "RUN-05 PH-01 ends at a plugin's request in $phase with code $code",
  async ({ phase, code, modelCalls, outcome, second }) => {
    const { act } = toolbox()
    const { agent, store, prompts } = testAgent({
      replies: [calls(call('c', 'act')), calls(call('c', 'act')), 'Bye'],
      tools: [act()],
      plugins: [ending(phase, code)],
    })

    expect((await agent.run('Hi', { runId })).outcome).toEqual(outcome)
    expect(prompts.length).toBe(modelCalls)
    expect((await statusesOf(store, runId))['2.c']).toBe(second)
    expect(Object.values(await resultsOf(store, runId))).not.toContain(undefined)
  },
)

test.for([
  [undefined, 'approve', { reason: 'plugin_requested' }],
  [undefined, 'deny', { reason: 'plugin_requested' }],
  [undefined, 'cancel', { reason: 'cancelled' }],
  ['enough', 'approve', { reason: 'stopped', code: 'enough' }],
  ['enough', 'cancel', { reason: 'cancelled' }],
] as const)(
  'RUN-03 RUN-05 waits if a plugin ends the run while a call is pending: %s, %s (S22)',
  async ([code, verb, outcome]) => {
    const { act } = toolbox()
    const { agent, prompts } = testAgent({
      replies: [calls(call('c1', 'act'), call('c2', 'gated')), 'Bye', 'Bye'],
      tools: [act(), act('gated', { needs: 'approval' })],
      plugins: [ending('beforeModel', code)],
    })
    expect((await agent.run('Hi', { runId })).outcome).toEqual({ reason: 'suspended' })
    const run = await agent.load(runId)
    await run[verb]()

    expect((await run.settled()).outcome).toEqual(outcome)
    expect(prompts.length).toBe(1)
  },
)

test('TC-04 reviews every gated call (settled, refused, blocked and suspended), and keeps the changes of the review', async () => {
  const reviewed: string[] = []
  const { act, fail } = toolbox()
  const reviewing: Plugin = {
    name: 'reviewing',
    gateCall: ({ call: { toolName } }) => (toolName === 'blocked' ? { block: 'No' } : undefined),
    reviewCall: ({ call: record, rewrite, append }) => {
      reviewed.push(`${record.callId} ${record.status}`)
      if (record.toolName !== 'act') return
      rewrite('rewritten')
      append(userMessage('Look at that', 0))
    },
  }
  const { agent, store, prompts } = testAgent({
    replies: [
      calls(call('c1', 'act'), call('c2', 'fail'), call('c3', 'blocked'), call('c4', 'nope'), call('c5', 'gated')),
      'So',
    ],
    tools: [act(), fail(), act('blocked'), act('gated', { needs: 'approval' })],
    plugins: [reviewing],
  })
  await agent.run('Hi', { runId })

  expect(reviewed.toSorted()).toEqual(['1.c1 succeeded', '1.c2 failed', '1.c3 failed', '1.c4 failed', '1.c5 suspended'])
  expect(await resultsOf(store, runId)).toMatchObject({ '1.c1': 'rewritten', '1.c3': 'No' })
  expect(prompts[1]?.at(-1)).toBe('user: Look at that')
  expect((await transcriptOf(store, runId)).filter((line) => line === 'user: Look at that').length).toBe(1)
})
