import { expect, test } from 'vitest'
import { resultsOf, statusesOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { heldTool, toolbox } from '../../proof/support/tools.ts'
import { quiet, runId, testAgent } from '../../proof/support/test-agent.ts'

test('DEC-09 cancels a running call: its signal fires, and its sibling and the run go on', async () => {
  const held = heldTool()
  const { agent, store } = testAgent({
    replies: [calls(call('c1', 'held'), call('c2', 'held')), 'Bye'],
    tools: [held.tool],
  })
  const run = agent.start('Hi', { runId })
  const end = run.settled()
  const { signal } = await held.begins('1.c1')
  await run.cancelCall('1.c1', 'Wrong one')
  await quiet()
  expect(signal.aborted).toBe(true)
  held.finish('1.c1', 'too late')
  held.finish('1.c2')

  expect((await end).text).toBe('Bye')
  expect(await statusesOf(store, runId)).toEqual({ '1.c1': 'cancelled', '1.c2': 'succeeded' })
  expect(await resultsOf(store, runId)).toEqual({ '1.c1': 'Wrong one', '1.c2': 'held done' })
})

test.for([
  [['1.c2'], ['held', 'cancelled', 'act']],
  [['1.c3'], ['held', 'act', 'cancelled']],
  [
    ['1.c2', '1.c3'],
    ['held', 'cancelled', 'cancelled'],
  ],
] satisfies [string[], string[]][])('DEC-09 TC-01 cancels calls that have not started: %j', async ([targets, ends]) => {
  const held = heldTool()
  const { done, act } = toolbox()
  const { agent, store } = testAgent({
    executor: 'sequential',
    replies: [calls(call('c1', 'held'), call('c2', 'act'), call('c3', 'act')), 'Bye'],
    tools: [held.tool, act()],
  })
  const run = agent.start('Hi', { runId })
  const end = run.settled()
  await held.begins('1.c1')
  for (const target of targets) await run.cancelCall(target)
  await quiet()
  held.finish('1.c1')

  expect((await end).text).toBe('Bye')
  expect(done.length).toBe(2 - targets.length)
  const results = Object.values(await resultsOf(store, runId))
  expect(results).toEqual(ends.map((text) => (text === 'cancelled' ? 'User cancelled the action' : `${text} done`)))
})

test('DEC-09 cancels a call that would have been skipped, in a round that a suspension stops', async () => {
  const { act } = toolbox()
  const held = heldTool()
  const { agent, store } = testAgent({
    executor: { batch: 2 },
    replies: [calls(call('c1', 'held'), call('c2', 'gated'), call('c3', 'act')), 'Bye'],
    tools: [held.tool, act(), act('gated', { needs: 'approval' })],
  })
  const run = agent.start('Hi', { runId })
  const end = run.settled()
  await held.begins('1.c1')
  await run.cancelCall('1.c3')
  await quiet()
  held.finish('1.c1')
  await end

  expect(await resultsOf(store, runId)).toEqual({
    '1.c1': 'held done',
    '1.c2': undefined,
    '1.c3': 'User cancelled the action',
  })
})

test('DEC-09 cancels a call at its gate, and a replaying call', async () => {
  const at = Promise.withResolvers<void>()
  const held = heldTool('held', { needs: 'approval' })
  const { done, act } = toolbox()
  const { agent, store } = testAgent({
    replies: [calls(call('c1', 'act'), call('c2', 'held')), 'Bye'],
    tools: [act(), held.tool],
    plugins: [
      {
        name: 'hanging',
        gateCall: ({ call: { toolName } }) => {
          if (toolName !== 'act') return undefined
          at.resolve()
          return new Promise<void>(() => {})
        },
      },
    ],
  })
  const run = agent.start('Hi', { runId })
  const first = run.settled()
  await at.promise
  await run.cancelCall('1.c1')
  await first
  await run.approve('1.c2')
  const second = run.settled()
  await held.begins('1.c2')
  await run.cancelCall('1.c2')

  expect((await second).status).toBe('done')
  expect(done).toEqual([])
  expect(await statusesOf(store, runId)).toEqual({ '1.c1': 'cancelled', '1.c2': 'cancelled' })
})

test("DEC-09 cancels a suspended call by the provider's id if only one open call has it", async () => {
  const { act } = toolbox()
  const { agent, store } = testAgent({
    replies: [calls(call('c1', 'gated')), 'Bye'],
    tools: [act('gated', { needs: 'approval' })],
  })
  await agent.run('Hi', { runId })
  const run = await agent.load(runId)
  expect(await run.cancelCall('c1', 'Not now')).toEqual({ target: 'c1', answer: 'applied' })
  expect(await run.cancelCall('1.c1')).toEqual({
    target: '1.c1',
    answer: 'duplicate',
    message: 'A cancel of call "1.c1" is stored already and not carried out yet.',
  })
  expect((await store.inbox(runId, { isOpen: true })).length).toBe(1)

  expect((await run.settled()).text).toBe('Bye')
  expect(await resultsOf(store, runId)).toEqual({ '1.c1': 'Not now' })
})

const unknown = (target: string) => `No call "${target}" in this run. Open calls: 1.c2.`

test.for([
  ['1.c1', 'stale', 'Call "1.c1" has settled.'],
  ['c1', 'stale', 'Call "1.c1" has settled.'],
  ['1.c9', 'unknown', unknown('1.c9')],
  ['c9', 'unknown', unknown('c9')],
  ['', 'unknown', unknown('')],
] as const)('DEC-09 stores nothing for a settled or unknown call (%s: %s)', async ([target, answer, message]) => {
  const { act } = toolbox()
  const { agent, store } = testAgent({
    replies: [calls(call('c1', 'act'), call('c2', 'gated')), 'So far', 'Bye'],
    tools: [act(), act('gated', { needs: 'approval' })],
  })
  await agent.run('Hi', { runId })
  const run = await agent.load(runId)
  expect(await run.cancelCall(target)).toEqual({ target, answer, message })
  expect(await store.inbox(runId, { isOpen: true })).toEqual([])

  expect((await run.settled()).status).toBe('waiting')
  expect(await statusesOf(store, runId)).toEqual({ '1.c1': 'succeeded', '1.c2': 'suspended' })
  expect(await store.inbox(runId, { isOpen: true })).toEqual([])
})

test('DEC-09 lists the calls to which their provider gave one id, and cancels none of them', async () => {
  const { act } = toolbox()
  const { agent, store } = testAgent({
    replies: [calls(call('c1', 'act')), calls(call('c1', 'gated')), 'Bye'],
    tools: [act(), act('gated', { needs: 'approval' })],
  })
  await agent.run('Hi', { runId })
  expect(await (await agent.load(runId)).cancelCall('c1')).toEqual({
    target: 'c1',
    answer: 'unknown',
    message: '"c1" was the id of several calls: 1.c1, 2.c1. Name one of them.',
  })
  expect(await store.inbox(runId, { isOpen: true })).toEqual([])
})
