import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fromCallback } from 'xstate'
import { type Defect, plantDefect } from '../../proof/charts/plant-defect.ts'
import { chart, events, machineOf } from '../../proof/support/random-charts.ts'
import { chartOf } from '../../src/core/step/assembled-chart.ts'
import { isMachineState, type MachineState } from '../../src/core/step/actor-state.ts'
import { copyState } from '../../src/core/step/step.ts'
import type { ActorChange, AskedEffect } from '../../src/core/step/step-system.ts'
import { type Interpreter, stepsOf } from '../../src/core/step/steps-of.ts'
import { configurations } from '../../src/testing/charts/configurations.ts'
import { ChartHarness } from '../../src/testing/charts/chart-harness.ts'
import {
  compareTraces,
  InterpretersDiffer,
  InterpreterTrace,
  type TraceEntry,
} from '../../src/testing/charts/interpreter-trace.ts'
import { LiveChart } from '../../src/testing/charts/live-chart.ts'

/** An event to the root, or the place in the outbox of the effect that is done. */
type Happens = string | number

/** Steps a chart one way, from its start or from what is stored of it. */
class Played {
  readonly #trace = new InterpreterTrace()
  readonly #told: TraceEntry[] = []
  readonly #open = new Map<string, AskedEffect>()
  readonly #step
  #state: MachineState

  constructor(config: unknown, interpreter: Interpreter, stored?: MachineState) {
    let keys = 0
    this.#step = stepsOf(
      (outboxOf) => machineOf(config, outboxOf),
      interpreter,
    )({
      keyFor: (restored) => restored ?? `${stored === undefined ? 'k' : 'l'}${keys++}`,
      shown: {},
      tell: (change) => this.#hear(change),
      inspect: (event) => this.#see(() => this.#trace.see(event as never)),
    })
    this.#state = stored === undefined ? this.#step.begin(undefined) : this.#step.load(stored)
  }

  take(happens: Happens): void {
    if (typeof happens === 'string') this.#state = this.#step.send(this.#state, { type: happens })
    else {
      const effect = [...this.#open.values()][happens % Math.max(1, this.#open.size)]
      if (effect === undefined) return
      this.#open.delete(effect.key)
      this.#state = this.#step.complete(this.#state, effect, happens)
    }
  }

  /** Everything told since the last call, in order, and how the chart stands. */
  told(): readonly TraceEntry[] {
    const told = this.#told.splice(0)
    return [...told, ['effects', ...this.#open.keys()], ['state', ...keptOf(this.#state)]]
  }

  /** The stored form; undefined if it has failed. */
  get stored(): MachineState | undefined {
    return this.#state.status === 'error' ? undefined : (JSON.parse(JSON.stringify(this.#state)) as MachineState)
  }

  #see(see: () => void): void {
    see()
    this.#told.push(...this.#trace.take())
  }

  #hear(change: ActorChange): void {
    if (change.kind === 'moved' || change.kind === 'leftOut') return
    this.#told.push([change])
    if (change.kind === 'withdrawn') this.#open.delete(change.key)
    else this.#open.set(change.effect.key, change.effect)
  }
}

/**
 * For an actor that failed in the middle of a step, XState keeps the children of the state before it, and nobody reads
 * them.
 */
function keptOf(state: MachineState): readonly unknown[] {
  const { status, value, context, output, children } = state
  if (status === 'error') return [status, value, context]
  const kept = Object.entries(children).map(([id, { src, snapshot }]) =>
    isMachineState(snapshot)
      ? [id, src, ...keptOf(snapshot)]
      : [id, src, snapshot.status, snapshot.key, snapshot.input, snapshot.output],
  )
  return [status, value, context, output, kept]
}

/** Both ways from one start, compared after each thing that happens. */
function playBoth(config: unknown, happening: readonly Happens[], stored?: MachineState) {
  const byTables = new Played(config, 'tables', stored)
  const official = new Played(config, 'xstate', structuredClone(stored))
  let steps = 0
  const compare = () => {
    const told = official.told()
    steps += told.length
    compareTraces(byTables.told(), told)
  }
  compare()
  for (const happens of happening) {
    byTables.take(happens)
    official.take(happens)
    compare()
  }
  return { steps, stored: byTables.stored }
}

