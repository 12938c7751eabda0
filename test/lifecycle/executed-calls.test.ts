import { expect, test } from 'vitest'
import { createActor, toPromise } from 'xstate'
import type { Plugin, Tool } from '../../src/index.ts'
import type { CallPhaseContext, Suspended } from '../../src/ports.ts'
import { start } from '../../proof/support/fake-clock.ts'
import { say, call, calls } from '../../proof/support/say.ts'
import { statusesOf } from '../../proof/support/read-run.ts'
import { toolbox, toolNamed } from '../../proof/support/tools.ts'
import { quiet, runId, testAgent } from '../../proof/support/test-agent.ts'

const replies = [calls(call('c1', 'ask')), 'Bye']

/** A run of one call, with what afterTool hears. */
function hearing(tool: Tool, hooks: Omit<Plugin, 'name'> = {}) {
  const heard: string[] = []
  const afterTool = ({ call: { callId, result } }: CallPhaseContext) =>
    void heard.push(`${callId} ${result?.isError ?? false}`)
  const built = testAgent({
    replies,
    tools: [tool],
    plugins: [{ name: 'hooks', afterTool, ...hooks }],
    limits: { pluginTimeoutMs: Infinity },
  })
  return { ...built, heard, run: built.agent.start('Hi', { runId }) }
}

test('PH-02 calls afterTool once for a call that executed, asked, and expired', async () => {
  const { run, heard, store } = hearing(toolbox().ask('ask', { expiresAt: start - 1 }))
  await run.settled()
  expect(await statusesOf(store, runId)).toEqual({ '1.c1': 'cancelled' })
  expect(heard).toEqual(['1.c1 false'])
})

test('PH-02 calls afterTool once for a call that executed, asked, and is cancelled while it waits', async () => {
  const { run, heard, store } = hearing(toolbox().ask())
  await run.settled()
  await run.cancelCall('1.c1')
  await run.settled()
  expect(await statusesOf(store, runId)).toEqual({ '1.c1': 'cancelled' })
  expect(heard).toEqual(['1.c1 false'])
})

test('PH-02 calls afterTool once for a call that executed and asked, if a decision had been kept for it', async () => {
  for (const [action, lines] of [
    ['cancel', ['1.c1 false']],
    ['resume', ['1.c1 false', '1.c1 false']],
  ] as const) {
    const asks = Promise.withResolvers<Suspended>()
    const begun = Promise.withResolvers<() => Suspended>()
    const tool = toolNamed('ask', (_, { decision, suspend }) => {
      if (decision !== undefined) return 'heard'
      begun.resolve(suspend)
      return asks.promise
    })
    const { run, heard, store, clock } = hearing(tool)
    const end = run.settled()
    const suspend = await begun.promise
    const [receipt] = await store.decide(runId, [{ target: '1.c1', action }], clock.now())
    expect(receipt?.answer).toBe('kept')
    asks.resolve(suspend())
    await end
    expect(heard).toEqual(lines)
  }
})

test('PH-02 does not call afterTool for a replay that is cancelled before its tool runs again', async () => {
  const asked = Promise.withResolvers<void>()
  let times = 0
  const beforeTool = () => {
    if (++times === 1) return undefined
    asked.resolve()
    return new Promise<void>(() => {})
  }
  const { run, heard, store } = hearing(toolbox().ask(), { beforeTool })
  await run.settled()
  await run.approve('1.c1')
  const end = run.settled()
  await asked.promise
  await run.cancelCall('1.c1')
  await end
  expect(await statusesOf(store, runId)).toEqual({ '1.c1': 'cancelled' })
  expect(heard).toEqual(['1.c1 false'])
})

test('PH-02 does not call afterTool for a replay that beforeTool skips', async () => {
  let times = 0
  const { run, heard, store } = hearing(toolbox().ask(), { beforeTool: () => ++times === 1 })
  await run.settled()
  await run.approve('1.c1')
  await run.settled()
  expect(await statusesOf(store, runId)).toEqual({ '1.c1': 'failed' })
  expect(heard).toEqual(['1.c1 false'])
})

test('PH-02 RUN-09 calls hooks for a bare actor, too, whose tool keeps its result if one fails', async () => {
  const heard: string[] = []
  const { agent } = testAgent({
    replies: [calls(call('c1', 'skipped'), call('c2', 'act')), 'Bye'],
    tools: [toolNamed('act', (_, { update }) => (update('half'), 'paid')), toolbox().act('skipped')],
    plugins: [
      {
        name: 'hooks',
        beforeTool: ({ call: { toolName } }) => toolName !== 'skipped',
        afterTool: ({ call: { toolName } }) => void heard.push(toolName),
        afterUpdate: () => Promise.reject(new Error('boom')),
      },
    ],
  })
  const actor = createActor(agent.machine, { input: 'Hi' }).start()
  const { outcome, messages } = await toPromise(actor)
  await quiet()
  expect(outcome).toMatchObject({
    reason: 'error',
    error: { message: expect.stringContaining('Plugin "hooks" failed in afterUpdate: boom') },
  })
  expect(messages.map(say).slice(2)).toEqual([
    'result 1.c1 (error): Tool execution skipped by the beforeToolExecution hook.',
    'result 1.c2: paid',
  ])
  expect(heard).toEqual([])
})
