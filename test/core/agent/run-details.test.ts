import { expect, test } from 'vitest'
import type { Json, Plugin } from '../../../src/index.ts'
import type { NewRunOptions, RunDetails } from '../../../src/ports.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { runId, testAgent } from '../../../proof/support/test-agent.ts'
import { toolNamed } from '../../../proof/support/tools.ts'

const given = {
  subject: 'conversation-7',
  accessControl: { roles: ['clerk'], until: null },
  quota: 4,
  delegatedBy: 'desk',
  labels: { folder: '/home' },
  metadata: { page: { number: 3 } },
} as const
const details: RunDetails = { id: runId, ...given }

/** An agent whose plugin and tool write down what they are told of the run. */
function listening(store = memoryStore(), process = 'p1') {
  const seen: [string, RunDetails][] = []
  const hear = (where: string, run: RunDetails) => void seen.push([where, run])
  const plugin: Plugin = {
    name: 'listener',
    runStart: ({ run }) => hear('runStart', run),
    gateCall: ({ run }) => hear('gateCall', run),
  }
  const pay = toolNamed('pay', (_, { run }) => (hear('execute', run), 'paid'), {
    needs: 'approval',
    preview: (_, { run }) => (hear('preview', run), 'pays'),
  })
  const { agent } = testAgent({
    replies: [calls(call('c1', 'pay')), 'Bye'],
    plugins: [plugin],
    tools: [pay],
    store,
    process,
  })
  return { agent, seen, store }
}

test("AGT-07 RUN-05 keeps a run's start details for plugins, tools and the result, in another process too", async () => {
  const first = listening()
  expect(await first.agent.run('Hi', { runId, ...given })).toMatchObject({ status: 'waiting', run: details })
  expect(first.seen).toEqual([
    ['runStart', details],
    ['preview', details],
    ['gateCall', details],
  ])
  const second = listening(first.store, 'p2')
  const run = await second.agent.load(runId)
  expect((await run.result()).run).toEqual(details)
  await run.approve()
  expect((await run.settled()).run).toEqual(details)
  expect(second.seen).toEqual([
    ['runStart', details],
    ['gateCall', details],
    ['execute', details],
  ])
})

test('RUN-05 keeps the details of a run in a file', async () => {
  const store = sqliteStore(':memory:')
  const { agent } = testAgent({ replies: ['Hi.'], store })
  await agent.run('Hi', { runId, ...given })
  expect((await (await agent.load(runId)).result()).run).toEqual(details)
  await store.close()
})

test("RUN-05 uses the run's id as its subject if none is given", async () => {
  const { agent, store } = testAgent({ replies: ['Hi.'] })
  expect((await agent.run('Hi', { runId })).run).toEqual({ id: runId, subject: runId, labels: {} })
  expect(Object.keys((await store.read(runId)).input as object).toSorted()).toEqual(['messages', 'options'])
})

test("CKP-08 copies a run's details to its forks, and its id as their subject if it had none", async () => {
  const { agent } = testAgent({ replies: ['Hi.'] })
  await agent.run('Hi', { runId, ...given })
  await agent.run('Hi', { runId: 'plain' })
  const fork = await agent.fork(runId, { from: 1, runId: 'f1' })
  expect((await fork.settled()).run).toEqual({ ...details, id: 'f1' })
  await agent.fork('plain', { from: 1, runId: 'f2' })
  const again = await agent.fork('f2', { from: 1, runId: 'f3' })
  expect((await again.result()).run).toEqual({ id: 'f3', subject: 'plain', labels: {} })
})

test("RUN-05 passes the details frozen, so that a plugin's changes have no effect", async () => {
  const plugin: Plugin = {
    name: 'meddler',
    runStart: ({ run }) => {
      ;(run.accessControl as { roles: string[] }).roles.push('admin')
    },
  }
  const { agent } = testAgent({ replies: ['Hi.'], plugins: [plugin] })
  const { outcome, run } = await agent.run('Hi', { runId, ...given })
  expect(outcome.error?.message).toContain('Plugin "meddler" failed in runStart')
  expect(run).toEqual(details)
})

test('RUN-05 keeps accessControl as it was at the start, even if the object changes later', async () => {
  const accessControl = { roles: ['clerk'] }
  const { agent } = testAgent({ replies: ['Hi.'] })
  const run = agent.start('Hi', { runId, accessControl })
  accessControl.roles.push('admin')
  expect((await run.settled()).run.accessControl).toEqual({ roles: ['clerk'] })
})

