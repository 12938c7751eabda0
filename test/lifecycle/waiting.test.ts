import { expect, test } from 'vitest'
import { resultsOf, statusesOf, transcriptOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { heldTool, toolbox } from '../../proof/support/tools.ts'
import { heldReply, runId, testAgent, type TestAgentOptions } from '../../proof/support/test-agent.ts'

const three = calls(call('c1', 'act'), call('c2', 'gated'), call('c3', 'act'))

test('RUN-03 RUN-04 continues during a suspended call and shows its result in its place later (S2)', async () => {
  const { done, act } = toolbox()
  const { agent, store, prompts } = testAgent({
    replies: [three, 'Still waiting', 'Bye'],
    tools: [act(), act('gated', { needs: 'approval' })],
  })
  const paused = await agent.run('Hi', { runId })
  const run = await agent.load(runId)
  await run.approve()
  const end = await run.settled()

  expect([paused.status, end.status, end.text]).toEqual(['waiting', 'done', 'Bye'])
  expect(done).toEqual(['act {}', 'act {}', 'gated {}'])
  expect(prompts[1]).toEqual([
    'user: Hi',
    'assistant: calls 1.c1 act, 1.c2 gated, 1.c3 act',
    'result 1.c1: act done',
    "result 1.c2: Tool 'gated' is awaiting approval. Execution paused.",
    'result 1.c3: act done',
  ])
  expect(prompts[2]).toEqual([
    'user: Hi',
    'assistant: calls 1.c1 act, 1.c2 gated, 1.c3 act',
    'result 1.c1: act done',
    'result 1.c2: gated done',
    'result 1.c3: act done',
    'assistant: Still waiting',
    "user: [Tool 'gated' finished: its result is now above.]",
  ])
  expect(await transcriptOf(store, runId)).toEqual([
    'user: Hi',
    'assistant: calls 1.c1 act, 1.c2 gated, 1.c3 act',
    '1.c1 succeeded, result 1.c1: act done',
    '1.c2 succeeded, result 1.c2: gated done',
    '1.c3 succeeded, result 1.c3: act done',
    'assistant: Still waiting',
    'late result 1.c2: gated done',
    "user: [Tool 'gated' finished: its result is now above.]",
    'assistant: Bye',
  ])
})

test('RUN-03 waits in a mixed round if the option is set (S2)', async () => {
  const { act } = toolbox()
  const { agent, prompts } = testAgent({
    onPartialSuspension: 'wait',
    replies: [three, 'Bye'],
    tools: [act(), act('gated', { needs: 'approval' })],
  })

  expect((await agent.run('Hi', { runId })).status).toBe('waiting')
  expect(prompts.length).toBe(1)
  const run = await agent.load(runId)
  await run.approve()
  expect((await run.settled()).text).toBe('Bye')
  expect(prompts[1]?.slice(2)).toEqual(['result 1.c1: act done', 'result 1.c2: gated done', 'result 1.c3: act done'])
})

interface Case {
  readonly what: string
  readonly tools: readonly string[]
  readonly options?: TestAgentOptions
  readonly modelCalls: number
}

test.for<Case>([
  { what: 'every call suspended (a)', tools: ['gated', 'gated'], modelCalls: 1 },
  {
    what: 'a suspended prefix of a sequential round (a)',
    tools: ['gated', 'act'],
    options: { executor: 'sequential' },
    modelCalls: 1,
  },
  {
    what: 'a suspended first batch (a)',
    tools: ['gated', 'gated', 'act'],
    options: { executor: { batch: 2 } },
    modelCalls: 1,
  },
  { what: 'one call suspended beside a settled one', tools: ['act', 'gated'], modelCalls: 2 },
  { what: 'one call suspended beside a failed one', tools: ['gated', 'nowhere'], modelCalls: 2 },
  {
    what: 'a settled call before the suspended one, sequential',
    tools: ['act', 'gated'],
    options: { executor: 'sequential' },
    modelCalls: 2,
  },
  {
    what: 'one call suspended, and the option waits (b)',
    tools: ['act', 'gated'],
    options: { onPartialSuspension: 'wait' },
    modelCalls: 1,
  },
  { what: 'a service call suspended (b)', tools: ['act', 'service'], modelCalls: 1 },
  { what: 'a sub-agent suspended (b)', tools: ['act', 'subAgent'], modelCalls: 1 },
  { what: 'a permission asked for (b)', tools: ['act', 'permission'], modelCalls: 1 },
])('RUN-03 waits after $modelCalls model call(s): $what', async ({ tools, options = {}, modelCalls }) => {
  const { act, ask } = toolbox()
  const { agent, prompts } = testAgent({
    ...options,
    replies: [calls(...tools.map((name, index) => call(`c${index}`, name))), 'Bye'],
    tools: [
      act(),
      act('gated', { needs: 'approval' }),
      ask('service', { reason: 'service' }),
      ask('subAgent', { reason: 'subAgent' }),
      ask('permission', { reason: 'permission' }),
    ],
  })

  expect((await agent.run('Hi', { runId })).outcome).toEqual({ reason: 'suspended' })
  expect(prompts.length).toBe(modelCalls)
})

test.for(['immediate', 'gate'] as const)(
  'RUN-03 judges a round by its own calls, not by a replay that settled beside it (%s)',
  async (decisions) => {
    const { act } = toolbox()
    const second = heldReply()
    const { agent, store, prompts } = testAgent({
      decisions,
      replies: [calls(call('c1', 'act'), call('c2', 'gated')), second.reply, 'Bye'],
      tools: [act(), act('gated', { needs: 'approval' })],
    })
    const run = agent.start('Hi', { runId })
    const end = run.settled()
    await second.asked
    await run.approve('1.c2')
    second.give(calls(call('c3', 'gated')))

    expect((await end).status).toBe('waiting')
    expect(prompts.length).toBe(2)
    expect(await statusesOf(store, runId)).toEqual({ '1.c1': 'succeeded', '1.c2': 'succeeded', '2.c3': 'suspended' })
  },
)

test('RUN-03 waits if every call suspended first, though a kept decision settled one of them (a)', async () => {
  const { act } = toolbox()
  const held = heldTool('held')
  const { agent, store, prompts } = testAgent({
    executor: 'sequential',
    replies: [calls(call('c1', 'gated'), call('c2', 'gated')), 'Bye'],
    tools: [act('gated', { needs: 'approval' }), held.tool],
    plugins: [
      {
        name: 'decider',
        gateCall: async ({ call: record, decision }) => {
          if (record.callId === '1.c1' && decision === undefined) await run.approve('1.c1')
        },
      },
    ],
  })
  const run = agent.start('Hi', { runId })

  expect((await run.settled()).status).toBe('waiting')
  expect(prompts.length).toBe(1)
  expect(await statusesOf(store, runId)).toEqual({ '1.c1': 'succeeded', '1.c2': 'suspended' })
})

test('RUN-04 RUN-03 replays one decision at once, waits again, and finishes on the second (S15)', async () => {
  const { done, act } = toolbox()
  const { agent, store, prompts } = testAgent({
    replies: [calls(call('c1', 'gated', { n: 1 }), call('c2', 'gated', { n: 2 })), 'Bye'],
    tools: [act('gated', { needs: 'approval' })],
  })
  await agent.run('Hi', { runId })
  const run = await agent.load(runId)

  await run.approve('1.c2')
  const first = await run.settled()
  expect([first.status, first.suspended.map(({ callId }) => callId)]).toEqual(['waiting', ['1.c1']])
  expect([done, prompts.length]).toEqual([['gated {"n":2}'], 1])

  await run.deny('1.c1')
  const second = await run.settled()
  expect([second.status, second.text, prompts.length]).toEqual(['done', 'Bye', 2])
  expect(await resultsOf(store, runId)).toEqual({ '1.c1': 'User denied the action', '1.c2': 'gated done' })
})

test('DEC-08 RUN-03 keeps partial answers and asks the model after the last one', async () => {
  const { ask } = toolbox()
  const { agent, prompts } = testAgent({
    replies: [calls(call('c1', 'service'), call('c2', 'service'), call('c3', 'service')), 'Bye'],
    tools: [ask('service', { reason: 'service' }, { resume: 'use-as-result' })],
  })
  await agent.run('Hi', { runId })
  const run = await agent.load(runId)
  const seen: [string, number][] = []
  for (const callId of ['1.c3', '1.c1', '1.c2']) {
    await run.respond(callId, `answer to ${callId}`)
    seen.push([(await run.settled()).status, prompts.length])
  }

  expect(seen).toEqual([
    ['waiting', 1],
    ['waiting', 1],
    ['done', 2],
  ])
  expect(prompts[1]?.slice(2)).toEqual([
    'result 1.c1: answer to 1.c1',
    'result 1.c2: answer to 1.c2',
    'result 1.c3: answer to 1.c3',
  ])
})

test('RUN-03 waits at a natural ending and lets the model read the result (c)', async () => {
  const { act } = toolbox()
  const { agent, prompts } = testAgent({
    replies: [calls(call('c1', 'act'), call('c2', 'gated')), 'Not done', 'Done now'],
    tools: [act(), act('gated', { needs: 'approval' })],
  })
  const paused = await agent.run('Hi', { runId })
  const run = await agent.load(runId)
  await run.deny()
  const end = await run.settled()

  expect([paused.outcome.reason, end.outcome.reason, end.text]).toEqual(['suspended', 'natural_end', 'Done now'])
  expect(prompts.length).toBe(3)
})

test('RUN-03 starts another turn for a result that the model has not read', async () => {
  const held = heldTool('held', { needs: 'approval' })
  const { act } = toolbox()
  const second = heldReply()
  const { agent, prompts } = testAgent({
    replies: [calls(call('c1', 'act'), call('c2', 'held')), second.reply, 'Heard'],
    tools: [act(), held.tool],
  })
  const run = agent.start('Hi', { runId })
  const end = run.settled()
  await second.asked
  await run.approve('1.c2')
  await held.begins('1.c2')
  second.give('Bye')
  held.finish('1.c2', 'late')

  expect((await end).text).toBe('Heard')
  expect(prompts[2]?.slice(-2)).toEqual(['assistant: Bye', "user: [Tool 'held' finished: its result is now above.]"])
})
