import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type AnyStateMachine,
  assign,
  createActor,
  createMachine,
  enqueueActions,
  fromCallback,
  raise,
  sendTo,
  stopChild,
} from 'xstate'
import { compileChart } from '../../src/compiled/compile-chart.ts'
import { configurations } from '../../src/testing/charts/configurations.ts'
import { ChartHarness } from '../../src/testing/charts/chart-harness.ts'
import { compareTraces, InterpretersDiffer, InterpreterTrace } from '../../src/testing/charts/interpreter-trace.ts'
import { LiveChart } from '../../src/testing/charts/live-chart.ts'
import { type Defect, plantDefect } from '../../proof/charts/plant-defect.ts'

interface Counted {
  readonly count: number
}

/** Every state of the charts below, by its path. */
const paths = ['a', 'a.b', 'a.c', 'a.c.d', 'a.c.e', 'f', 'f.g', 'f.h', 'z']
const events = ['go', 'turn', 'raised', 'xstate.done.actor.child', 'unheard']

/** How often a child of each actor system has spoken; without an end they would talk for ever. */
const spoken = new WeakMap<object, number>()

const child = fromCallback(({ sendBack, system }) => {
  const count = (spoken.get(system) ?? 0) + 1
  spoken.set(system, count)
  if (count <= 4) sendBack({ type: 'turn' })
})

const implementations = {
  actors: { child },
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
      spawn('child' as never, { id: 'extra' } as never)
      return {}
    }),
    stop: stopChild('extra'),
    tell: sendTo('child', { type: 'go' }),
    fail: () => {
      throw new Error('This action throws.')
    },
  },
}

const action = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom('count', 'note', 'raise', 'several', 'stop') },
  { weight: 2, arbitrary: fc.constantFrom('spawn', 'tell', 'unnamed', 'fail') },
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
const invoke = fc.option(fc.constant({ src: 'child', id: 'child', onDone: '#chart.f' }), { nil: undefined, freq: 4 })
const state = fc.record({ on: onEvent, always, entry: actions, exit: actions, invoke })

const chart = fc
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

function machineOf(config: unknown): AnyStateMachine {
  return createMachine(config as never, implementations as never)
}

/** Everything told on the way through some events. */
function traceOf(machine: AnyStateMachine, sent: readonly string[]) {
  const trace = new InterpreterTrace()
  const actor = createActor(machine, { inspect: (event) => trace.see(event) })
  actor.subscribe({ error: () => {} })
  actor.start()
  for (const type of sent) actor.send({ type })
  const { status, value, context } = actor.getSnapshot() as { status: string; value: unknown; context: unknown }
  const kept = JSON.stringify(actor.getPersistedSnapshot(), function (this: object, key, part: unknown) {
    if (key === 'error') return 'error'
    return key === 'children' && 'status' in this && this.status === 'error' ? undefined : part
  })
  actor.stop()
  return [...trace.take(), [status, value, context, kept]]
}

describe('TST-01 charts stepped by tables', () => {
  test('TST-01 tell, act and persist as by XState itself, whatever the chart', () => {
    let steps = 0
    fc.assert(
      fc.property(chart, fc.array(fc.constantFrom(...events), { maxLength: 6 }), (config, sent) => {
        const compiled = compileChart(machineOf(config))
        expect(Object.hasOwn(compiled, 'transition') && compiled.transition !== machineOf(config).transition).toBe(true)
        const official = traceOf(machineOf(config), sent)
        steps += official.length
        compareTraces(traceOf(compiled, sent), official)
      }),
      { numRuns: 1500 },
    )
    expect(steps).toBeGreaterThan(30_000)
  })

  const opening = 'run running.opening.starting always 5'
  const defects: readonly (readonly [string, Defect])[] = [
    ['leads elsewhere', { kind: 'retarget', transition: opening, to: '#run.running.closing' }],
    ['is not there', { kind: 'drop', transition: opening }],
    [
      'comes to a state that does nothing',
      { kind: 'idle entry', chart: 'run', state: 'running.opening.committingUser' },
    ],
  ]

  test.each(defects)('TST-01 are told from XState where a transition %s', (_, defect) => {
    const options = configurations[0]?.options
    if (options === undefined) throw new Error('There is no configuration.')
    const { charts: twin, input } = new ChartHarness({ options, interpreter: 'official' })
    const { charts } = new ChartHarness({ options, machines: plantDefect(defect), interpreter: 'tables' })
    const live = new LiveChart({ charts, input, onMicrostep: () => {}, twin })
    expect(() => live.open()).toThrow(InterpretersDiffer)
    live.close()
  })

  test.each([
    ['states side by side', { type: 'parallel', states: { a: {}, b: {} } }],
    ['a state that remembers', { initial: 'a', states: { a: {}, h: { type: 'history' } } }],
    ['events by pattern', { initial: 'a', states: { a: { on: { 'call.*': 'a' } } } }],
    ['a transition that enters anew', { initial: 'a', states: { a: { on: { go: { target: 'a', reenter: true } } } } }],
    ['an end inside a state', { initial: 'a', states: { a: { initial: 'b', states: { b: { type: 'final' } } } } }],
    ['a guard without a function', { initial: 'a', states: { a: { on: { go: { guard: 'unknown', target: 'a' } } } } }],
    ['an actor in place', { initial: 'a', states: { a: { invoke: { src: fromCallback(() => {}) } } } }],
  ])('TST-01 do not know %s and leave the chart to XState', (_, config) => {
    const machine = machineOf({ id: 'odd', ...config })
    const { transition, getInitialSnapshot } = machine
    const compiled = compileChart(machine)
    expect([compiled.transition, compiled.getInitialSnapshot]).toEqual([transition, getInitialSnapshot])
  })
})
