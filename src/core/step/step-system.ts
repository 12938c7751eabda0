import type { EffectState, MachineState } from './actor-state.ts'
import type { AssembledChart } from './assembled-chart.ts'
import { type Inspected, Inspection } from './inspection.ts'
import type { Actor, ActorSystem, Cell } from './actor.ts'
import { StepActor } from './step-actor.ts'
import type { ChartEvent } from './xstate-parts.ts'

/** A result of a step besides the new state, in order of occurrence. */
export type ActorChange =
  | { readonly kind: 'asked'; readonly effect: AskedEffect }
  | { readonly kind: 'withdrawn'; readonly key: string }
  /** A child of the root has another state, or none any more; this one was its last. */
  | { readonly kind: 'moved'; readonly id: string; readonly src: string; readonly state: MachineState }
  /** A stored child could not be taken up, and is in the new state no more. */
  | { readonly kind: 'leftOut'; readonly cause: unknown }

/** An effect that a chart requests. */
export interface WantedEffect {
  readonly key: string
  /** The name the chart gives its actor. */
  readonly src: string
  readonly input: unknown
  /** True if it was asked for before the state was loaded. */
  readonly isRestored: boolean
}

/** An effect and the position of its actor. */
export interface AskedEffect extends WantedEffect {
  /** Ids of the actors it lies in, from the root's child down to its own. */
  readonly path: readonly string[]
}

/** The options of a step. */
export interface StepOptions {
  /** A fresh key; given a restored one, that key, or a fresh one if it belongs to another run. The one impure part. */
  readonly keyFor: (restored: string | undefined) => string
  readonly tell: (change: ActorChange) => void
  /** Handed to the charts' own actions as `system`. */
  readonly shown: object
  readonly inspect?: (event: Inspected) => void
}

/** The charts of a run as functions from state to state. Each step consumes the state that it receives. */
export interface Step {
  begin(input: unknown): MachineState
  load(stored: MachineState): MachineState
  send(state: MachineState, event: ChartEvent): MachineState
  complete(state: MachineState, effect: Pick<AskedEffect, 'path' | 'key'>, output: unknown): MachineState
}

export class StepSystem implements ActorSystem {
  readonly keyFor: StepOptions['keyFor']
  readonly shown: object
  readonly inspection: Inspection | undefined
  readonly #tell: StepOptions['tell']
  /** The keys of effects in the loaded state. */
  #restored: Set<string> | undefined
  /** Actors of effects that were asked for and are not done. */
  readonly asking = new Map<string, StepActor>()
  #sessions = 0

  constructor({ keyFor, tell, shown, inspect }: StepOptions) {
    this.keyFor = keyFor
    this.#tell = tell
    this.shown = shown
    this.inspection = inspect === undefined ? undefined : new Inspection(inspect)
  }

  nextSessionId(): string {
    return `x:${this.#sessions++}`
  }

  root(chart: AssembledChart, snapshot: MachineState, isRunning: boolean): StepActor {
    const cell: Cell = { src: 'root', syncSnapshot: false, snapshot }
    return new StepActor({ id: 'root', cell, parent: undefined, chart, system: this, isRunning })
  }

  ask(actor: StepActor, { key, input }: EffectState): void {
    const { src } = actor
    const isRestored = this.#restored?.has(key) === true
    this.asking.set(key, actor)
    this.#tell({ kind: 'asked', effect: { key, src, input, path: pathOf(actor), isRestored } })
  }

  /** True if the loaded state contains the effect of this key. */
  restore(key: string): void {
    this.#restored ??= new Set()
    this.#restored.add(key)
  }

  withdraw(key: string): void {
    this.asking.delete(key)
    this.#tell({ kind: 'withdrawn', key })
  }

  leftOut(cause: unknown): void {
    this.#tell({ kind: 'leftOut', cause })
  }

  moved({ id, src, cell, chart, _parent: parent }: Actor): void {
    if (chart === 'effect' || parent === undefined || parent._parent !== undefined) return
    this.#tell({ kind: 'moved', id, src, state: cell.snapshot as MachineState })
  }
}

/** Allocates the exact length, because a path lives as long as its effect. */
function pathOf({ id, _parent: parent }: Actor): readonly string[] {
  return parent === undefined ? [] : pathOf(parent).concat(id)
}
