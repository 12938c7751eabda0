import { expect, test } from 'vitest'
import type { Plugin } from '../../src/index.ts'
import { statusesOf, transcriptOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { heldTool, toolbox } from '../../proof/support/tools.ts'
import { heldReply, quiet, runId, testAgent } from '../../proof/support/test-agent.ts'

const unfinished = '[Tool execution was interrupted before producing a result.]'

test('RUN-07 cancels while the model answers: a note, and no answer', async () => {
  const first = heldReply()
  const { agent, store } = testAgent({ replies: [first.reply] })
  const run = agent.start('Hi', { runId })
  const end = run.settled()
  await first.asked
  await run.cancel()

  expect(await end).toMatchObject({ status: 'done', outcome: { reason: 'cancelled' }, text: '' })
  expect(await transcriptOf(store, runId)).toEqual(['user: Hi', 'user: [Run cancelled while the model was answering.]'])
})

test('RUN-07 cancels while tools run: settled calls keep their results, and late results are discarded (E13)', async () => {
  const held = heldTool()
  const { act, fail } = toolbox()
  const { agent, store } = testAgent({
    replies: [calls(call('c1', 'act'), call('c2', 'held'), call('c3', 'fail'), call('c4', 'nope')), 'Bye'],
    tools: [held.tool, act(), fail()],
  })
  const run = agent.start('Hi', { runId })
  const end = run.settled()
  const { signal } = await held.begins('1.c2')
  await quiet()
  await run.cancel()

  expect((await end).outcome).toEqual({ reason: 'cancelled' })
  expect(signal.aborted).toBe(true)
  held.finish('1.c2', 'too late')
  await quiet()
  expect(await transcriptOf(store, runId)).toEqual([
    'user: Hi',
    'assistant: calls 1.c1 act, 1.c2 held, 1.c3 fail, 1.c4 nope',
    '1.c1 succeeded, result 1.c1: act done',
    `1.c2 cancelled, result 1.c2 (error): ${unfinished}`,
    '1.c3 failed, result 1.c3 (error): Tool "fail" failed: boom',
    '1.c4 failed, result 1.c4 (error): Tool "nope" does not exist. Available tools: held, act, fail.',
    'user: [Run cancelled while tools were running.]',
  ])
})

test('RUN-07 cancels the unstarted calls of a sequential round too', async () => {
  const held = heldTool()
  const { done, act } = toolbox()
  const { agent, store } = testAgent({
    executor: 'sequential',
    replies: [calls(call('c1', 'held'), call('c2', 'act')), 'Bye'],
    tools: [held.tool, act()],
  })
  const run = agent.start('Hi', { runId })
  const end = run.settled()
  await held.begins('1.c1')
  await run.cancel()
  await end

  expect(done).toEqual([])
  expect(await statusesOf(store, runId)).toEqual({ '1.c1': 'cancelled', '1.c2': 'cancelled' })
})

test('RUN-07 RUN-04 cancels a waiting run, with one result for each suspended call and no note', async () => {
  const { done, act } = toolbox()
  const { agent, store } = testAgent({
    replies: [calls(call('c1', 'act')), calls(call('c2', 'gated'), call('c3', 'gated')), 'Bye'],
    tools: [act(), act('gated', { needs: 'approval' })],
  })
  await agent.run('Hi', { runId })
  const run = await agent.load(runId)
  await run.cancel()

  expect((await run.settled()).outcome).toEqual({ reason: 'cancelled' })
  expect(done).toEqual(['act {}'])
  expect((await transcriptOf(store, runId)).slice(3)).toEqual([
    'assistant: calls 2.c2 gated, 2.c3 gated',
    `2.c2 cancelled, result 2.c2 (error): ${unfinished}`,
    `2.c3 cancelled, result 2.c3 (error): ${unfinished}`,
  ])
})

test('RUN-07 cancels during a replay at the gate: the replay ends, with one note', async () => {
  const held = heldTool('held', { needs: 'approval' })
  const { agent, store } = testAgent({ replies: [calls(call('c1', 'held')), 'Bye'], tools: [held.tool] })
  await agent.run('Hi', { runId })
  const run = await agent.load(runId)
  await run.approve()
  const end = run.settled()
  const { signal } = await held.begins('1.c1')
  await run.cancel()

  expect((await end).outcome).toEqual({ reason: 'cancelled' })
  expect(signal.aborted).toBe(true)
  expect((await transcriptOf(store, runId)).slice(2)).toEqual([
    `1.c1 cancelled, result 1.c1 (error): ${unfinished}`,
    'user: [Run cancelled while tools were running.]',
  ])
})

test('RUN-07 shows the result of a cancelled call in the place of its placeholder', async () => {
  const { act } = toolbox()
  const { agent, store } = testAgent({
    replies: [calls(call('c1', 'act'), call('c2', 'gated')), 'Not done'],
    tools: [act(), act('gated', { needs: 'approval' })],
  })
  await agent.run('Hi', { runId })
  const run = await agent.load(runId)
  await run.cancel()
  await run.settled()

  expect((await transcriptOf(store, runId)).slice(3)).toEqual([
    `1.c2 cancelled, result 1.c2 (error): ${unfinished}`,
    'assistant: Not done',
    `late result 1.c2 (error): ${unfinished}`,
    "user: [Tool 'gated' finished: its result is now above.]",
  ])
})

const phases = ['runStart', 'stepStart', 'beforeModel', 'afterModel', 'stepEnd'] as const

test.for(phases)('RUN-07 cancels in phase %s, between steps, without a note', async (phase) => {
  const at = Promise.withResolvers<void>()
  const hanging: Plugin = {
    name: 'hanging',
    [phase]: () => {
      at.resolve()
      return new Promise<void>(() => {})
    },
  }
  const { agent, store } = testAgent({
    replies: [calls(call('c1', 'act')), 'Bye'],
    tools: [toolbox().act()],
    plugins: [hanging],
  })
  const run = agent.start('Hi', { runId })
  const end = run.settled()
  await at.promise
  await run.cancel()

  expect((await end).outcome).toEqual({ reason: 'cancelled' })
  const lines = await transcriptOf(store, runId)
  expect(lines.filter((line) => line.startsWith('user: [') || line.includes('no result'))).toEqual([])
  const isAnswered = phase === 'afterModel' || phase === 'stepEnd'
  expect(await statusesOf(store, runId)).toEqual(isAnswered ? { '1.c1': 'cancelled' } : {})
})

test.for(['gateCall', 'reviewCall'] as const)(
  'RUN-07 TC-04 cancels although a plugin hangs in %s, and answers every call',
  async (phase) => {
    const at = Promise.withResolvers<void>()
    const hanging: Plugin = {
      name: 'hanging',
      [phase]: () => {
        at.resolve()
        return new Promise<void>(() => {})
      },
    }
    const { agent, store } = testAgent({
      replies: [calls(call('c1', 'act')), 'Bye'],
      tools: [toolbox().act()],
      plugins: [hanging],
    })
    const run = agent.start('Hi', { runId })
    const end = run.settled()
    await at.promise
    await run.cancel()

    expect((await end).outcome).toEqual({ reason: 'cancelled' })
    expect((await transcriptOf(store, runId)).slice(2)).toEqual([
      phase === 'reviewCall'
        ? '1.c1 succeeded, result 1.c1: act done'
        : `1.c1 cancelled, result 1.c1 (error): ${unfinished}`,
      'user: [Run cancelled while tools were running.]',
    ])
  },
)

test.for([
  [
    'an error',
    [{ error: { kind: 'api', message: 'bad' } }],
    { reason: 'error', error: { code: 'api_error', message: 'bad' } },
  ],
  ['a natural end', ['Bye'], { reason: 'natural_end' }],
] as const)('RUN-07 RUN-05 a cancel does not change %s that is being stored', async ([, replies, outcome]) => {
  const at = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  const slow: Plugin = {
    name: 'slow',
    runEnd: () => {
      at.resolve()
      return go.promise
    },
  }
  const { agent } = testAgent({ replies, plugins: [slow] })
  const run = agent.start('Hi', { runId })
  const end = run.settled()
  await at.promise
  await run.cancel()
  await quiet()
  go.resolve()

  expect((await end).outcome).toEqual(outcome)
})

test('RUN-07 cancels by the signal that the run was started with', async () => {
  const controller = new AbortController()
  const first = heldReply()
  const { agent } = testAgent({ replies: [first.reply] })
  const run = agent.start('Hi', { runId, signal: controller.signal })
  const end = run.settled()
  await first.asked
  controller.abort()

  expect((await end).outcome).toEqual({ reason: 'cancelled' })
})

test('RUN-07 never asks the model if the signal fired before the start, and leaves no note', async () => {
  const { agent, prompts, store } = testAgent({ replies: ['Bye'] })
  const result = await agent.run('Hi', { runId, signal: AbortSignal.abort() })

  expect([result.outcome, prompts]).toEqual([{ reason: 'cancelled' }, []])
  expect(await transcriptOf(store, runId)).toEqual(['user: Hi'])
})

test("RUN-07 cancels a retry's wait", async () => {
  const { agent, clock, prompts } = testAgent({ replies: [{ error: { kind: 'network', message: 'down' } }] })
  const run = agent.start('Hi', { runId })
  const end = run.settled()
  await clock.sleeping()
  await run.cancel()

  expect((await end).outcome).toEqual({ reason: 'cancelled' })
  expect(prompts.length).toBe(1)
})

test('RUN-07 DEC-06 executes nothing for a decision that arrives together with a cancel', async () => {
  const { done, act } = toolbox()
  const { agent, store } = testAgent({
    replies: [calls(call('c1', 'gated')), 'Bye'],
    tools: [act('gated', { needs: 'approval' })],
  })
  await agent.run('Hi', { runId })
  const run = await agent.load(runId)
  await run.cancel()
  const receipt = await run.approve('1.c1')
  const end = await run.settled()

  expect([receipt.answer, end.outcome.reason, done]).toEqual(['applied', 'cancelled', []])
  expect(await statusesOf(store, runId)).toEqual({ '1.c1': 'cancelled' })
  expect(await store.inbox(runId, { isOpen: true })).toEqual([])
})

test('RUN-07 DEC-06 answers a decision as stale once a cancel has ended its call', async () => {
  const at = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  const { act } = toolbox()
  const slow: Plugin = {
    name: 'slow',
    runEnd: () => {
      at.resolve()
      return go.promise
    },
  }
  const { agent } = testAgent({
    replies: [calls(call('c1', 'gated')), 'Bye'],
    tools: [act('gated', { needs: 'approval' })],
    plugins: [slow],
  })
  const run = agent.start('Hi', { runId })
  const end = run.settled()
  await at.promise
  await run.cancel()
  await quiet()
  const receipt = await run.approve('1.c1')
  go.resolve()

  expect([receipt.answer, (await end).outcome.reason]).toEqual(['stale', 'cancelled'])
})
