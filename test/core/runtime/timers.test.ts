import { expect, test } from 'vitest'
import type { Run } from '../../../src/index.ts'
import { resultsOf } from '../../../proof/support/read-run.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { toolbox } from '../../../proof/support/tools.ts'
import { quiet, runId, testAgent } from '../../../proof/support/test-agent.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { start } from '../../../proof/support/fake-clock.ts'

const replies = [calls(call('c1', 'ask')), 'Done']
const expiresAt = start + 1000

test('DEC-07 TC-08 finds a run by its due timer, but not by a timer that a decision in another process ended', async () => {
  const { ask } = toolbox()
  const tools = [ask('ask', { expiresAt })]
  const { agent, store, clock } = testAgent({ replies, tools })
  await agent.run('Hi', { runId })
  expect(await store.due(expiresAt)).toEqual([runId])

  const other = await testAgent({ replies, tools, store, clock, process: 'p2' }).agent.load(runId)
  await other.approve('1.c1')
  expect(await other.settled()).toMatchObject({ status: 'done' })
  expect(await store.due(Number.MAX_SAFE_INTEGER)).toEqual([])
})

test('DEC-07 fires a timer that fell due without a driver once', async () => {
  const { ask, done } = toolbox()
  const tools = [ask('ask', { expiresAt })]
  const { agent, store, clock } = testAgent({ replies, tools })
  await agent.run('Hi', { runId })
  clock.advance(1000)
  const other = await testAgent({ replies, tools, store, clock, process: 'p2' }).agent.load(runId)
  expect(await other.approve('1.c1')).toMatchObject({ answer: 'stale' })
  expect(await other.settled()).toMatchObject({ status: 'done' })
  expect(await resultsOf(store, runId)).toEqual({
    '1.c1': '[Cancelled: no decision came before the request expired.]',
  })
  expect(await store.due(Number.MAX_SAFE_INTEGER)).toEqual([])
  expect(done).toEqual(['ask {}'])
})

test('CKP-08 DEC-07 finds a fork by the timers that it inherited, and fires them', async () => {
  const { ask, done } = toolbox()
  const { agent, store, clock } = testAgent({ replies, tools: [ask('ask', { expiresAt })] })
  const run = agent.start('Hi', { runId })
  await run.settled()
  const [last] = (await run.history()).slice(-1)
  const fork = await agent.fork(runId, { from: last?.version ?? 0, runId: 'fork' })
  expect((await store.due(expiresAt)).toSorted()).toEqual(['fork', runId])

  clock.advance(1000)
  expect(await fork.settled()).toMatchObject({ status: 'done' })
  expect(await store.due(expiresAt)).toEqual([runId])
  expect(done).toEqual(['ask {}'])
})

test('CKP-08 DEC-07 a fork inherits the time-out of every waiting call, in a store that keeps one timer for each name', async () => {
  const { ask } = toolbox()
  const tools = [ask('soon', { expiresAt }), ask('late', { expiresAt: expiresAt + 1000 })]
  const both = [calls(call('c1', 'soon'), call('c2', 'late')), 'Done']
  const { agent, store } = testAgent({ replies: both, tools, store: sqliteStore(':memory:') })
  await agent.run('Hi', { runId })
  await agent.fork(runId, { from: (await store.record(runId)).version, runId: 'fork' })
  expect((await store.due(expiresAt)).toSorted()).toEqual(['fork', runId])
  await store.close()
})

test('CKP-08 asks again in a fork, with the original time, about a call whose answer waited at the checkpoint', async () => {
  const { ask, act } = toolbox()
  const late: { run?: Run } = {}
  const approveLate = async () => {
    await late.run?.approve('1.c1')
    await quiet()
    return calls(call('c3', 'act'))
  }
  const asking = [calls(call('c1', 'ask'), call('c2', 'act')), approveLate, 'Done', 'Done']
  const { agent, store, clock } = testAgent({
    replies: asking,
    tools: [ask('ask', { expiresAt }), act('act', { effects: 'none' })],
    decisions: 'gate',
  })
  const run = agent.start('Hi', { runId })
  late.run = run
  expect(await run.settled()).toMatchObject({ status: 'done' })
  expect(await resultsOf(store, runId)).toMatchObject({ '1.c1': 'ask heard resume' })

  const turns = (await run.history()).filter(({ names }) => names.includes('AssistantTurnCommitted'))
  const fork = await agent.fork(runId, { from: turns[1]?.version ?? 0, runId: 'fork' })
  expect(await store.due(expiresAt)).toEqual(['fork'])
  clock.advance(1000)
  expect(await fork.settled()).toMatchObject({ status: 'done' })
  expect(await resultsOf(store, 'fork')).toMatchObject({
    '1.c1': '[Cancelled: no decision came before the request expired.]',
  })
})