const happens = fc.oneof<[fc.Arbitrary<string>, fc.Arbitrary<number>]>(fc.constantFrom(...events), fc.nat(5))

describe('TST-01 tables', () => {
  test('TST-01 tables emit, act and persist like XState itself, for every chart', { timeout: 60_000 }, () => {
    let steps = 0
    fc.assert(
      fc.property(
        chart,
        fc.array(happens, { maxLength: 6 }),
        fc.array(happens, { maxLength: 3 }),
        (config, first, then) => {
          expect(chartOf(machineOf(config))).toBeDefined()
          const before = playBoth(config, first)
          const after = before.stored === undefined ? before : playBoth(config, then, before.stored)
          steps += before.steps + after.steps
        },
      ),
      { numRuns: Number(process.env['CHARTS'] ?? 500) },
    )
    expect(steps).toBeGreaterThan(30_000)
  })

  test('TST-01 a step is a function of the state: a copy of the state leads to the same result', () => {
    fc.assert(
      fc.property(chart, fc.array(fc.constantFrom(...events), { maxLength: 5 }), (config, sent) => {
        // The counter that limits the actors' messages is kept beside the state, and would make the two differ.
        const make = stepsOf((outboxOf) => machineOf(config, outboxOf, 0))
        const told: unknown[] = []
        let keys = 0
        const step = make({ keyFor: () => `k${keys++}`, shown: {}, tell: (change) => void told.push(change) })
        let state = step.begin(undefined)
        for (const type of sent) {
          const copy = copyState(state)
          const text = JSON.stringify(copy)
          const [firstKey, first] = [keys, told.splice(0).length]
          state = step.send(state, { type })
          expect(JSON.stringify(copy)).toBe(text)
          const wanted = told.splice(0)
          keys = firstKey
          const other = make({ keyFor: () => `k${keys++}`, shown: {}, tell: (change) => void told.push(change) })
          expect([keptOf(other.send(copy, { type })), told.splice(0), first]).toEqual([keptOf(state), wanted, first])
        }
      }),
      { numRuns: 300 },
    )
  })

  const opening = 'run running.opening.beforeRun always 2'
  const defects: readonly (readonly [string, Defect])[] = [
    ['leads elsewhere', { kind: 'retarget', transition: opening, to: '#run.running.closing' }],
    ['is not there', { kind: 'drop', transition: opening }],
    [
      'comes to a state that does nothing',
      { kind: 'idle entry', chart: 'run', state: 'running.opening.committingUser' },
    ],
  ]

  test.each(defects)('TST-01 distinguishes a table from XState if a transition %s', (_, defect) => {
    const options = configurations[0]?.options
    if (options === undefined) throw new Error('There is no configuration.')
    const { charts: twin, input } = new ChartHarness({ options, interpreter: 'xstate' })
    const { charts } = new ChartHarness({ options, machines: plantDefect(defect), interpreter: 'tables' })
    const live = new LiveChart({ charts, input, onMicrostep: () => {}, twin })
    expect(() => live.open()).toThrow(InterpretersDiffer)
  })

  test.each([
    ['states side by side', { type: 'parallel', states: { a: {}, b: {} } }],
    ['a state that remembers', { initial: 'a', states: { a: {}, h: { type: 'history' } } }],
    ['events by pattern', { initial: 'a', states: { a: { on: { 'call.*': 'a' } } } }],
    ['a transition that enters anew', { initial: 'a', states: { a: { on: { go: { target: 'a', reenter: true } } } } }],
    ['an end inside a state', { initial: 'a', states: { a: { initial: 'b', states: { b: { type: 'final' } } } } }],
    ['a guard without a function', { initial: 'a', states: { a: { on: { go: { guard: 'unknown', target: 'a' } } } } }],
    ['an actor in place', { initial: 'a', states: { a: { invoke: { src: fromCallback(() => {}) } } } }],
  ])('TST-01 tables do not support %s and leave the chart to XState', (_, config) => {
    expect(chartOf(machineOf({ id: 'odd', ...config }))).toBeUndefined()
  })
})
