import { expect, test } from 'vitest'
import type { Plugin } from '../../src/index.ts'
import { resultsOf, statusesOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { heldTool, toolbox, toolNamed } from '../../proof/support/tools.ts'
import { quiet, runId, stop, testAgent } from '../../proof/support/test-agent.ts'

type ToolHook = 'beforeTool' | 'afterTool' | 'beforeUpdate' | 'afterUpdate'
const toolHooks: readonly ToolHook[] = ['beforeTool', 'afterTool', 'beforeUpdate', 'afterUpdate']

const updating = (done: string[]) =>
  toolNamed('act', (_, { callId, update }) => {
    done.push(callId)
    update('half')
    return 'paid'
  })

const replies = [calls(call('c1', 'act')), 'Bye']

test.for(toolHooks.flatMap((hook) => [true, false].map((isLate) => [hook, isLate] as const)))(
  'PH-02 ends the run with an error that names %s, which throws, late: %s; keeps every paid result',
  async ([hook, isLate]) => {
    const done: string[] = []
    const boom = async () => {
      if (isLate) await quiet()
      throw new Error('boom')
    }
    const { agent, store } = testAgent({ replies, tools: [updating(done)], plugins: [{ name: 'hooks', [hook]: boom }] })
    const { status, outcome } = await agent.run('Hi', { runId })
    expect([status, outcome]).toMatchObject([
      'done',
      { reason: 'error', error: { message: expect.stringContaining(`Plugin "hooks" failed in ${hook}: boom`) } },
    ])
    const isBefore = hook === 'beforeTool'
    expect(done).toEqual(isBefore ? [] : ['1.c1'])
    expect(await statusesOf(store, runId)).toEqual({ '1.c1': isBefore ? 'cancelled' : 'succeeded' })
    expect(await resultsOf(store, runId)).toEqual({
      '1.c1': isBefore ? '[Tool execution was interrupted before producing a result.]' : 'paid',
    })
  },
)

test.for(toolHooks)('PH-02 ends the run with an error that names %s, which returns another type', async (hook) => {
  const { agent } = testAgent({ replies, tools: [updating([])], plugins: [{ name: 'hooks', [hook]: () => 1 }] })
  const { outcome } = await agent.run('Hi', { runId })
  const problem = `Plugin "hooks" failed in ${hook}: it answered a value of type number. Expected true, false or nothing.`
  expect(outcome).toMatchObject({ reason: 'error', error: { message: expect.stringContaining(problem) } })
})

test.for(toolHooks)('PH-02 ends the run with an error that names %s, which does not end in time', async (hook) => {
  const begun = Promise.withResolvers<void>()
  const hang = () => {
    begun.resolve()
    return new Promise<void>(() => {})
  }
  const { agent, clock } = testAgent({
    replies,
    tools: [updating([])],
    plugins: [{ name: 'hooks', [hook]: hang }],
    limits: { pluginTimeoutMs: 1000 },
  })
  const end = agent.run('Hi', { runId })
  await begun.promise
  clock.advance(1000)
  expect((await end).outcome).toMatchObject({
    reason: 'error',
    error: { message: expect.stringContaining(`Plugin "hooks" failed in ${hook}: it did not finish within 1000 ms.`) },
  })
})

test.for(toolHooks)('PH-02 cancels a run while %s, which never ends, is being called', async (hook) => {
  const begun = Promise.withResolvers<void>()
  const hang = () => {
    begun.resolve()
    return new Promise<void>(() => {})
  }
  const { agent, store } = testAgent({
    replies,
    tools: [updating([])],
    plugins: [{ name: 'hooks', [hook]: hang }],
    limits: { pluginTimeoutMs: Infinity },
  })
  const run = agent.start('Hi', { runId })
  const end = run.settled()
  await begun.promise
  await run.cancel()
  expect((await end).outcome).toEqual({ reason: 'cancelled' })
  expect(Object.keys(await resultsOf(store, runId))).toEqual(['1.c1'])
})

test('PH-02 a tool keeps running while its update waits for a hook', async () => {
  const gate = Promise.withResolvers<void>()
  const told: unknown[] = []
  const finished: string[] = []
  const { tool, begins, finish } = heldTool()
  const { agent } = testAgent({
    replies: [calls(call('c1', 'held')), 'Bye'],
    tools: [tool],
    plugins: [{ name: 'hooks', beforeUpdate: () => gate.promise }],
  })
  const run = agent.start('Hi', { runId })
  const watching = (async () => {
    for await (const event of run) {
      if (event.type === 'toolExecution.updated') told.push(event.partial)
      if (event.type === 'toolExecution.ended') finished.push(event.status)
    }
  })()
  const { update } = await begins('1.c1')
  for (const text of ['a', 'b', 'c']) update(text)
  finish('1.c1')
  await quiet()
  expect([told, finished]).toEqual([[], []])
  gate.resolve()
  await watching
  expect([told, finished]).toEqual([['a', 'b', 'c'], ['succeeded']])
})

/** Drives a run until a hook hangs, stops there as a crash would, and drives it on in another process. */
async function crashIn(hook: ToolHook, done: string[]): Promise<readonly string[]> {
  const log: string[] = []
  const begun = Promise.withResolvers<void>()
  const hang = async () => {
    begun.resolve()
    return new Promise<void>(() => {})
  }
  const tools = [toolNamed('act', (_, { callId }) => (done.push(callId), 'paid'), { effects: 'once' })]
  const first = testAgent({ replies, tools, plugins: [{ name: 'hooks', ...hearing(log), [hook]: hang }] })
  const run = first.agent.start('Hi', { runId })
  const driving = run.settled()
  await begun.promise
  await stop(run, driving)
  log.push('— restart —')
  const { store, clock } = first
  const second = testAgent({
    replies,
    tools,
    plugins: [{ name: 'hooks', ...hearing(log) }],
    store,
    clock,
    process: 'p2',
  })
  await (await second.agent.load(runId)).settled()
  return log
}

const hearing = (log: string[]): Omit<Plugin, 'name'> => ({
  beforeTool: ({ call: { callId } }) => void log.push(`beforeTool ${callId}`),
  afterTool: ({ call: { callId, result } }) => void log.push(`afterTool ${callId} ${result?.isError ?? false}`),
})

test('PH-02 runs a hook again after a crash before its commit, and its tool once', async () => {
  const done: string[] = []
  expect(await crashIn('beforeTool', done)).toEqual(['— restart —', 'beforeTool 1.c1', 'afterTool 1.c1 false'])
  expect(done).toEqual(['1.c1'])
})

test('PH-02 knows after a crash which calls had executed', async () => {
  const done: string[] = []
  expect(await crashIn('afterTool', done)).toEqual(['beforeTool 1.c1', '— restart —', 'afterTool 1.c1 false'])
  expect(done).toEqual(['1.c1'])
})

test('PH-02 does not call afterTool for a call that a crash interrupted and that is not run again', async () => {
  const log: string[] = []
  const { tool, begins } = heldTool('held', { effects: 'once' })
  const first = testAgent({
    replies: [calls(call('c1', 'held')), 'Bye'],
    tools: [tool],
    plugins: [{ name: 'hooks', ...hearing(log) }],
  })
  const run = first.agent.start('Hi', { runId })
  const driving = run.settled()
  await begins('1.c1')
  await stop(run, driving)
  const { store, clock } = first
  const second = testAgent({
    replies: [calls(call('c1', 'held')), 'Bye'],
    tools: [toolbox().act('held', { effects: 'once' })],
    plugins: [{ name: 'hooks', ...hearing(log) }],
    store,
    clock,
    process: 'p2',
  })
  const again = await second.agent.load(runId)
  expect((await again.settled()).suspended).toMatchObject([{ callId: '1.c1', suspension: { reason: 'interrupted' } }])
  await again.deny('1.c1')
  await again.settled()
  expect(log).toEqual(['beforeTool 1.c1'])
})
