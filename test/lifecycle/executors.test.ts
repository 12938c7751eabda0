import { expect, test } from 'vitest'
import type { ExecutorOption } from '../../src/ports.ts'
import { resultsOf, statusesOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { heldTool, toolbox } from '../../proof/support/tools.ts'
import { eventsOf, heldReply, quiet, runId, testAgent } from '../../proof/support/test-agent.ts'

interface Widths {
  readonly executor: ExecutorOption
  readonly names: readonly string[]
  readonly groups: readonly (readonly string[])[]
}

test.for<Widths>([
  { executor: 'parallel', names: ['held', 'held', 'held'], groups: [['1.c0', '1.c1', '1.c2']] },
  { executor: 'sequential', names: ['held', 'held', 'held'], groups: [['1.c0'], ['1.c1'], ['1.c2']] },
  { executor: { batch: 2 }, names: ['held', 'held', 'held'], groups: [['1.c0', '1.c1'], ['1.c2']] },
  { executor: 'parallel', names: ['held', 'alone', 'held'], groups: [['1.c0'], ['1.c1'], ['1.c2']] },
  { executor: 'parallel', names: ['alone', 'held', 'held'], groups: [['1.c0'], ['1.c1', '1.c2']] },
  { executor: { batch: 2 }, names: ['held', 'held', 'alone', 'held'], groups: [['1.c0', '1.c1'], ['1.c2'], ['1.c3']] },
])('TC-05 runs $names in $groups ($executor) (E9)', async ({ executor, names, groups }) => {
  const held = heldTool('held')
  const alone = heldTool('alone', { concurrency: 'exclusive' })
  const { agent } = testAgent({
    executor,
    replies: [calls(...names.map((name, index) => call(`c${index}`, name))), 'Bye'],
    tools: [held.tool, alone.tool],
  })
  const run = agent.start('Hi', { runId })
  const end = run.settled()
  const toolOf = (callId: string) => (names[Number(callId.slice(3))] === 'alone' ? alone : held)
  const seen: string[][] = []
  let known = 0
  for (const group of groups) {
    await Promise.all(group.map((callId) => toolOf(callId).begins(callId)))
    await quiet()
    const begun = [...held.begun, ...alone.begun]
    seen.push(begun.filter((callId) => group.includes(callId)).toSorted())
    known += group.length
    expect(begun.length).toBe(known)
    for (const callId of group) toolOf(callId).finish(callId)
  }

  expect(seen).toEqual(groups)
  expect((await end).text).toBe('Bye')
})

test('TC-06 TC-05 commits results in the order of the calls, in any order of finishing (L5)', async () => {
  const held = heldTool()
  const { agent, prompts } = testAgent({
    replies: [calls(call('c1', 'held'), call('c2', 'held'), call('c3', 'held')), 'Bye'],
    tools: [held.tool],
  })
  const run = agent.start('Hi', { runId })
  const events = eventsOf(run)
  await Promise.all(['1.c1', '1.c2', '1.c3'].map((callId) => held.begins(callId)))
  for (const callId of ['1.c3', '1.c1', '1.c2']) {
    held.finish(callId, `of ${callId}`)
    await quiet()
  }

  const told = (await events).flatMap((event) =>
    event.type === 'message.ended' && event.message.role === 'toolResult' ? event.message.callId : [],
  )
  expect(told).toEqual(['1.c1', '1.c2', '1.c3'])
  expect(prompts[1]?.slice(2)).toEqual(['result 1.c1: of 1.c1', 'result 1.c2: of 1.c2', 'result 1.c3: of 1.c3'])
})

test('TC-05 RUN-06 continues after a failure in a sequential round (E3)', async () => {
  const { done, act, fail } = toolbox()
  const { agent, prompts } = testAgent({
    executor: 'sequential',
    replies: [calls(call('c1', 'fail'), call('c2', 'act')), 'Bye'],
    tools: [fail(), act()],
  })

  expect((await agent.run('Hi', { runId })).text).toBe('Bye')
  expect(done).toEqual(['fail {}', 'act {}'])
  expect(prompts[1]?.slice(2)).toEqual(['result 1.c1 (error): Tool "fail" failed: boom', 'result 1.c2: act done'])
})

test.for([
  ['sequential', ['gated', 'act', 'act'], ['suspended', 'failed', 'failed'], ['1.c0']],
  [{ batch: 2 }, ['gated', 'act', 'act'], ['suspended', 'succeeded', 'failed'], ['1.c0', '1.c1']],
  ['parallel', ['gated', 'act', 'act'], ['suspended', 'succeeded', 'succeeded'], ['1.c0', '1.c1', '1.c2']],
] satisfies [ExecutorOption, string[], string[], string[]][])(
  'TC-05 stops a round of %j at its first suspension (S3)',
  async ([executor, names, statuses, gated]) => {
    const { act } = toolbox()
    const seen: string[] = []
    const reviewed: string[] = []
    const { agent, store } = testAgent({
      executor,
      onPartialSuspension: 'wait',
      replies: [calls(...names.map((name, index) => call(`c${index}`, name))), 'Bye'],
      tools: [act(), act('gated', { needs: 'approval' })],
      plugins: [
        {
          name: 'watcher',
          gateCall: ({ call: { callId } }) => void seen.push(callId),
          reviewCall: ({ call: { callId } }) => void reviewed.push(callId),
        },
      ],
    })

    expect((await agent.run('Hi', { runId })).status).toBe('waiting')
    expect(Object.values(await statusesOf(store, runId))).toEqual(statuses)
    expect(seen).toEqual(gated)
    expect(reviewed.toSorted()).toEqual(gated)
    const rest = Object.values(await resultsOf(store, runId)).slice(gated.length)
    expect(rest).toEqual(rest.map(() => '[Not executed: an earlier call is waiting for a decision.]'))
  },
)

test('TC-05 adds a result for both calls of a stopped round to the next prompt (S3)', async () => {
  const { act } = toolbox()
  const { agent, prompts } = testAgent({
    executor: 'sequential',
    replies: [calls(call('c1', 'gated'), call('c2', 'act')), 'Bye'],
    tools: [act(), act('gated', { needs: 'approval' })],
  })
  await agent.run('Hi', { runId })
  const run = await agent.load(runId)
  await run.approve()
  await run.settled()

  expect(prompts[1]?.slice(2)).toEqual([
    'result 1.c1: gated done',
    'result 1.c2 (error): [Not executed: an earlier call is waiting for a decision.]',
  ])
})

test('TC-05 DEC-04 starts a round only after a replay that its executor runs exclusively', async () => {
  const held = heldTool('held', { needs: 'approval' })
  const other = heldTool('other')
  const { act } = toolbox()
  const second = heldReply()
  const { agent } = testAgent({
    executor: 'sequential',
    replies: [calls(call('c1', 'act'), call('c2', 'held')), second.reply, 'Bye'],
    tools: [act(), held.tool, other.tool],
  })
  const run = agent.start('Hi', { runId })
  const end = run.settled()
  await second.asked
  await run.approve('1.c2')
  await held.begins('1.c2')
  second.give(calls(call('c3', 'other')))
  await quiet()
  expect(other.begun).toEqual([])
  held.finish('1.c2')
  await other.begins('2.c3')
  other.finish('2.c3')

  expect((await end).text).toBe('Bye')
})

test('TC-05 DEC-04 runs a replay in the next free slot of a sequential round', async () => {
  const held = heldTool('held')
  const gated = heldTool('gated', { needs: 'approval' })
  const { act } = toolbox()
  const { agent } = testAgent({
    executor: 'sequential',
    replies: [calls(call('c1', 'act'), call('c2', 'gated')), calls(call('c3', 'held'), call('c4', 'held')), 'Bye'],
    tools: [act(), held.tool, gated.tool],
  })
  const run = agent.start('Hi', { runId })
  const end = run.settled()
  await held.begins('2.c3')
  await run.approve('1.c2')
  await quiet()
  expect(gated.begun).toEqual([])
  held.finish('2.c3')
  await gated.begins('1.c2')
  await quiet()
  expect(held.begun).toEqual(['2.c3'])
  gated.finish('1.c2')
  await held.begins('2.c4')
  held.finish('2.c4')

  expect((await end).text).toBe('Bye')
})

test('TC-05 DEC-02 replays an exclusive call with no other call, in the order of the model’s calls', async () => {
  const alone = heldTool('alone', { needs: 'approval', concurrency: 'exclusive' })
  const other = heldTool('other', { needs: 'approval' })
  const { agent } = testAgent({
    decisions: 'gate',
    replies: [calls(call('c1', 'alone'), call('c2', 'other')), 'Bye'],
    tools: [alone.tool, other.tool],
    plugins: [{ name: 'start', runStart: () => undefined }],
  })
  await agent.run('Hi', { runId })
  const run = await agent.load(runId)
  await run.decide([
    { target: '1.c2', action: 'resume' },
    { target: '1.c1', action: 'resume' },
  ])
  const end = run.settled()
  await alone.begins('1.c1')
  await quiet()
  expect(other.begun).toEqual([])
  alone.finish('1.c1')
  await other.begins('1.c2')
  other.finish('1.c2')

  expect((await end).text).toBe('Bye')
})
