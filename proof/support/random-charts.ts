import * as fc from 'fast-check'
import { type AnyStateMachine, assign, createMachine, enqueueActions, raise, sendTo, stopChild } from 'xstate'
import { effectLogic, type OutboxOf } from '../../src/core/step/effect-logic.ts'

interface Counted {
  readonly count: number
}

/** Every state of the charts below, by its path. */
const paths = ['a', 'a.b', 'a.c', 'a.c.d', 'a.c.e', 'f', 'f.g', 'f.h', 'z']
/** The events that may be sent to a chart. */
export const events = ['go', 'turn', 'raised', 'xstate.done.actor.child', 'xstate.error.actor.child', 'unheard']

/** The limits of a chart and the charts in it; without a limit they could answer each other forever. */
function implementationsOf(outboxOf: OutboxOf, mostTalks: number) {
  let talks = 0
  let spawned = 0
  const mayTalk = () => talks++ < mostTalks
  const sendSeldom = (id: string, type: string) =>
    enqueueActions(({ enqueue }) => {
      if (mayTalk()) enqueue.sendTo(id, { type })
    })
  const fail = () => {
    throw new Error('This action throws.')
  }
  const work = effectLogic('work', outboxOf)
  const child = createMachine({
    id: 'child',
    context: ({ input }: { input: unknown }) => ({ input, heard: 0 }),
    initial: 'on',
    entry: 'talk',
    states: {
      on: {
        entry: 'hear',
        on: { go: { actions: ['hear', 'talk'] }, end: 'over', crash: { actions: 'fail' }, again: 'off' },
        invoke: { src: 'work' as never, id: 'work', input: ({ context }) => context, onDone: 'over' },
      },
      off: { on: { go: 'on' }, exit: 'talk' },
      over: { type: 'final' },
    },
    output: ({ context }) => context,
  }).provide({
    actors: { work: work as never },
    actions: {
      hear: assign(({ context }) => ({ heard: (context as { heard: number }).heard + 1 })),
      talk: enqueueActions(({ enqueue }) => {
        if (mayTalk()) enqueue.sendParent({ type: 'turn' })
      }),
      fail,
    } as never,
  })
  return {
    actors: { child, work },
    guards: {
      isEven: ({ context }: { context: Counted }) => context.count % 2 === 0,
      isBelow: ({ context }: { context: Counted }, { most }: { most: number }) => context.count < most,
      throws: () => {
        throw new Error('This guard throws.')
      },
    },
    actions: {
      count: assign(({ context }: { context: Counted }) => ({ count: context.count + 1 })),
      note: () => {},
      raise: raise({ type: 'raised' }),
      several: enqueueActions(({ enqueue }) => {
        enqueue('note')
        enqueue.assign(({ context }: { context: Counted }) => ({ count: context.count + 3 }))
        enqueue.raise({ type: 'raised' })
      }),
      spawn: assign(({ spawn }) => {
        if (mayTalk()) spawn('child' as never, { id: `spawned${spawned++}`, input: spawned } as never)
        return {}
      }),
      respawn: enqueueActions(({ enqueue }) => {
        enqueue.stopChild('extra')
        if (mayTalk()) enqueue.spawnChild('child' as never, { id: 'extra', input: 'anew' })
      }),
      workAlone: enqueueActions(({ enqueue }) => {
        enqueue.stopChild('alone')
        enqueue.spawnChild('work' as never, { id: 'alone', input: 1 })
      }),
      stop: stopChild('extra'),
      tell: sendTo('child', { type: 'go' }),
      tellExtra: sendTo('extra', { type: 'again' }),
      end: sendSeldom('child', 'end'),
      crash: sendSeldom('child', 'crash'),
      crashExtra: sendSeldom('extra', 'crash'),
      fail,
    },
  }
}

const action = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom('count', 'note', 'raise', 'several', 'stop', 'spawn', 'respawn') },
  { weight: 3, arbitrary: fc.constantFrom('tell', 'tellExtra', 'end', 'crash', 'workAlone', 'crashExtra') },
  { weight: 1, arbitrary: fc.constantFrom('unnamed', 'fail') },
)
const actions = fc.array(action, { maxLength: 3 })
const guard = fc.oneof(
  { weight: 3, arbitrary: fc.constant(undefined) },
  { weight: 3, arbitrary: fc.constant('isEven') },
  { weight: 3, arbitrary: fc.nat(12).map((most) => ({ type: 'isBelow', params: { most } })) },
  { weight: 1, arbitrary: fc.constant('throws') },
)
const target = fc.option(
  fc.constantFrom(...paths, undefined).map((path) => path && `#chart.${path}`),
  { nil: undefined },
)
const edge = fc.record({ target, guard, actions })
const onEvent = fc.dictionary(fc.constantFrom(...events), fc.array(edge, { minLength: 1, maxLength: 2 }), {
  maxKeys: 3,
})
/** Most transitions without an event count, and come to a rest; the others come to the limit of steps, or change nothing. */
const counted = fc.record({
  target,
  guard: fc.constant({ type: 'isBelow', params: { most: 9 } }),
  actions: actions.map((list) => ['count', ...list]),
})
const always = fc.array(fc.oneof({ weight: 4, arbitrary: counted }, { weight: 1, arbitrary: edge }), {
  maxLength: 1,
})
const invoke = fc.option(
  fc.constantFrom<object>(
    { src: 'child', id: 'child', input: 1, onDone: '#chart.f' },
    { src: 'child', id: 'child', onDone: { actions: 'count' }, onError: '#chart.a.c' },
    { src: 'work', id: 'child', onDone: '#chart.f' },
    [
      { src: 'work', id: 'child', onDone: '#chart.a' },
      { src: 'child', id: 'extra', onDone: { target: '#chart.f', actions: 'stop' } },
    ],
  ),
  { nil: undefined, freq: 3 },
)
const state = fc.record({ on: onEvent, always, entry: actions, exit: actions, invoke })

/** Any chart the tables know, as a config. */
export const chart = fc
  .record({ root: fc.record({ on: onEvent, entry: actions }), states: fc.array(state, { minLength: 8, maxLength: 8 }) })
  .map(({ root, states: [a, b, c, d, e, f, g, h] }) => ({
    ...root,
    id: 'chart',
    initial: 'a',
    context: { count: 0 },
    output: ({ context }: { context: Counted }) => context.count,
    options: { maxIterations: 60 },
    states: {
      a: { ...a, initial: 'b', states: { b, c: { ...c, initial: 'd', states: { d, e } } } },
      f: { ...f, initial: { target: 'g', actions: 'count' }, states: { g, h } },
      z: { type: 'final', output: 'over' },
    },
  }))

/** The machine of a config; what its actors may say to one another is bounded by `mostTalks`. */
export function machineOf(
  config: unknown,
  outboxOf: OutboxOf = () => undefined as never,
  mostTalks = 5,
): AnyStateMachine {
  return createMachine(config as never, implementationsOf(outboxOf, mostTalks) as never)
}
