import { expect, test } from 'vitest'
import { type AnyStateNode, createActor } from 'xstate'
import { modelCallMachine, runMachine, toolCallMachine } from '../../machines/index.ts'
import { createAgent } from '../../src/index.ts'
import { scripted } from '../../src/providers/scripted.ts'
import { initialContext as modelCallContext } from '../../machines/model-call/model-call.attempts.ts'
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
const contexts = [
  [runMachine, runContext({ input: runInput })],
  [modelCallMachine, modelCallContext({ input: { turn: 1, isFinishing: false, maxRetries: 1, fallbacks: 1 } })],
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

/** What takes over the answers of filters and of the context builder: nothing is left of an answer that is none. */
const takesWhatFiltersGave = new Set(['takeWarnings', 'takeRejection', 'takeContext', 'takeFilteredQueued'])

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
        if (typeof act !== 'function' || takesWhatFiltersGave.has(name)) return []
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

test('TST-02 a call that stands alone keeps its reports to itself', () => {
  const verdict = { kind: 'suspended', suspension: { id: 's1', reason: 'approval' } } as const
  const bound = toolCallMachine.provide({ actions: { recordSuspension: () => {} } })
  const actor = createActor(bound, { input: { ...callInput, verdict } }).start()
  expect(actor.getSnapshot()).toMatchObject({ status: 'active', value: { suspended: 'resting' } })
  actor.stop()
})
