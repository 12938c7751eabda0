import { expect, test } from 'vitest'
import { type AgentEvent, foldEvents, type Plugin, type Run } from '../../src/index.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { transcriptOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { toolbox } from '../../proof/support/tools.ts'
import { quiet, runId, stop, testAgent } from '../../proof/support/test-agent.ts'

type LoopHook = 'beforeRun' | 'afterRun' | 'beforeTurn' | 'afterTurn' | 'onError'
const loopHooks: readonly LoopHook[] = ['beforeRun', 'beforeTurn', 'afterTurn', 'afterRun']

/** Hooks that write down their names once whoever watches has taken every event told before. */
function namesTo(log: string[]): Omit<Plugin, 'name'> {
  const hear = (name: LoopHook) => async () => {
    await quiet()
    log.push(name)
  }
  return Object.fromEntries([...loopHooks, 'onError' as const].map((name) => [name, hear(name)]))
}

const bounds = /^(run|turn|toolExecution)\./

async function drive(log: string[], run: AsyncIterable<AgentEvent>): Promise<void> {
  for await (const event of run) if (bounds.test(event.type)) log.push(event.type)
}

const replies = [
  { ...calls(call('c1', 'act')), usage: { input: 5 } },
  { text: 'Bye', usage: { input: 7 } },
]
const turn = (...within: readonly string[]) => ['beforeTurn', 'turn.started', ...within, 'turn.ended', 'afterTurn']
const execution = ['toolExecution.started', 'toolExecution.ended']

test('PH-02 calls hooks around loop and turns, outside their events', async () => {
  const log: string[] = []
  const { agent } = testAgent({ replies, tools: [toolbox().act()], plugins: [{ name: 'hooks', ...namesTo(log) }] })
  await drive(log, agent.start('Hi', { runId }))
  await quiet()
  expect(log).toEqual(['beforeRun', 'run.started', ...turn(...execution), ...turn(), 'run.ended', 'afterRun'])
})

test('PH-02 calls beforeRun and afterRun once for each run, however often it waits', async () => {
  const log: string[] = []
  const { agent } = testAgent({
    replies,
    tools: [toolbox().act('act', { needs: 'approval' })],
    plugins: [{ name: 'hooks', ...namesTo(log) }],
  })
  const run = agent.start('Hi', { runId })
  await drive(log, run)
  await run.approve()
  await drive(log, run)
  await quiet()
  const count = (name: string) => log.filter((line) => line === name).length
  expect([count('beforeRun'), count('afterRun'), count('run.waiting')]).toEqual([1, 1, 1])
  expect(count('beforeTurn')).toBe(2)
  expect(log.slice(-2)).toEqual(['run.ended', 'afterRun'])
})

test("PH-02 passes hooks the messages so far, the run's session, the turn's number, and the usage", async () => {
  const given: unknown[] = []
  const hooks: Omit<Plugin, 'name'> = {
    beforeRun: ({ messages, run }) => void given.push(['beforeRun', messages().map(({ role }) => role), run.session]),
    beforeTurn: ({ messages, ...context }) =>
      void given.push(['beforeTurn', messages().map(({ role }) => role), context.turn]),
    afterTurn: ({ messages, usage: { totalTokens } }) =>
      void given.push(['afterTurn', messages().map(({ role }) => role), totalTokens > 0]),
  }
  const { agent } = testAgent({ replies, tools: [toolbox().act()], plugins: [{ name: 'hooks', ...hooks }] })
  await agent.run('Hi', { runId })
  const first = ['user', 'assistant', 'toolResult']
  expect(given).toEqual([
    ['beforeRun', [], undefined],
    ['beforeTurn', ['user'], 1],
    ['afterTurn', first, true],
    ['beforeTurn', first, 2],
    ['afterTurn', [...first, 'assistant'], true],
  ])
})

test("PH-02 passes afterTurn the turn's usage, and afterRun the run's", async () => {
  const used: number[] = []
  let all = 0
  const { agent } = testAgent({
    replies,
    tools: [toolbox().act()],
    plugins: [
      {
        name: 'hooks',
        afterTurn: ({ usage: { totalTokens } }) => void used.push(totalTokens),
        afterRun: ({ usage: { totalTokens } }) => void (all = totalTokens),
      },
    ],
  })
  const { usage } = await agent.run('Hi', { runId })
  await quiet()
  expect(used).toHaveLength(2)
  expect(used.reduce((sum, tokens) => sum + tokens, 0)).toBe(usage.totalTokens)
  expect(all).toBe(usage.totalTokens)
})

