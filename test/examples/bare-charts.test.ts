import { expect, test } from 'vitest'
import { getShortestPaths } from '@xstate/graph'
import { type AnyStateMachine, type AnyStateNode, createActor, type EventObject } from 'xstate'
import { modelCallMachine, runMachine, toolCallMachine } from '../../machines/index.ts'
import { createAgent } from '../../src/index.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { initialContext as modelCallContext } from '../../machines/model-call/model-call.attempts.ts'
import { phases } from '../../machines/run/run.phases.ts'
import { initialContext as runContext } from '../../machines/run/run.turn.ts'
import { initialContext as toolCallContext } from '../../machines/tool-call/tool-call.gate.ts'

const runInput = createAgent({ name: 'guide', model: scripted(['Hi']) }).machineInput('Hi')
const callInput = {
  callId: '1.a',
  verdict: { kind: 'allowed' },
  effects: 'once',
  resumeMode: 'replay',
  isQueued: false,
  isCallGateWatched: false,
  isReviewWatched: false,
} as const
const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 }
const answer = { seq: 2, calls: [], dropped: [], usage, cost: 0, at: 2 }
const modelInput = { turn: 1, isFinishing: false, maxRetries: 1, fallbacks: 1 }
const contexts = [
  [runMachine, runContext({ input: runInput })],
  [modelCallMachine, modelCallContext({ input: modelInput })],
  [toolCallMachine, toolCallContext({ input: callInput })],
] as const

type Asked = (args: object, params?: unknown) => unknown

const guards = contexts.flatMap(([machine, context]) =>
  Object.entries(machine.implementations.guards).map(([name, guard]) => ({ chart: machine.id, name, guard, context })),
)

test.each(guards)('TST-02 guard $name of the chart $chart survives an event without its payload', (given) => {
  const { guard, context } = given
  const ask = guard as unknown as Asked
  expect(() => ask({ context, event: { type: 'nothing' } }, {})).not.toThrow()
})

interface Named {
  readonly type: string
  readonly params?: unknown
}

interface Taken {
  readonly chart: string
  readonly name: string
  readonly on: string
  readonly take: () => unknown
}

/** Every action of a transition such an event takes that changes the context or sends something. */
function actionsOf([machine, context]: (typeof contexts)[number]): readonly Taken[] {
  const implementations = machine.implementations.actions as unknown as Record<string, Record<string, Asked>>
  const nodes = (node: AnyStateNode): readonly AnyStateNode[] => [node, ...Object.values(node.states).flatMap(nodes)]
  return nodes(machine.root).flatMap((node) =>
    [...node.transitions.values()].flat().flatMap(({ actions, guard, eventType }) => {
      const args = { context, event: { type: eventType }, self: {}, system: {}, enqueue, check: () => false }
      if (!isOpen(machine, guard, args)) return []
      return actions.flatMap((action) => {
        const { type: name, params } = action as unknown as Named
        const { assignment, event, collect, actorRef } = implementations[name] ?? {}
        const act = assignment ?? event ?? collect ?? actorRef
        if (typeof act !== 'function') return []
        const take = () => act(args, paramsOf(params, args))
        return [{ chart: machine.id, name, on: `${node.key} ${eventType}`, take }]
      })
    }),
  )
}

function isOpen(machine: (typeof contexts)[number][0], guard: unknown, args: object): boolean {
  if (guard === undefined) return true
  const { type, params } = guard as Named
  const check = (machine.implementations.guards as unknown as Record<string, Asked>)[type]
  return check?.(args, paramsOf(params, args)) === true
}

function paramsOf(params: unknown, args: object): unknown {
  return typeof params === 'function' ? (params(args) as unknown) : params
}

const enqueue = Object.assign(() => {}, { assign() {}, raise() {}, sendTo() {}, spawnChild() {}, stopChild() {} })

test.each(contexts.flatMap(actionsOf))(
  'TST-02 action $name of the chart $chart survives an event without its payload: $on',
  ({ take }) => {
    expect(take).not.toThrow()
  },
)

/** Every phase, hook, filter and builder has somebody who listens, so that every state may be entered. */
const watchedInput = { ...runInput, options: { ...runInput.options, watched: Object.keys(phases) } }

/** The states a path function finds by the chart's own events, which carry nothing, and by these. */
function statesOf(chart: AnyStateMachine, input: unknown, events: readonly EventObject[] = []): readonly string[] {
  const own = chart.events.map((type) => ({ type }))
  const stopWhen = ({ status }: { readonly status: string }) => status !== 'active'
  const paths = getShortestPaths(chart, { input, events: [...own, ...events], stopWhen, limit: 10_000 })
  return paths.map(({ state }) => JSON.stringify(state.value))
}

const ended = (id: string, output: unknown) => ({ type: `xstate.done.actor.${id}`, output })

test('TST-02 a path function walks the bare chart of a model call', () => {
  const error = { code: 'network', message: 'No connection.' }
  expect(new Set(statesOf(modelCallMachine, modelInput))).toEqual(new Set(['"calling"', '"failed"']))
  const failed = ended('callModel', { kind: 'failed', error, retryAt: 5, at: 1 })
  const answered = ended('callModel', { kind: 'answered', answer })
  const walked = statesOf(modelCallMachine, modelInput, [failed, answered])
  expect(new Set(walked)).toEqual(new Set(['"calling"', '"backingOff"', '"failed"', '"answered"']))
})

test('TST-02 a path function walks the bare chart of a call', () => {
  const watched = { ...callInput, isQueued: true, isCallGateWatched: true, isReviewWatched: true }
  const walked = statesOf(toolCallMachine, watched, [
    ended('gateCall', { kind: 'allowed', gated: true }),
    ended('runTool', { status: 'succeeded', at: 1 }),
    ended('runTool', { status: 'failed', at: 1 }),
  ])
  const places = ['{"new":"queued"}', '{"new":"gating"}', '{"running":"executing"}', '{"suspended":"resting"}']
  const ends = ['{"succeeded":"settled"}', '{"failed":"settled"}', '{"cancelled":"settled"}']
  expect(walked).toEqual(expect.arrayContaining([...places, ...ends]))
})

test('TST-02 a path function walks the bare chart of a run', () => {
  expect(statesOf(runMachine, runInput)).toEqual(
    expect.arrayContaining(['{"running":{"turn":"callingModel"}}', '"done"']),
  )
  const walked = statesOf(runMachine, watchedInput, [ended('modelCall', { status: 'answered', answer })])
  const asking = ['filteringInput', 'recalling', 'buildingContext', 'startingRun', 'startingStep', 'preparingModel']
  const after = ['reviewingAnswer', 'endingStep', 'askingAfterTurn', 'runningEnd', 'tellingError', 'askingAfterRun']
  for (const state of [...asking, ...after, 'askingBeforeRun', 'askingBeforeTurn', 'callingModel', 'done'])
    expect(walked.some((value) => value.includes(`"${state}"`))).toBe(true)
})

test('TST-02 a standalone call sends its reports to no actor', () => {
  const verdict = { kind: 'suspended', suspension: { id: 's1', reason: 'approval' } } as const
  const bound = toolCallMachine.provide({ actions: { recordSuspension: () => {} } })
  const actor = createActor(bound, { input: { ...callInput, verdict } }).start()
  expect(actor.getSnapshot()).toMatchObject({ status: 'active', value: { suspended: 'resting' } })
  actor.stop()
})
