import { expect, test } from 'vitest'
import { StoreError } from '../../../src/core/domain/store-error.ts'
import { checkpointsOf, resultsOf, statusesOf, suspensionOf, transcriptOf } from '../../../proof/support/read-run.ts'
import { toolbox } from '../../../proof/support/tools.ts'
import { runId, testAgent, type TestAgentOptions } from '../../../proof/support/test-agent.ts'
import { recordOf } from '../../../src/testing/stores/store-suite-fixtures.ts'

const asking = [
  { toolCalls: [{ id: 'c1', name: 'look', arguments: {} }] },
  { toolCalls: [{ id: 'c2', name: 'write', arguments: {} }] },
  'Bye',
]

function askingAgent(options: TestAgentOptions = {}) {
  const { done, act } = toolbox()
  const tools = [act('look', { effects: 'none' }), act('write', { needs: 'approval' })]
  return { done, ...testAgent({ replies: asking, tools, ...options }) }
}

test('CKP-08 lists the checkpoints of a run and reads the state at each', async () => {
  const { agent } = askingAgent()
  const run = agent.start('Hi', { runId })
  await run.settled()

  const history = await run.history()
  expect(history.map(({ names }) => names)).toEqual([
    ['UserMessage'],
    ['AssistantTurnCommitted'],
    ['ToolResultsCommitted'],
    ['AssistantTurnCommitted', 'ToolResultsCommitted', 'RunFinished'],
  ])
  const states = await Promise.all(history.map(({ version }) => run.at(version)))
  expect(states.map(({ value, messages }) => [value, messages.length])).toEqual([
    [{ running: { turn: 'callingModel' } }, 1],
    [{ running: { toolRound: 'executing' } }, 2],
    [{ running: { turn: 'callingModel' } }, 3],
    ['waiting', 4],
  ])
})

test('CKP-08 forks a run from each of its checkpoints and reaches the same end', async () => {
  const { agent, store } = askingAgent()
  const run = agent.start('Hi', { runId })
  await run.settled()
  await run.approve()
  await run.settled()
  const expected = await transcriptOf(store, runId)

  for (const { version } of await run.history()) {
    const fork = await agent.fork(runId, { from: version, runId: `fork-${version}` })
    const first = await fork.settled()
    if (first.status === 'waiting') await fork.approve()
    expect((await fork.settled()).outcome).toEqual({ reason: 'natural_end' })
    expect(await transcriptOf(store, fork.id)).toEqual(expected)
  }
  expect((await store.record('fork-1')).forkedFrom).toEqual({ runId, version: 1 })
})

test('CKP-08 gives a fork its own suspensions, which no decision of the original answers', async () => {
  const { agent, store, done } = askingAgent()
  const run = agent.start('Hi', { runId })
  await run.settled()
  const [last] = (await run.history()).slice(-1)
  const fork = await agent.fork(runId, { from: last?.version ?? 0, runId: 'fork' })
  const original = await suspensionOf(store, runId, '2.c2')

  expect(await suspensionOf(store, 'fork', '2.c2')).not.toBe(original)
  expect((await fork.approve(original)).answer).toBe('unknown')
  expect((await fork.settled()).status).toBe('waiting')
  expect(done).toEqual(['look {}'])
})

test('CKP-08 asks again in a fork about a call that the original had approved and not yet run', async () => {
  const { agent, store, done } = askingAgent()
  const run = agent.start('Hi', { runId })
  await run.settled()
  await run.approve()
  await run.settled()
  const resumed = (await run.history())[4]
  expect(resumed?.names).toEqual(['UserMessage'])

  const fork = await agent.fork(runId, { from: resumed?.version ?? 0, runId: 'fork' })
  expect((await fork.settled()).status).toBe('waiting')
  expect(await statusesOf(store, 'fork')).toEqual({ '1.c1': 'succeeded', '2.c2': 'suspended' })
  expect(done).toEqual(['look {}', 'write {}'])
  await fork.deny(undefined, { reason: 'not here' })
  await fork.settled()
  expect(await resultsOf(store, 'fork')).toEqual({ '1.c1': 'look done', '2.c2': 'not here' })
})

test('CKP-08 TC-08 marks a once call that the original had started as interrupted in the fork', async () => {
  const { done, act } = toolbox()
  const replies = [{ toolCalls: [{ id: 'c1', name: 'pay', arguments: {} }] }, 'Bye']
  const { agent } = testAgent({ replies, tools: [act('pay')] })
  const run = agent.start('Hi', { runId })
  await run.settled()
  const started = (await run.history())[1]

  const fork = await agent.fork(runId, { from: started?.version ?? 0 })
  const { suspended } = await fork.settled()
  expect(suspended.map(({ suspension }) => suspension?.reason)).toEqual(['interrupted'])
  expect(done).toEqual(['pay {}'])
})

test('CKP-08 stores a fork completely when it is created, before anything is committed', async () => {
  const { agent, store, clock } = askingAgent()
  const run = agent.start('Hi', { runId })
  await run.settled()
  const { version } = await store.record(runId)

  const commit = () => Promise.reject(new Error('This process commits nothing.'))
  await askingAgent({ store: { ...store, commit }, clock, process: 'p2' }).agent.fork(runId, {
    from: version,
    runId: 'fork',
  })

  expect(await recordOf(store, 'fork')).toEqual({
    ...(await recordOf(store, runId)),
    id: 'fork',
    createdAt: clock.now(),
    updatedAt: clock.now(),
    version: 1,
    forkedFrom: { runId, version },
  })
  expect(await transcriptOf(store, 'fork')).toEqual(await transcriptOf(store, runId))
  expect(await checkpointsOf(store, 'fork')).toEqual((await checkpointsOf(store, runId)).slice(-1))
})

test('CKP-08 refuses to fork from anything but a checkpoint, and refuses an id that is taken', async () => {
  const { agent, store } = askingAgent()
  await agent.run('Hi', { runId })

  await expect(agent.fork(runId, { from: 99 })).rejects.toBeInstanceOf(StoreError)
  await expect(agent.fork(runId, { from: 1, runId })).rejects.toMatchObject({ code: 'run_exists' })
  await expect(agent.fork(runId, { from: 1, runId: '../up' })).rejects.toMatchObject({ code: 'bad_run_id' })
  expect(await checkpointsOf(store, runId)).toHaveLength(4)
})

test('CKP-08 never starts a fork over if the store has only its creation', async () => {
  const { agent, store, done, clock } = askingAgent()
  const input = (await store.read((await agent.run('Hi', { runId })).runId)).input
  const owner = { id: 'gone', host: 'elsewhere', pid: 1, pidStart: '' }
  const half = { id: 'fork', agent: 'test', input, at: clock.now(), forkedFrom: { runId, version: 1 } }
  await store.release(await store.create(half, owner, 1000))
  const before = [...done]

  const fork = await agent.load('fork')
  await expect(fork.settled()).rejects.toMatchObject({ code: 'snapshot_unreadable' })
  expect(done).toEqual(before)
})
