import { createTestModel, getAdjacencyMap, getShortestPaths, getSimplePaths, type StatePath } from '@xstate/graph'
import { expect, test } from 'vitest'
import { yourAgent } from '../../examples/your-agent.ts'
import { runMachine, toolCallMachine } from '../../machines/index.ts'
import { createAgent, type Plugin } from '../../src/index.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { explorable, type ExplorableEvent, type ExplorableSnapshot } from '../../src/testing/index.ts'

const audit: Plugin = {
  name: 'audit',
  runStart: () => undefined,
  stepStart: () => undefined,
  beforeModel: () => undefined,
  afterModel: () => undefined,
  stepEnd: () => undefined,
  reviewCall: () => undefined,
  runEnd: () => undefined,
}
const again = yourAgent.tools.map((tool) => (tool.effects === 'none' ? { ...tool, retry: { attempts: 2 } } : tool))
const agent = {
  ...yourAgent,
  tools: again,
  plugins: [...yourAgent.plugins, audit],
  executor: 'sequential' as const,
}
/** Everything that an agent may have around its loop. */
const talker = {
  name: 'talker',
  retry: { maxRetries: 0 },
  plugins: [
    { name: 'polite', filterInput: () => undefined },
    { name: 'builder', buildContext: () => ({ system: 'Be kind.' }) },
    {
      name: 'hooks',
      beforeRun: () => true,
      beforeTurn: () => true,
      afterTurn: () => undefined,
      afterRun: () => undefined,
      onError: () => undefined,
    },
  ],

  memory: { query: async () => [], add: async () => {}, forget: async () => 0 },
  output: { type: 'object' },
  onModelFailure: 'wait' as const,
}
const samples = { send: [{ to: 'Ada', amount: 900 }], read: [{ id: 'i' }] }

interface Node {
  readonly path: readonly string[]
  readonly states: { readonly [key: string]: Node }
}

function statesIn(chart: string, node: Node): readonly string[] {
  const below = Object.values(node.states).flatMap((child) => statesIn(chart, child))
  return node.path.length === 0 ? below : [`${chart}.${node.path.join('.')}`, ...below]
}

/** The explorer asks no manager of permissions, so that it blocks no call for want of one. */
const unasked = 'run.running.resumeGate.askingManager'
const everyState = [...statesIn('run', runMachine.root), ...statesIn('toolCall', toolCallMachine.root)].filter(
  (state) => state !== unasked,
)

function eventsOf({ steps }: StatePath<ExplorableSnapshot, ExplorableEvent>): readonly string[] {
  return steps.slice(1).map(({ event }) => event.type)
}

const tested = { ...agent, samples, turns: [['send'], ['read', 'send']] }

test('TC-01 TST-02 the shortest paths of @xstate/graph reach every state of both layers of an example agent', async () => {
  const entered = new Set<string>()
  for (const source of [tested, talker]) {
    const { logic, options } = await explorable(source, { maxStates: 2000 })
    const paths = getShortestPaths(logic, options)
    for (const { steps } of paths) for (const { state } of steps) for (const name of state.entered) entered.add(name)
  }
  expect(everyState.filter((state) => !entered.has(state))).toEqual([])
  expect(everyState.length).toBeGreaterThan(50)
}, 60_000)

test('TST-02 the adjacency map and the simple paths of @xstate/graph accept the same logic, up to the requested size', async () => {
  const { logic, options } = await explorable({ ...yourAgent, samples, turns: [['read']] }, { maxStates: 30 })
  const map = getAdjacencyMap(logic, options)
  const followed = Object.values(map).filter(({ transitions }) => Object.keys(transitions).length > 0)
  expect(followed.length).toBeLessThanOrEqual(31)

  const isDone = ({ value }: ExplorableSnapshot) => value.run === 'done'
  const ends = getShortestPaths(logic, { ...options, toState: isDone }).map(eventsOf)
  expect(ends).toContainEqual([
    'the model answers, is cut off, is busy, refuses a file and breaks',
    'modelCall callModel:text',
  ])
  const isAsked = ({ value }: ExplorableSnapshot) => value.calls['1.read'] !== undefined && value.run !== 'done'
  const [asked] = getSimplePaths(logic, { ...options, toState: isAsked }).map(eventsOf)
  expect(asked).toEqual(['the model calls read', 'modelCall callModel:calls'])
})

test('TST-02 an impossible event leaves the explored system unchanged, and equal events lead to equal states', async () => {
  const { logic, options } = await explorable(tested)
  const scope = {} as never
  const start = logic.getInitialSnapshot(scope, undefined)
  expect(logic.transition(start, { type: 'nothing' }, scope)).toBe(start)
  const [first] = options.events(start)
  const once = logic.transition(start, first ?? { type: '' }, scope)
  expect(logic.transition(once, { type: 'nothing' }, scope)).toBe(once)
  expect(logic.transition(start, first ?? { type: '' }, scope).key).toBe(once.key)
})

test('TST-02 on the bare chart @xstate/graph finds three paths without actor results, and its test model refuses invokes', async () => {
  const input = createAgent({ name: 'guide', model: scripted(['Hi']) }).machineInput('Hi')
  const machine = runMachine.provide({ actions: { recordInput: () => {}, recordEnd: () => {} } })
  const events = [
    { type: 'run.cancelRequested', at: 1 },
    { type: 'run.failed', error: { code: 'c', message: 'm' }, at: 1 },
  ] as const
  const paths = getShortestPaths(machine, { input, events, stopWhen: ({ status }) => status === 'done' })
  expect(paths.map(({ state }) => state.value)).toEqual([{ running: { turn: 'callingModel' } }, 'done', 'done'])
  expect(() => createTestModel(runMachine)).toThrow('Invocations on test machines are not supported')
})
