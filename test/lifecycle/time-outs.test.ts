import { expect, test } from 'vitest'
import { resultsOf, statusesOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { heldTool, toolNamed } from '../../proof/support/tools.ts'
import { quiet, runId, testAgent } from '../../proof/support/test-agent.ts'
import { start } from '../../proof/support/fake-clock.ts'

test.for<[string, { tool?: number; agent?: number }, number]>([
  ['the tool says so', { tool: 100 }, 100],
  ['the agent says so', { agent: 200 }, 200],
  ['both say so: the tool wins', { tool: 300, agent: 50 }, 300],
])(
  'TC-03 ends a tool that ignores its signal when its time is over: %s (L3)',
  async ([, { tool, agent: whole }, after]) => {
    const held = heldTool('held', tool === undefined ? {} : { timeoutMs: tool })
    const { agent, store, clock, prompts } = testAgent({
      ...(whole === undefined ? {} : { limits: { toolTimeoutMs: whole } }),
      replies: [calls(call('c1', 'held')), 'Bye'],
      tools: [held.tool],
    })
    const run = agent.start('Hi', { runId })
    const end = run.settled()
    const { signal } = await held.begins('1.c1')
    await clock.sleeping(start + after)
    clock.advance(after - 1)
    await quiet()
    expect([signal.aborted, prompts.length]).toEqual([false, 1])
    clock.advance(1)

    expect((await end).text).toBe('Bye')
    expect(signal.aborted).toBe(true)
    expect(await statusesOf(store, runId)).toEqual({ '1.c1': 'failed' })
    expect(await resultsOf(store, runId)).toEqual({
      '1.c1': `Timeout: tool "held" gave no result within ${after} ms.`,
    })
  },
)

test('TC-03 reports the time-out of a tool that stops when its signal fires', async () => {
  const polite = toolNamed(
    'polite',
    (_, { signal }) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve('stopped'), { once: true })),
    { timeoutMs: 100 },
  )
  const { agent, store, clock } = testAgent({ replies: [calls(call('c1', 'polite')), 'Bye'], tools: [polite] })
  const run = agent.start('Hi', { runId })
  const end = run.settled()
  await clock.sleeping(start + 100)
  clock.advance(100)
  await end

  expect(await resultsOf(store, runId)).toEqual({ '1.c1': 'Timeout: tool "polite" gave no result within 100 ms.' })
})

test('TC-03 DEC-03 gives a replay its own time limit', async () => {
  const held = heldTool('held', { timeoutMs: 100, needs: 'approval' })
  const { agent, store, clock } = testAgent({ replies: [calls(call('c1', 'held')), 'Bye'], tools: [held.tool] })
  await agent.run('Hi', { runId })
  clock.advance(5000)
  const run = await agent.load(runId)
  await run.approve()
  const end = run.settled()
  await clock.sleeping(start + 5100)
  clock.advance(100)

  expect((await end).text).toBe('Bye')
  expect(await statusesOf(store, runId)).toEqual({ '1.c1': 'failed' })
})

test('TC-03 the others of a round finish if one call timed out', async () => {
  const slow = heldTool('slow', { timeoutMs: 100 })
  const held = heldTool('held')
  const { agent, store, clock } = testAgent({
    replies: [calls(call('c1', 'slow'), call('c2', 'held')), 'Bye'],
    tools: [slow.tool, held.tool],
  })
  const run = agent.start('Hi', { runId })
  const end = run.settled()
  await clock.sleeping(start + 100)
  clock.advance(100)
  await quiet()
  slow.finish('1.c1', 'too late')
  held.finish('1.c2')
  await end

  expect(await statusesOf(store, runId)).toEqual({ '1.c1': 'failed', '1.c2': 'succeeded' })
})
