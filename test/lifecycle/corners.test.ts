import { expect, test } from 'vitest'
import { start } from '../../proof/support/fake-clock.ts'
import { resultsOf, statusesOf, transcriptOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { heldTool, toolbox } from '../../proof/support/tools.ts'
import { heldReply, quiet, runId, stop, testAgent } from '../../proof/support/test-agent.ts'

const expired = '[Cancelled: no decision came before the request expired.]'

test('DEC-06 DEC-04 cancels a call whose request expires while the model answers, and tells the model', async () => {
  const { act, ask } = toolbox()
  const second = heldReply()
  const { agent, clock, prompts } = testAgent({
    replies: [calls(call('c1', 'act'), call('c2', 'ask')), second.reply, 'Bye'],
    tools: [act(), ask('ask', { expiresAt: start + 1000 })],
  })
  const run = agent.start('Hi', { runId })
  const end = run.settled()
  await second.asked
  await clock.sleeping(start + 1000)
  clock.advance(1000)
  await quiet()
  second.give('Still there')

  expect((await end).text).toBe('Bye')
  expect(prompts[2]?.[3]).toBe(`result 1.c2 (error): ${expired}`)
})

test('DEC-06 cancels at once a call that asks with an expiry in the past', async () => {
  const { ask } = toolbox()
  const { agent, store } = testAgent({
    replies: [calls(call('c1', 'ask')), 'Bye'],
    tools: [ask('ask', { expiresAt: start - 1 })],
  })

  expect((await agent.run('Hi', { runId })).text).toBe('Bye')
  expect(await resultsOf(store, runId)).toEqual({ '1.c1': expired })
})

test('DEC-09 cancels a suspended call while the model answers, and tells the model', async () => {
  const { act } = toolbox()
  const second = heldReply()
  const { agent, prompts } = testAgent({
    replies: [calls(call('c1', 'act'), call('c2', 'gated')), second.reply, 'Bye'],
    tools: [act(), act('gated', { needs: 'approval' })],
  })
  const run = agent.start('Hi', { runId })
  const end = run.settled()
  await second.asked
  await run.cancelCall('1.c2', 'Not needed')
  await quiet()
  second.give('Still there')

  expect((await end).text).toBe('Bye')
  expect(prompts[2]?.slice(3)).toEqual([
    'result 1.c2 (error): Not needed',
    'assistant: Still there',
    "user: [Tool 'gated' finished: its result is now above.]",
  ])
})

test('RUN-03 RUN-05 finishes a replay before a limit ends the run', async () => {
  const held = heldTool('held', { needs: 'approval' })
  const { act } = toolbox()
  const second = heldReply()
  const { agent, store, prompts } = testAgent({
    limits: { maxTurns: 2 },
    replies: [calls(call('c1', 'act'), call('c2', 'held')), second.reply, 'Bye'],
    tools: [act(), held.tool],
  })
  const run = agent.start('Hi', { runId })
  const end = run.settled()
  await second.asked
  await run.approve('1.c2')
  await held.begins('1.c2')
  second.give('Still there')
  await quiet()
  held.finish('1.c2', 'late')

  expect((await end).outcome).toEqual({ reason: 'stopped', code: 'max_turns' })
  expect(prompts.length).toBe(2)
  expect((await transcriptOf(store, runId)).slice(-3)).toEqual([
    'late result 1.c2: late',
    "user: [Tool 'held' finished: its result is now above.]",
    'user: [Agent stopped: maximum number of turns reached]',
  ])
})

test('RUN-03 RUN-05 waits for a suspended call before a detected loop ends the run', async () => {
  const { act } = toolbox()
  const { agent, prompts } = testAgent({
    replies: [calls(call('a', 'gated'), call('c', 'act')), calls(call('c', 'act')), calls(call('c', 'act')), 'Bye'],
    tools: [act(), act('gated', { needs: 'approval' })],
    limits: { onRepeat: 'stop', repeat: 2 },
  })
  expect((await agent.run('Hi', { runId })).outcome).toEqual({ reason: 'suspended' })
  const run = await agent.load(runId)
  await run.approve()

  expect((await run.settled()).outcome).toEqual({ reason: 'stopped', code: 'loop_detected' })
  expect(prompts.length).toBe(3)
})

test('TC-08 TC-05 leaves a call unstarted if its turn had not come before a crash', async () => {
  const held = heldTool()
  const { done, act } = toolbox()
  const options = {
    executor: 'sequential' as const,
    replies: [calls(call('c1', 'held'), call('c2', 'act')), 'Bye'],
    tools: [held.tool, act()],
  }
  const first = testAgent(options)
  const running = first.agent.start('Hi', { runId })
  const end = running.settled()
  await held.begins('1.c1')
  await quiet()
  await stop(running, end)
  const second = testAgent({ ...options, store: first.store, process: 'p2' })
  const run = await second.agent.load(runId)
  await run.settled()
  await run.respond('1.c1', 'It ran')

  expect((await run.settled()).text).toBe('Bye')
  expect(done).toEqual([])
  expect(await resultsOf(first.store, runId)).toEqual({
    '1.c1': 'It ran',
    '1.c2': '[Not executed: an earlier call is waiting for a decision.]',
  })
})

test('TC-04 reviews denied and expired calls, but not a call that was cancelled before its gate', async () => {
  const reviewed: string[] = []
  const { act, ask } = toolbox()
  const held = heldTool()
  const { agent, clock } = testAgent({
    executor: 'sequential',
    replies: [
      calls(call('c1', 'held'), call('c2', 'act')),
      calls(call('c3', 'gated')),
      calls(call('c4', 'ask')),
      'Bye',
    ],
    tools: [held.tool, act(), act('gated', { needs: 'approval' }), ask('ask', { expiresAt: start + 1000 })],
    plugins: [
      {
        name: 'reviewing',
        reviewCall: ({ call: { callId, status } }) => void reviewed.push(`${callId} ${status}`),
      },
    ],
  })
  const run = agent.start('Hi', { runId })
  const first = run.settled()
  await held.begins('1.c1')
  await run.cancelCall('1.c2')
  await quiet()
  held.finish('1.c1')
  await first
  await run.deny('2.c3')
  await run.settled()
  clock.advance(1000)
  await run.settled()

  expect(reviewed).toEqual(['1.c1 succeeded', '2.c3 suspended', '2.c3 cancelled', '3.c4 suspended', '3.c4 cancelled'])
})

test.for(['cancelCall', 'expiry'] as const)(
  'DEC-09 TC-04 waits for the review of a call that ends while its run waits (%s)',
  async (how) => {
    const { ask } = toolbox()
    const { agent, clock } = testAgent({
      replies: [calls(call('c1', 'ask')), 'Bye'],
      tools: [ask('ask', { expiresAt: start + 1000 })],
      plugins: [{ name: 'slow', reviewCall: () => quiet() }],
    })
    await agent.run('Hi', { runId })
    const run = await agent.load(runId)
    if (how === 'cancelCall') await run.cancelCall('1.c1')
    else clock.advance(1000)

    expect(await run.settled()).toMatchObject({ status: 'done', text: 'Bye' })
  },
)

test('TC-04 leaves a suspended call without a result if a plugin rewrites every result', async () => {
  const { act } = toolbox()
  const { agent, prompts } = testAgent({
    replies: [calls(call('c1', 'act'), call('c2', 'gated')), 'So far', 'Bye'],
    tools: [act(), act('gated', { needs: 'approval' })],
    plugins: [{ name: 'rewriting', reviewCall: ({ rewrite }) => rewrite('rewritten') }],
  })
  await agent.run('Hi', { runId })
  const run = await agent.load(runId)
  await run.approve()
  await run.settled()

  expect([prompts[1]?.slice(2), prompts[2]?.slice(2, 4)]).toEqual([
    ['result 1.c1: rewritten', "result 1.c2: Tool 'gated' is awaiting approval. Execution paused."],
    ['result 1.c1: rewritten', 'result 1.c2: rewritten'],
  ])
})

test('DEC-06 refuses two contradicting items for one call entirely, even if one of them does not fit (S25)', async () => {
  const { act } = toolbox()
  const { agent, store } = testAgent({
    replies: [calls(call('c1', 'gated')), 'Bye'],
    tools: [act('gated', { needs: 'approval' })],
  })
  await agent.run('Hi', { runId })
  const run = await agent.load(runId)
  const receipts = await run.decide([
    { target: '1.c1', action: 'resume' },
    { target: '1.c1', action: 'resume', input: 7 },
  ])

  expect(receipts.map(({ answer }) => answer)).toEqual(['refused', 'refused'])
  expect(await store.inbox(runId, { kinds: ['decision'] })).toEqual([])
})

test.for([
  ['approve', { status: 'done', outcome: { reason: 'natural_end' }, text: 'Bye' }, 1],
  ['deny', { status: 'done', outcome: { reason: 'plugin_requested' }, text: '' }, 0],
  ['cancel', { status: 'done', outcome: { reason: 'cancelled' }, text: '' }, 0],
] as const)(
  'RUN-03 RUN-04 waits if a plugin suspends the run at its start: %s (S21)',
  async ([verb, end, modelCalls]) => {
    const { agent, prompts } = testAgent({
      replies: ['Bye'],
      plugins: [
        { name: 'asking', runStart: ({ isResumed, suspend }) => void (isResumed || suspend({ message: 'May I?' })) },
      ],
    })
    const paused = await agent.run('Hi', { runId })
    expect([paused.outcome.reason, prompts.length]).toEqual(['suspended', 0])
    expect(paused.suspended.map(({ suspension }) => suspension?.message)).toEqual(['May I?'])
    const run = await agent.load(runId)
    await run[verb]()

    expect(await run.settled()).toMatchObject(end)
    expect(prompts).toEqual(modelCalls === 1 ? [['user: Hi']] : [])
  },
)

test.for(['replay', 'use-as-result', 'pass-to-tool', undefined] as const)(
  "RUN-04 DEC-03 approving a run's hold with mode %s runs no tool with the plugin's name",
  async (mode) => {
    const { done, act } = toolbox()
    const { agent, store, prompts } = testAgent({
      replies: ['Bye'],
      tools: [act('asking', { output: { type: 'object' } })],
      plugins: [{ name: 'asking', runStart: ({ isResumed, suspend }) => void (isResumed || suspend()) }],
    })
    await agent.run('Hi', { runId })
    const run = await agent.load(runId)
    const target = (await run.result()).suspended[0]?.callId ?? ''
    await run.decide([{ target, action: 'resume', ...(mode === undefined ? {} : { mode }) }])

    expect(await run.settled()).toMatchObject({ status: 'done', outcome: { reason: 'natural_end' }, text: 'Bye' })
    expect([done, prompts]).toEqual([[], [['user: Hi']]])
    expect(await statusesOf(store, runId)).toEqual({ [target]: 'succeeded' })
  },
)

test('RUN-07 keeps an orphan out of the prompt and adds a missing result, for any stored rows', async () => {
  const held = heldTool()
  const { agent, store } = testAgent({ replies: [calls(call('c1', 'held')), 'Bye'], tools: [held.tool] })
  const run = agent.start('Hi', { runId })
  const end = run.settled()
  await held.begins('1.c1')
  await run.cancelCall('1.c1')
  held.finish('1.c1')
  await end

  expect(await statusesOf(store, runId)).toEqual({ '1.c1': 'cancelled' })
  expect((await transcriptOf(store, runId)).filter((line) => line.includes('1.c1'))).toHaveLength(2)
})
