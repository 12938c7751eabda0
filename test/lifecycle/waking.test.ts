import { expect, test } from 'vitest'
import { resultsOf, statusesOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { heldTool, toolNamed } from '../../proof/support/tools.ts'
import { runId, testAgent } from '../../proof/support/test-agent.ts'

test('RUN-05 counts the time of a replay after a wait, but not the wait itself', async () => {
  const held = heldTool('held', { needs: 'approval' })
  const { agent, clock } = testAgent({
    limits: { maxDurationMs: 1000 },
    replies: [calls(call('c1', 'held')), 'Bye'],
    tools: [held.tool],
  })
  const run = agent.start('Hi', { runId })
  expect((await run.settled()).status).toBe('waiting')
  clock.advance(60_000)
  await run.approve()
  const end = run.settled()
  await held.begins('1.c1')
  clock.advance(5000)
  held.finish('1.c1')
  expect((await end).outcome).toEqual({ reason: 'stopped', code: 'max_duration' })
})

test('RUN-05 does not count the time without a driver', async () => {
  const held = heldTool('held', { effects: 'idempotent' })
  const options = { limits: { maxDurationMs: 1000 }, replies: [calls(call('c1', 'held')), 'Bye'], tools: [held.tool] }
  const { agent, store, clock } = testAgent(options)
  const run = agent.start('Hi', { runId })
  const end = run.settled()
  await held.begins('1.c1')
  await run.detach()
  await expect(end).rejects.toMatchObject({ code: 'run_detached' })
  clock.advance(60_000)

  const held2 = heldTool('held', { effects: 'idempotent' })
  const later = testAgent({ ...options, tools: [held2.tool], store, clock, process: 'p2' })
  const again = await later.agent.load(runId)
  const second = again.settled()
  await held2.begins('1.c1')
  held2.finish('1.c1')
  expect((await second).outcome).toEqual({ reason: 'natural_end' })
})

test('TC-03 suspends a call whose tool returns status pending, with the text as its message', async () => {
  const pending = toolNamed('ask', (_, { decision }) =>
    decision === undefined ? { content: [{ type: 'text', text: 'Which day?' }], status: 'pending' } : 'fine',
  )
  const { agent, store } = testAgent({ replies: [calls(call('c1', 'ask')), 'Bye'], tools: [pending] })
  const run = agent.start('Hi', { runId })
  const { suspended } = await run.settled()
  expect(suspended.map(({ suspension }) => [suspension?.reason, suspension?.message])).toEqual([
    ['input', 'Which day?'],
  ])
  await run.approve()
  await run.settled()
  expect(await resultsOf(store, runId)).toEqual({ '1.c1': 'fine' })
})

test('RUN-07 TC-08 reports that an interrupted call may have run, even if the run is cancelled at once', async () => {
  const held = heldTool()
  const options = { replies: [calls(call('c1', 'held')), 'Bye'], tools: [held.tool] }
  const { agent, store, clock } = testAgent(options)
  const run = agent.start('Hi', { runId })
  const end = run.settled()
  await held.begins('1.c1')
  await run.detach()
  await expect(end).rejects.toMatchObject({ code: 'run_detached' })

  const later = testAgent({ ...options, store, clock, process: 'p2' })
  const again = await later.agent.load(runId)
  await again.cancel()
  expect((await again.settled()).outcome).toEqual({ reason: 'cancelled' })
  expect(await statusesOf(store, runId)).toEqual({ '1.c1': 'cancelled' })
  expect(await resultsOf(store, runId)).toEqual({ '1.c1': '[Interrupted: the tool may or may not have run.]' })
})
