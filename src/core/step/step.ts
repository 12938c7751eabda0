import { type ActorState, type ChildState, isMachineState, type MachineState } from './actor-state.ts'
import type { AssembledChart } from './assembled-chart.ts'
import type { Cell } from './actor.ts'
import type { ChildrenRecord } from './resolve-actions.ts'
import type { StepActor } from './step-actor.ts'
import { type AskedEffect, type Step, type StepOptions, StepSystem } from './step-system.ts'
import type { ChartEvent } from './xstate-parts.ts'

/**
 * A machine with its nested machines as a function from state to state. The state is plain data, and a step may change
 * it: a caller that keeps a state must copy it (`copyState`). Requests to the outside are emitted as they arise;
 * nothing is performed here.
 */
export class ChartStep implements Step {
  readonly #chart: AssembledChart
  readonly #system: StepSystem
  #root: StepActor | undefined

  constructor(chart: AssembledChart, options: StepOptions) {
    this.#chart = chart
    this.#system = new StepSystem(options)
  }

  /** The state a machine begins in. */
  begin(input: unknown): MachineState {
    const root = this.#system.root(this.#chart, unbegun, false)
    root.enter(input)
    root.start()
    return this.#stateOf(root)
  }

  /**
   * Loads a stored state, whose effects are requested again. Throws XState's own error if the chart has no such state;
   * unknown children are left out.
   */
  load(stored: MachineState): MachineState {
    const root = this.#system.root(this.#chart, stored, false)
    root.cell.snapshot = this.#taken(stored, root)
    root.start()
    return this.#stateOf(root)
  }

  /** The state after an event; one that has ended takes nothing more. */
  send(state: MachineState, event: ChartEvent): MachineState {
    if (state.status !== 'active') return state
    const root = this.#rootOf(state)
    this.#system.inspection?.sent(undefined, root, event)
    root.receive(event)
    return this.#stateOf(root)
  }

  /** Returns the state after an effect was performed; the same state if the chart has stopped its actor. */
  complete(state: MachineState, { path, key }: Pick<AskedEffect, 'path' | 'key'>, output: unknown): MachineState {
    const root = this.#rootOf(state)
    // Only this finds an actor that another one has replaced.
    const actor = this.#system.asking.get(key) ?? actorAt(root, path)
    const snapshot = actor?.cell.snapshot
    if (actor === undefined || snapshot === undefined || isMachineState(snapshot) || snapshot.key !== key) return state
    this.#system.asking.delete(key)
    const event = { type: 'effect.completed', output }
    this.#system.inspection?.sent(undefined, actor, event)
    actor.receive(event)
    return this.#stateOf(root)
  }

  #rootOf(state: MachineState): StepActor {
    if (this.#root?.cell.snapshot === state) return this.#root
    this.#system.asking.clear()
    return (this.#root = this.#system.root(this.#chart, state, state.status === 'active'))
  }

  #stateOf(root: StepActor): MachineState {
    this.#root = root
    return root.cell.snapshot as MachineState
  }

  /** Prepares a stored actor and its children: places of states, and keys of effects. */
  #taken(state: ActorState, actor: StepActor): ActorState {
    this.#system.inspection?.made(actor)
    if (!isMachineState(state) || actor.chart === 'effect') return this.#takenEffect(state)
    const children: { [id: string]: ChildState } = {}
    for (const [id, { src, snapshot }] of Object.entries(state.children)) {
      const cell: Cell = { src, syncSnapshot: false, snapshot }
      if (this.#takeChild(cell, id, actor)) children[id] = cell
    }
    const { value } = actor.chart.tables.placeOf(state.value)
    const { status, output, error, context } = state
    return { status, output, error, value, historyValue: {}, context, children }
  }

  /**
   * Returns false for a child that its chart does not know or rejects: it is left out, as in XState, and the cause is
   * reported.
   */
  #takeChild(cell: Cell, id: string, parent: StepActor): boolean {
    const child = parent.adopt(id, cell, false)
    if (child === undefined) return false
    try {
      cell.snapshot = this.#taken(cell.snapshot, child)
      return true
    } catch (cause) {
      this.#system.leftOut(cause)
      return false
    }
  }

  /** Keeps finished effects finished in every copy of the state. */
  #takenEffect(state: ActorState): ActorState {
    if (isMachineState(state) || state.status !== 'active') return state
    const { key: stored, input } = state as Partial<typeof state>
    const key = this.#system.keyFor(stored)
    if (stored !== undefined) this.#system.restore(key)
    return { status: 'active', output: undefined, error: undefined, key, input }
  }
}

const unbegun: MachineState = {
  status: 'active',
  output: undefined,
  error: undefined,
  value: {},
  historyValue: {},
  context: {},
  children: {},
}

function actorAt(root: StepActor, path: readonly string[]): StepActor | undefined {
  let actor: StepActor | undefined = root
  for (const id of path) {
    const snapshot: ActorState | undefined = actor?.cell.snapshot
    if (actor === undefined || snapshot === undefined || !isMachineState(snapshot)) return undefined
    actor = actor.child(snapshot.children, id)
  }
  return actor
}

/** Returns a copy of a state for a step, so that the caller can keep this one. */
export function copyState(state: MachineState): MachineState {
  const children: ChildrenRecord = {}
  for (const id in state.children) {
    const child = state.children[id]
    if (child === undefined) continue
    const { snapshot } = child
    children[id] = { ...child, snapshot: isMachineState(snapshot) ? copyState(snapshot) : snapshot }
  }
  return { ...state, children }
}
