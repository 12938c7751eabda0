import { expect, test } from 'vitest'
import type { AgentEvent, Plugin } from '../../src/index.ts'
import type { CallPhaseContext, UpdateContext } from '../../src/ports.ts'
import { start } from '../../proof/support/fake-clock.ts'
import { resultsOf, statusesOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { heldTool, toolbox, toolNamed } from '../../proof/support/tools.ts'
import { quiet, runId, testAgent } from '../../proof/support/test-agent.ts'

const skipped = 'Tool execution skipped by the beforeToolExecution hook.'

/** Hooks around tools that write down what they are given, once whoever watches has taken every event told before. */
function toolHooks(log: string[]) {
  const hear =
    (name: string) =>
    async ({ call: { toolName, callId, result }, ...given }: CallPhaseContext | UpdateContext) => {
      await quiet()
      const argumentsOf = 'arguments' in given ? JSON.stringify(given.arguments) : given.text
      const told = name === 'afterTool' ? String(result?.isError ?? false) : argumentsOf
      log.push(`${name} ${toolName} ${callId} ${told}`)
    }
  return {
    beforeTool: hear('beforeTool'),
    afterTool: hear('afterTool'),
    beforeUpdate: hear('beforeUpdate'),
    afterUpdate: hear('afterUpdate'),
  } satisfies Omit<Plugin, 'name'>
}

const gates = (log: string[]): Plugin => ({
  name: 'gates',
  gateCall: ({ call: { callId } }) => void log.push(`gateCall ${callId}`),
  reviewCall: ({ call: { callId } }) => void log.push(`reviewCall ${callId}`),
})

/** Drives a run and puts the events of its executions between what its hooks say. */
async function drive(log: string[], run: AsyncIterable<AgentEvent>): Promise<void> {
  for await (const event of run) if (event.type.startsWith('toolExecution')) log.push(event.type)
}

const updating = toolNamed('act', (_, { update }) => {
  update('half')
  update({ content: [{ type: 'text', text: 'most' }] })
  return 'done'
})

test('PH-02 calls the phase, then the hook, then emits the event; updates lie between their hooks', async () => {
  const log: string[] = []
  const { agent } = testAgent({
    replies: [calls(call('c1', 'act', { n: 1 })), 'Bye'],
    tools: [updating],
    plugins: [gates(log), { name: 'hooks', ...toolHooks(log) }],
  })
  await drive(log, agent.start('Hi', { runId }))
  const most = 'act 1.c1 {"content":[{"type":"text","text":"most"}]}'
  expect(log).toEqual([
    'gateCall 1.c1',
    'beforeTool act 1.c1 {"n":1}',
    'toolExecution.started',
    'beforeUpdate act 1.c1 half',
    'toolExecution.updated',
    'afterUpdate act 1.c1 half',
    `beforeUpdate ${most}`,
    'toolExecution.updated',
    `afterUpdate ${most}`,
    'toolExecution.ended',
    'reviewCall 1.c1',
    'afterTool act 1.c1 false',
  ])
})

test('PH-02 skips a call that beforeTool rejects, with the documented result and no execution event', async () => {
  const log: string[] = []
  const { done, act } = toolbox()
  const { agent, store } = testAgent({
    replies: [calls(call('c1', 'act'), call('c2', 'other')), 'Bye'],
    tools: [act(), act('other')],
    plugins: [{ name: 'hooks', ...toolHooks(log), beforeTool: ({ call: { toolName } }) => toolName !== 'act' }],
  })
  const types: string[] = []
  for await (const event of agent.start('Hi', { runId })) {
    if (event.type.startsWith('toolExecution') && 'callId' in event) types.push(`${event.type} ${event.callId}`)
  }
  expect(done).toEqual(['other {}'])
  expect(types).toEqual(['toolExecution.started 1.c2', 'toolExecution.ended 1.c2'])
  expect(log).toEqual(['afterTool other 1.c2 false'])
  expect(await resultsOf(store, runId)).toEqual({ '1.c1': skipped, '1.c2': 'other done' })
  expect(await statusesOf(store, runId)).toEqual({ '1.c1': 'failed', '1.c2': 'succeeded' })
})

test('PH-02 calls no hook for calls that do not execute', async () => {
  const log: string[] = []
  const { act, fail } = toolbox()
  const plugin: Plugin = {
    name: 'gate',
    gateCall: ({ call: { toolName } }) => {
      if (toolName === 'blocked') return { block: 'No.' }
      return toolName === 'supplied' ? { result: 'There.' } : undefined
    },
  }
  const { agent } = testAgent({
    replies: [calls(...['blocked', 'supplied', 'unknown', 'fail'].map((name) => call(name, name))), 'Bye'],
    tools: [act('blocked'), act('supplied'), fail()],
    plugins: [plugin, { name: 'hooks', ...toolHooks(log) }],
  })
  await agent.run('Hi', { runId })
  expect(log).toEqual(['beforeTool fail 1.fail {}', 'afterTool fail 1.fail true'])
})

test('PH-02 passes afterTool the result that a plugin replaced', async () => {
  const log: string[] = []
  const { act } = toolbox()
  const rewriting: Plugin = {
    name: 'rewriting',
    reviewCall: ({ rewrite }) => rewrite({ content: [{ type: 'text', text: 'Bad' }], status: 'error' }),
  }
  const { agent } = testAgent({
    replies: [calls(call('c1', 'act')), 'Bye'],
    tools: [act()],
    plugins: [rewriting, { name: 'hooks', ...toolHooks(log) }],
  })
  await agent.run('Hi', { runId })
  expect(log.at(-1)).toBe('afterTool act 1.c1 true')
})

test('PH-02 calls the hooks again for a replay, with the arguments that a person changed', async () => {
  const log: string[] = []
  const { act } = toolbox()
  const { agent } = testAgent({
    replies: [calls(call('c1', 'act', { n: 1 }), call('c2', 'act', { n: 2 })), 'Bye'],
    tools: [act('act', { needs: 'approval' })],
    plugins: [{ name: 'hooks', ...toolHooks(log) }],
  })
  const run = agent.start('Hi', { runId })
  await run.settled()
  expect(log).toEqual([])
  await run.edit('1.c1', { n: 7 })
  await run.settled()
  await run.respond('1.c2', 'Answered.')
  await run.settled()
  expect(log).toEqual(['beforeTool act 1.c1 {"n":7}', 'afterTool act 1.c1 false'])
})

test('PH-02 calls afterTool for a call that its tool suspends, and not again for one that a person answers or denies', async () => {
  const log: string[] = []
  const { ask } = toolbox()
  const { agent, store } = testAgent({
    replies: [calls(...['answered', 'denied', 'replayed'].map((id) => call(id, 'ask'))), 'Bye'],
    tools: [ask()],
    plugins: [{ name: 'hooks', afterTool: toolHooks(log).afterTool }],
  })
  const run = agent.start('Hi', { runId })
  await run.settled()
  const once = ['answered', 'denied', 'replayed'].map((id) => `afterTool ask 1.${id} false`)
  expect(log).toEqual(once)
  await run.respond('1.answered', 'Yes')
  await run.deny('1.denied')
  await run.approve('1.replayed')
  await run.settled()
  expect(log).toEqual([...once, 'afterTool ask 1.replayed false'])
  expect(await statusesOf(store, runId)).toEqual({
    '1.answered': 'succeeded',
    '1.denied': 'cancelled',
    '1.replayed': 'succeeded',
  })
})

test('PH-02 calls afterTool for a call that is cancelled while its tool runs, and not for one that had not begun', async () => {
  const log: string[] = []
  const { tool, begins } = heldTool()
  const { agent } = testAgent({
    replies: [calls(call('c1', 'held'), call('c2', 'held')), 'Bye'],
    tools: [tool],
    executor: 'sequential',
    plugins: [{ name: 'hooks', afterTool: toolHooks(log).afterTool }],
  })
  const run = agent.start('Hi', { runId })
  const end = run.settled()
  await begins('1.c1')
  await run.cancelCall('1.c2')
  await run.cancelCall('1.c1')
  await end
  expect(log).toEqual(['afterTool held 1.c1 true'])
})

test('PH-02 calls the hooks once for a tool that is retried', async () => {
  const log: string[] = []
  let attempts = 0
  const { agent, clock } = testAgent({
    replies: [calls(call('c1', 'flaky')), 'Bye'],
    tools: [
      toolNamed(
        'flaky',
        () => {
          if (++attempts < 2) throw new Error('boom')
          return 'done'
        },
        { effects: 'idempotent', retry: { attempts: 2 } },
      ),
    ],
    retry: { random: () => 0.5 },
    plugins: [{ name: 'hooks', ...toolHooks(log) }],
  })
  const driving = drive(log, agent.start('Hi', { runId }))
  await clock.sleeping(start + 1000)
  clock.advance(1000)
  await driving
  expect(log).toEqual([
    'beforeTool flaky 1.c1 {}',
    'toolExecution.started',
    'toolExecution.ended',
    'toolExecution.started',
    'toolExecution.ended',
    'afterTool flaky 1.c1 false',
  ])
})
