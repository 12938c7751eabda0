import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fakeClock } from '../../proof/support/fake-clock.ts'
import { statusesOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { temporaryFolder } from '../../proof/support/temporary-folder.ts'
import { runId, stop, testAgent, type TestAgentOptions } from '../../proof/support/test-agent.ts'
import { heldTool, toolNamed } from '../../proof/support/tools.ts'
import { sqliteStore } from '../../src/adapters/stores/sqlite/sqlite-store.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { type Agent, checkRuns, type Store, type Tool } from '../../src/index.ts'
import { forecast } from '../../src/testing/index.ts'

const clock = fakeClock()
const replies = [calls(call('c', 'pay', { n: 1 })), 'Paid']

const waits: [string, Partial<Tool>, TestAgentOptions][] = [
  ['for the approval that its tool needs', { needs: 'approval' }, {}],
  ['for the approval that a rule asks for', {}, { permissions: { rules: { ask: ['pay'] } } }],
  [
    'for the input that its tool asks for',
    { execute: (_, { decision, suspend }) => (decision ? 'paid' : suspend()) },
    {},
  ],
]

function pay(extras: Partial<Tool> = {}): Tool {
  return { ...toolNamed('pay', () => 'paid'), ...extras }
}

/** The fate of the call after its approval, and the forecast's first words. */
type Change = [
  title: string,
  tools: (extras: Partial<Tool>) => readonly Tool[],
  options: TestAgentOptions,
  then: 'succeeded' | 'failed' | 'suspended',
  reason?: string,
]

const number = { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] }
const changes: Change[] = [
  ['nothing', (extras) => [pay(extras)], {}, 'succeeded'],
  ['instructions', (extras) => [pay(extras)], { instructions: 'Be brief.' }, 'succeeded'],
  ['a tool more', (extras) => [pay(extras), toolNamed('get', () => '')], {}, 'succeeded'],
  ['limits', (extras) => [pay(extras)], { limits: { maxTurns: 1 } }, 'succeeded'],
  ['no tool', () => [], {}, 'failed', 'the tool is gone. Keep it until no run needs it.'],
  ['another name', () => [toolNamed('pays', () => '')], {}, 'failed', 'Keep the old name beside "pays".'],
  ['another schema', (extras) => [pay({ ...extras, input: number })], {}, 'failed', 'its arguments no longer fit: '],
  [
    'a rule that denies',
    (extras) => [pay(extras)],
    { permissions: { rules: { deny: ['pay'] } } },
    'failed',
    'would be refused, because of the rule ',
  ],
  [
    'a rule that denies other arguments',
    (extras) => [pay(extras)],
    { permissions: { rules: { deny: ['pay(n = 2)'] } } },
    'succeeded',
  ],
  ['a rule that asks', (extras) => [pay(extras)], { permissions: { rules: { ask: ['pay'] } } }, 'succeeded'],
]

async function waiting(store: Store, [, extras, options]: (typeof waits)[number]) {
  await testAgent({ store, clock, replies, tools: [pay(extras)], ...options })
    .agent.start('Pay', { runId })
    .settled()
}

describe.each(waits)('VER-01 a run that waits %s', (...wait) => {
  test.each(changes)('VER-01 a waiting run behaves with %s as forecast', async (_, toolsOf, options, then, reason) => {
    const store = memoryStore({ clock })
    await waiting(store, wait)
    const { agent } = testAgent({ store, clock, replies, tools: toolsOf(wait[1]), process: 'p2', ...options })
    const said = await forecast(store, [agent])
    const told = { outlook: 'otherwise', reason: expect.stringContaining(reason ?? ''), runIds: [runId] }
    const groups = reason === undefined ? [] : [told]
    expect(said).toEqual({ checked: 1, alike: reason === undefined ? 1 : 0, groups })

    expect(await approved(agent, store)).toBe(then)
  })

  test('VER-01 a waiting run behaves with another definition of its tool as forecast', async () => {
    const store = memoryStore({ clock })
    await waiting(store, wait)
    const tools = [pay({ ...wait[1], description: 'Pays at once.' })]
    const { agent } = testAgent({ store, clock, replies, tools, process: 'p2' })
    const { alike, groups } = await forecast(store, [agent])
    const isShown = wait[1].execute === undefined
    const reason = 'An approved call of "pay" would be asked about again, because its definition has changed.'
    expect(alike).toBe(isShown ? 0 : 1)
    expect(groups).toEqual(isShown ? [{ outlook: 'otherwise', reason, runIds: [runId] }] : [])
    expect(await approved(agent, store)).toBe(isShown ? 'suspended' : 'succeeded')
  })
})

async function approved(agent: Agent, store: Store): Promise<string | undefined> {
  const run = await agent.load(runId)
  await run.settled()
  await run.approve()
  await run.settled()
  return (await statusesOf(store, runId))['1.c']
}

