import { expect, test } from 'vitest'
import { hearWorker } from '../../../proof/support/heard-worker.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { runId, testAgent, type TestAgentOptions } from '../../../proof/support/test-agent.ts'
import { toolbox } from '../../../proof/support/tools.ts'
import { createWorker } from '../../../src/core/workers/worker.ts'
import { checkRuns, createAgent } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { forecast } from '../../../src/testing/index.ts'

const { ask } = toolbox()
const replies = [calls(call('c1', 'ask')), 'Done']

/** An agent of version 1 with a run that is only stored and one that waits for an answer, and makers of other versions. */
async function deployed() {
  const first = testAgent({ replies, tools: [ask()], version: '1' })
  const { store, clock } = first
  await first.agent.start('Hi', { runId: 'stored', drive: false }).result()
  await first.agent.run('Hi', { runId: 'asked' })
  const other = (options: TestAgentOptions) => testAgent({ replies, tools: [ask()], store, clock, ...options })
  return { first: first.agent, store, other }
}

test('VER-01 workers of another version do not drive a pinned run, whichever process stored its answer', async () => {
  const { first, store, other } = await deployed()
  const { agent: second, prompts } = other({ version: '2', process: 'p2' })
  await (await second.load('asked')).approve()
  await using worker = createWorker({ agents: [second] })
  const heard = hearWorker(worker)
  await worker.start(second, 'Hi', { runId })
  expect(await heard.released(1)).toMatchObject({ runId })
  expect(await store.record(runId)).toMatchObject({ agentVersion: '2' })
  expect(prompts).toEqual([['user: Hi']])
  const kept =
    'Run "asked" is kept for version "1" of the agent "test", and this one is "2". Workers of that version drive'
  await expect((await second.load('asked')).settled()).rejects.toMatchObject({
    code: 'run_is_driven',
    message: expect.stringContaining(kept),
  })
  expect(await second.resume('stored')).toMatchObject({ drive: 'elsewhere' })
  expect(await store.record('stored')).toMatchObject({ status: 'running', agentVersion: '1', isDriven: false })
  await using old = createWorker({ agents: [first] })
  const heardOld = hearWorker(old)
  await heardOld.released(2)
  expect(await store.record('asked')).toMatchObject({ status: 'done', agentVersion: '1' })
})

test('VER-01 a version that moves runs takes a run over between turns, and leaves an open call to the earlier version', async () => {
  const { first, store, other } = await deployed()
  const { agent: second, prompts } = other({ version: { name: '2', others: 'move' }, process: 'p2' })
  await (await second.load('asked')).approve()
  await using worker = createWorker({ agents: [second] })
  const heard = hearWorker(worker)
  expect(await heard.released(1)).toMatchObject({ runId: 'stored', status: 'waiting' })
  expect(prompts).toEqual([['user: Hi']])
  expect(await store.record('stored')).toMatchObject({ agentVersion: '2' })
  expect(await store.record('asked')).toMatchObject({ status: 'waiting', agentVersion: '1' })
  await using both = createWorker({ agents: [first, second] })
  await hearWorker(both).released(1)
  expect(await store.record('asked')).toMatchObject({ status: 'done' })
})

test('VER-01 a worker without a version does not drive versioned runs, and a run without a version gets that of its claimer', async () => {
  const { other, store } = await deployed()
  const { agent: none } = other({ process: 'p2' })
  await none.start('Hi', { runId, drive: false }).result()
  await none.start('Hi', { runId: 'final', drive: false }).result()
  await using worker = createWorker({ agents: [other({ version: '3', process: 'p3' }).agent], concurrency: 1 })
  await hearWorker(worker).released(1)
  await worker.drain()
  expect(await store.record(runId)).toMatchObject({ agentVersion: '3' })
  await using unversioned = createWorker({ agents: [none] })
  expect(await hearWorker(unversioned).released(1)).toMatchObject({ runId: 'final' })
  expect(await store.record('stored')).toMatchObject({ agentVersion: '1', version: 0 })
})

test("VER-01 a sub-agent's runs have the version of their host", async () => {
  const helper = createAgent({ name: 'helper', model: scripted('Helped'), version: '9' })
  const { agent, store } = testAgent({
    replies: [calls(call('c1', 'helper', { prompt: 'Help' })), 'Done'],
    tools: [helper.asTool({ description: 'Helps' })],
    version: '1',
  })
  await agent.run('Hi', { runId })
  const runs = await store.list()
  expect(runs).toHaveLength(2)
  expect(runs).toEqual(runs.map(() => expect.objectContaining({ agentVersion: '1' })))
})

const kept = 'It is kept for version "1" of the agent "test", and'

test.each<[string, TestAgentOptions, string, readonly string[]]>([
  ['no version', {}, `${kept} this one has no version. Keep a worker of version "1", or give`, ['asked', 'stored']],
  ['pin', { version: '2' }, `${kept} this one is "2". Keep a worker of version "1", or give`, ['asked', 'stored']],
  [
    'move',
    { version: { name: '2', others: 'move' } },
    `${kept} this one is "2". Keep a worker of version "1" until its open calls have ended.`,
    ['asked'],
  ],
])(
  'VER-01 a forecast and a check list the runs that a version leaves behind: %s',
  async (_, version, reason, runIds) => {
    const { first, store, other } = await deployed()
    const { agent } = other({ ...version, process: 'p2' })
    const group = { outlook: 'stuck', reason: expect.stringContaining(reason), runIds: expect.anything() }
    const { groups } = await forecast(store, [agent])
    expect(groups).toEqual([group])
    expect(groups[0]?.runIds.toSorted()).toEqual(runIds)
    const { problems } = await checkRuns(store, agent)
    expect(problems.map(({ code, runId: id }) => `${code} ${id}`).toSorted()).toEqual(
      runIds.map((id) => `other_version ${id}`),
    )
    expect(await forecast(store, [agent, first])).toMatchObject({ checked: 2, alike: 2 })
  },
)

const expected = 'Expected a text of 1 to 100 characters, without control characters'
test.each<[string, unknown, string]>([
  ['empty', { version: '' }, expected],
  ['blank', { version: ' ' }, expected],
  ['too long', { version: 'v'.repeat(101) }, expected],
  ['with a control character', { version: 'a\u0000b' }, expected],
  ['with a line feed', { version: 'a\nb' }, expected],
  ['a number', { version: 2 }, expected],
  ['with a rule of another name', { version: { name: '2', others: 'keep' } }, 'Expected pin or move'],
  ['a rule without a name', { version: { others: 'move' } }, expected],
])('VER-01 refuses a version that is %s', (_, options, message) => {
  const refusal = expect.objectContaining({ code: 'bad_option', message: expect.stringContaining(message) })
  expect(() => testAgent(options as TestAgentOptions)).toThrow(refusal)
})
