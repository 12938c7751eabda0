import type { ActorState, Children, ChildState, EffectState, MachineState } from './actor-state.ts'
import type { AssembledChart } from './assembled-chart.ts'
import type { ChartEvent, StateNode, Transition } from './xstate-parts.ts'

/** A position in the tree of actors. Its snapshot is replaced as its actor moves. */
export type Cell = { -readonly [Field in keyof ChildState]: ChildState[Field] }

/** The interface of an actor for a step. */
export interface Actor {
  readonly id: string
  readonly src: string
  readonly cell: Cell
  readonly system: ActorSystem
  /** The name is that of XState, for inspectors. */
  readonly _parent: Actor | undefined
  readonly chart: AssembledChart | 'effect'
  /** For inspectors; made on first use. */
  readonly sessionId: string
  getSnapshot(): unknown
  /** The actor of a child; undefined if there is none with this id, or none that its chart knows. */
  child(children: Children, id: string): Actor | undefined
  /** The child is no longer there. */
  forget(child: Actor): void
  /** Makes a child, which takes its first steps at once, and starts later. */
  spawn(src: string, id: string, input: unknown): Actor
  startUnlessStopped(): void
  /** Sends an event to an actor of the tree. */
  relay(to: Actor, event: ChartEvent): void
  receive(event: ChartEvent): void
  /** Runs an action now, or once the actor has started. */
  act(type: string, params: unknown, perform: (() => void) | undefined): void
  defer(act: () => void): void
  /** A running actor first receives the events that were sent to it before. */
  stopChild(child: Actor): void
}

/** The shared state of the actors of one tree. */
export interface ActorSystem {
  /** A fresh key; given a restored one, that key, or a fresh one if it belongs to another run. */
  keyFor(restored: string | undefined): string
  /** Handed to the charts' own actions as `system`. */
  readonly shown: object
  readonly inspection: ActorInspection | undefined
  nextSessionId(): string
  ask(actor: Actor, effect: EffectState): void
  withdraw(key: string): void
  moved(actor: Actor): void
}

/** The observer of a step, in the order of XState's own inspection events. */
export interface ActorInspection {
  made(actor: Actor): void
  sent(source: Actor | undefined, actor: Actor, event: ChartEvent): void
  acted(actor: Actor, type: string, params: unknown): void
  stepped(actor: Actor, event: ChartEvent, state: MachineState, transitions: readonly Transition[]): void
  updated(actor: Actor, event: ChartEvent, state: ActorState): void
  /** Notes which states of a snapshot XState lists, in which order, if its value does not show it. */
  list(state: MachineState, nodes: readonly StateNode[]): void
}