test.for(['wait', 'end'] as const)(
  'PH-02 passes afterTurn no usage for a turn without an answer, %s',
  async (onModelFailure) => {
    const used: number[] = []
    const { agent } = testAgent({
      replies: [replies[0] ?? {}, { error: { kind: 'network', message: 'No route to host' } }],
      tools: [toolbox().act()],
      onModelFailure,
      retry: { maxRetries: 0 },
      plugins: [{ name: 'hooks', afterTurn: ({ usage: { input } }) => void used.push(input) }],
    })
    await agent.run('Hi', { runId })
    expect(used).toEqual([5, 0])
  },
)

test('PH-02 emits only the end of a run that beforeRun rejects', async () => {
  const log: string[] = []
  const { agent, prompts } = testAgent({
    replies,
    plugins: [{ name: 'hooks', ...namesTo(log), beforeRun: () => false }],
  })
  const types: string[] = []
  const run = agent.start('Hi', { runId })
  for await (const event of run) types.push(event.type)
  expect(types).toEqual(['run.ended'])
  expect((await run.result()).outcome).toEqual({ reason: 'stopped', code: 'before_loop' })
  expect(prompts).toEqual([])
  expect(log.filter((name) => name.endsWith('Turn'))).toEqual([])
})

test.for([1, 2])('PH-02 emits no turn that beforeTurn rejects, and the end of the run: turn %i', async (last) => {
  const log: string[] = []
  const { agent, prompts, store } = testAgent({
    replies,
    tools: [toolbox().act()],
    plugins: [{ name: 'hooks', ...namesTo(log), beforeTurn: ({ turn: number }) => number < last }],
  })
  const run = agent.start('Hi', { runId })
  await drive(log, run)
  await quiet()
  const first = last === 1 ? [] : ['turn.started', ...execution, 'turn.ended', 'afterTurn']
  expect(log).toEqual(['beforeRun', 'run.started', ...first, 'run.ended', 'afterRun'])
  expect((await run.result()).outcome).toEqual({ reason: 'stopped', code: 'before_turn' })
  expect(prompts).toHaveLength(last - 1)
  expect((await transcriptOf(store, runId))[0]).toBe('user: Hi')
})

/** A run with one hook of its own, driven to its rest. */
async function runWith(hook: LoopHook, body: () => unknown) {
  const { agent, clock } = testAgent({
    replies,
    tools: [toolbox().act()],
    plugins: [{ name: 'hooks', [hook]: body }],
    limits: { pluginTimeoutMs: 1000 },
  })
  const run = agent.start('Hi', { runId })
  return { run, clock, end: run.settled() }
}

const failing = [
  ['throws', () => Promise.reject(new Error('boom')), 'boom'],
  ['answers a text', () => 'yes', 'it answered a value of type string. Expected true, false or nothing.'],
] as const
const stopping = ['beforeRun', 'beforeTurn', 'afterTurn'] as const

test.for(stopping.flatMap((hook) => failing.map(([how, body, problem]) => [hook, how, body, problem] as const)))(
  'PH-02 ends the run in error and names the hook %s that %s',
  async ([hook, , body, problem]) => {
    const { end } = await runWith(hook, body)
    expect((await end).outcome).toMatchObject({
      reason: 'error',
      error: { message: expect.stringContaining(`Plugin "hooks" failed in ${hook}: ${problem}`) },
    })
  },
)

test.for(stopping)('PH-02 ends the run in error if %s does not end in time', async (hook) => {
  const begun = Promise.withResolvers<void>()
  const { end, clock } = await runWith(hook, () => (begun.resolve(), new Promise<void>(() => {})))
  await begun.promise
  clock.advance(1000)
  expect((await end).outcome).toMatchObject({
    reason: 'error',
    error: { message: expect.stringContaining(`Plugin "hooks" failed in ${hook}: it did not finish within 1000 ms.`) },
  })
})