test.each([
  ['the run', {}, { history: true }, true],
  ['the agent', { history: true }, {}, true],
  ['the run, which wins', { history: true }, { history: false }, undefined],
  ['nobody', {}, {}, undefined],
])('AGT-09 history contains %s', async (_, options, start, history) => {
  const { agent } = testAgent({ replies: ['Hi.'], ...options })
  expect((await agent.run('Hi', start)).run.history).toBe(history)
  const run = await agent.session('talk').prompt('Hi', start)
  expect((await run.settled()).run.history).toBe(history)
})

test.each<[Json]>([['a token'], [null], [7], [['x']]])('RUN-05 accepts %j as accessControl', async (accessControl) => {
  const { agent } = testAgent({ replies: ['Hi.'] })
  expect((await agent.run('Hi', { runId, accessControl })).run.accessControl).toEqual(accessControl)
})

const acting = (count: number) => [
  ...Array.from({ length: count }, (_, index) => calls(call(`c${index}`, 'act'))),
  'Bye',
]

test.each([
  ['where the agent has no such limit', {}],
  ['in place of a higher one of the agent', { limits: { maxToolInteractions: 50 } }],
  ['in place of a lower one of the agent', { limits: { maxToolInteractions: 1 } }],
  ['where limits are off', { limits: false }],
] as const)('AGT-10 a quota of 2 allows two model calls %s, then ends in an error that says so', async (_, options) => {
  const { agent, prompts } = testAgent({ ...options, replies: acting(5), tools: [toolNamed('act', () => 'done')] })
  const { outcome, run } = await agent.run('Hi', { quota: 2 })
  const code = 'max_tool_interactions'
  expect(outcome).toEqual({ reason: 'error', code, error: { code, message: 'Tool calls exhausted max quota' } })
  expect(prompts).toHaveLength(2)
  expect(run.quota).toBe(2)
})

test('AGT-10 keeps a quota across a suspension, and under an agent with another limit', async () => {
  const tools = [toolNamed('act', () => 'done', { needs: 'approval' })]
  const { agent, store } = testAgent({ replies: acting(5), tools })
  expect((await agent.run('Hi', { runId, quota: 2 })).status).toBe('waiting')
  const second = testAgent({ replies: acting(5), tools, store, process: 'p2', limits: { maxToolInteractions: 9 } })
  const run = await second.agent.load(runId)
  await run.approve()
  expect((await run.settled()).status).toBe('waiting')
  await run.approve()
  expect((await run.settled()).outcome).toMatchObject({ reason: 'error', code: 'max_tool_interactions' })
  expect(second.prompts).toHaveLength(1)
})

test("AGT-10 applies the agent's action for this limit at a quota", async () => {
  const tools = [toolNamed('act', () => 'done')]
  const { agent } = testAgent({ replies: acting(5), tools, onLimit: { max_tool_interactions: 'stop' } })
  expect((await agent.run('Hi', { quota: 1 })).outcome).toEqual({ reason: 'stopped', code: 'max_tool_interactions' })
})

test.each<[string, unknown, string]>([
  ['subject', '', 'Expected a text of 1 to 1000 characters.'],
  ['subject', 7, 'Expected a text of 1 to 1000 characters.'],
  ['subject', 'x'.repeat(1_001), 'Expected a text of 1 to 1000 characters.'],
  ['subject', '\ud800', 'Expected a text of 1 to 1000 characters.'],
  ['delegatedBy', { name: 'x' }, 'Expected a text of 1 to 1000 characters.'],
  ['quota', 0, 'Expected a whole number of model calls, 1 or more.'],
  ['quota', -1, 'Expected a whole number of model calls, 1 or more.'],
  ['quota', 1.5, 'Expected a whole number of model calls, 1 or more.'],
  ['quota', NaN, 'Expected a whole number of model calls, 1 or more.'],
  ['quota', Infinity, 'Expected a whole number of model calls, 1 or more.'],
  ['quota', '3', 'Expected a whole number of model calls, 1 or more.'],
  ['history', 'yes', 'Expected true or false.'],
  ['accessControl', () => true, 'Expected JSON of at most 1000000 bytes.'],
  ['accessControl', new Map(), 'Expected JSON of at most 1000000 bytes.'],
  ['accessControl', 'x'.repeat(1_000_001), 'Expected JSON of at most 1000000 bytes.'],
  ['acl', {}, 'Known: runId'],
])('RUN-05 AGT-10 refuses %s %o at the start, and stores nothing', async (name, value, wish) => {
  const { agent, store } = testAgent({ replies: ['Hi.'] })
  const refusal = expect.objectContaining({
    name: 'UsageError',
    code: 'bad_option',
    message: expect.stringMatching(new RegExp(`${name}.*${wish}`)),
  })
  const options = { [name]: value } as NewRunOptions
  expect(() => agent.start('Hi', options)).toThrow(refusal)
  await expect(agent.run('Hi', options)).rejects.toThrow(refusal)
  expect(await store.list()).toEqual([])
})