test.each(changes)(
  'VER-01 a run with an interrupted call behaves with %s as forecast',
  async (_, toolsOf, options, then, reason) => {
    const time = fakeClock()
    const held = heldTool('pay')
    const first = testAgent({ clock: time, replies, tools: [held.tool] })
    const { store } = first
    const started = first.agent.start('Pay', { runId })
    const driving = started.settled()
    await held.begins('1.c')
    await stop(started, driving)
    time.advance(60_000)
    const second = testAgent({ store, clock: time, replies, tools: [held.tool], process: 'p2' })
    await (await second.agent.load(runId)).settled()
    expect(await statusesOf(store, runId)).toEqual({ '1.c': 'suspended' })

    const { agent } = testAgent({ store, clock: time, replies, tools: toolsOf({}), process: 'p3', ...options })
    const { groups } = await forecast(store, [agent])
    const told = expect.stringContaining(reason ?? '')
    expect(groups.map((group) => group.reason)).toEqual(reason === undefined ? [] : [told])
    expect(await approved(agent, store)).toBe(then)
  },
)

const wait = waits[0] as (typeof waits)[number]

/** A call that fails the test. */
const never = (): never => expect.unreachable()

test.each<readonly [string, TestAgentOptions, string, string]>([
  [
    'a plugin',
    { plugins: [{ name: 'guard', gateCall: never }] },
    'unknown',
    'Code decides: plugin "guard" at gateCall.',
  ],
  [
    'a permission policy',
    { permissions: { policy: never, manager: { get: never } } },
    'unknown',
    'Code decides: the permission policy.',
  ],
  [
    'a toolset that is not open',
    { tools: [{ name: 'far', tools: never, close: async () => {} }] },
    'unknown',
    'A toolset has to be opened to know its tools.',
  ],
  [
    'another name of the agent',
    { name: 'tests' },
    'stuck',
    'No agent is named "test". Has it become "tests"? Then load the run with adopt: true.',
  ],
  ['a name that is not similar', { name: 'guide' }, 'stuck', 'No agent is named "test". Add it.'],
])('VER-01 the forecast of a run names %s, and calls no code', async (_, options, outlook, reason) => {
  const store = memoryStore({ clock })
  await waiting(store, wait)
  const { agent } = testAgent({
    store,
    clock,
    tools: [pay({ needs: never, execute: never })],
    process: 'p2',
    ...options,
  })
  const { groups } = await forecast(store, [agent])
  expect(groups).toContainEqual({ outlook, reason, runIds: [runId] })
})

test('CKP-07 checkRuns opens no toolset', async () => {
  const store = memoryStore({ clock })
  await waiting(store, wait)
  let opened = 0
  const far = { name: 'far', close: async () => {}, tools: async () => (opened++, []) }
  const { agent } = testAgent({ store, clock, tools: [far], process: 'p2' })
  expect(await checkRuns(store, agent)).toEqual({ checked: 1, problems: [] })
  expect(opened).toBe(0)
})

test('VER-01 a plugin that only watches does not change the forecast', async () => {
  const store = memoryStore({ clock })
  await waiting(store, wait)
  const plugins = [{ name: 'watch', afterTool: never, afterTurn: never }]
  const { agent } = testAgent({ store, clock, tools: [pay(wait[1])], plugins, process: 'p2' })
  expect(await forecast(store, [agent])).toEqual({ checked: 1, alike: 1, groups: [] })
})

test('VER-01 a running call that will be asked about is forecast to go on, and a finished run is left out', async () => {
  const held = heldTool('pay')
  const { agent, store } = testAgent({ replies, tools: [held.tool] })
  const run = agent.start('Pay', { runId })
  const ended = run.settled()
  await held.begins('1.c')
  expect(await forecast(store, [agent])).toEqual({ checked: 1, alike: 1, groups: [] })
  held.finish('1.c')
  await ended
  expect(await forecast(store, [agent])).toEqual({ checked: 0, alike: 0, groups: [] })
})

test('VER-01 refuses two agents with one name, and a value that is not an agent', async () => {
  const { agent, store } = testAgent()
  const other = testAgent({ store, process: 'p2' }).agent
  await expect(forecast(store, [agent, other])).rejects.toThrow('forecast was given two agents named "test".')
  await expect(forecast(store, [{ name: 'test' }])).rejects.toThrow('forecast received no agent.')
})

test('VER-01 a forecast over a file does not change the file', async () => {
  const file = join(await temporaryFolder(), 'runs.db')
  const first = sqliteStore(file, { clock })
  await waiting(first, wait)
  await first.close()
  const before = await readFile(file)
  const store = sqliteStore(file, { clock })
  const { agent } = testAgent({ store, clock, process: 'p2' })
  expect((await forecast(store, [agent])).groups).toMatchObject([{ outlook: 'otherwise', runIds: [runId] }])
  await store.close()
  expect((await readFile(file)).equals(before)).toBe(true)
})