test.for(stopping)('PH-02 cancels a run while %s hangs', async (hook) => {
  const begun = Promise.withResolvers<void>()
  const { run, end } = await runWith(hook, () => (begun.resolve(), new Promise<void>(() => {})))
  await begun.promise
  await run.cancel()
  expect((await end).outcome.reason).toBe('cancelled')
})

test('PH-04 calls onError once, with the error that ends the run, before the end is emitted', async () => {
  const log: string[] = []
  const errors: unknown[] = []
  const { agent } = testAgent({
    replies: [
      () => {
        throw new Error('down')
      },
    ],
    retry: { maxRetries: 0 },
    plugins: [
      {
        name: 'hooks',
        onError: async ({ error }) => {
          await quiet()
          log.push('onError')
          errors.push(error)
        },
      },
    ],
  })
  const run = agent.start('Hi', { runId })
  await drive(log, run)
  const { outcome } = await run.result()
  expect(outcome?.reason).toBe('error')
  expect(errors).toEqual([outcome?.error])
  expect(log.filter((name) => name === 'onError' || name.startsWith('run.'))).toEqual([
    'run.started',
    'onError',
    'run.ended',
  ])
})

test('PH-04 does not call onError if a run ends otherwise', async () => {
  let count = 0
  const hooks: Omit<Plugin, 'name'> = { onError: () => void count++ }
  const { act } = toolbox()
  const natural = testAgent({ replies, tools: [act()], plugins: [{ name: 'hooks', ...hooks }] })
  await natural.agent.run('Hi', { runId })
  const stopped = testAgent({
    replies,
    tools: [act()],
    plugins: [{ name: 'hooks', ...hooks }],
    limits: { maxTurns: 1 },
  })
  await stopped.agent.run('Hi', { runId })
  const cancelled = testAgent({
    replies,
    tools: [act('act', { needs: 'approval' })],
    plugins: [{ name: 'hooks', ...hooks }],
  })
  const run: Run = cancelled.agent.start('Hi', { runId })
  await run.settled()
  await run.cancel()
  await run.settled()
  expect(count).toBe(0)
})

test.for(loopHooks)(
  'PH-02 calls %s again in the process that continues, after a crash had stopped it',
  async (hook) => {
    const log: string[] = []
    const begun = Promise.withResolvers<void>()
    const hang = () => (begun.resolve(), new Promise<void>(() => {}))
    const first = testAgent({ replies, tools: [toolbox().act()], plugins: [{ name: 'hooks', [hook]: hang }] })
    const run = first.agent.start('Hi', { runId })
    const driving = run.settled()
    await begun.promise
    await stop(run, driving)
    const { store, clock } = first
    const hooks = { [hook]: () => void log.push(hook) }
    const second = testAgent({
      replies,
      tools: [toolbox().act()],
      plugins: [{ name: 'hooks', ...hooks }],
      store,
      clock,
      process: 'p2',
    })
    const { outcome } = await (await second.agent.load(runId)).settled()
    expect(outcome).toEqual({ reason: 'natural_end' })
    expect(log[0]).toBe(hook)
  },
)

test.each<[string, () => Promise<never>]>([
  ['throws', () => Promise.reject(new Error('boom'))],
  ['answers nonsense', () => Promise.resolve('no' as never)],
])('PH-02 PH-04 an emitted end stays when afterRun %s, and the failure is reported', async (_, afterRun) => {
  const store = memoryStore()
  const { agent } = testAgent({ store, replies: ['Bye'], plugins: [{ name: 'hooks', afterRun }] })
  const run = agent.start('Hi', { runId })
  const result = await run.settled()
  expect(result.outcome).toEqual({ reason: 'natural_end' })
  expect((await store.record(runId)).doneReason).toBe('natural_end')
  const told: AgentEvent[] = []
  for await (const event of run.events({ deltas: false })) told.push(event)
  const [ended, failed] = told.slice(-2)
  expect(ended).toMatchObject({ type: 'run.ended', outcome: { reason: 'natural_end' } })
  expect(failed).toMatchObject({ type: 'hook.failed', hook: 'afterRun', error: { code: 'effect_failed' } })
  expect(foldEvents(told).outcome).toEqual(result.outcome)
})
