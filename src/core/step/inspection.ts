import { type ActorState, isMachineState, type MachineState } from './actor-state.ts'
import type { Actor, ActorInspection } from './actor.ts'
import type { ChartEvent, Machine, MachineSnapshot, StateNode, Transition } from './xstate-parts.ts'

/** An event of XState's inspection. */
export interface Inspected {
  readonly type: `@xstate.${'actor' | 'event' | 'action' | 'microstep' | 'snapshot'}`
  readonly rootId: string
  readonly actorRef: Actor
  readonly [field: string]: unknown
}

/** Sends to the inspector the events that XState itself would send. */
export class Inspection implements ActorInspection {
  readonly #see: (event: Inspected) => void
  #rootId = ''

  constructor(see: (event: Inspected) => void) {
    this.#see = see
  }

  made(actorRef: Actor): void {
    if (actorRef._parent === undefined) this.#rootId = actorRef.sessionId
    this.#see({ type: '@xstate.actor', actorRef, rootId: this.#rootId })
  }

  sent(sourceRef: Actor | undefined, actorRef: Actor, event: ChartEvent): void {
    this.#see({ type: '@xstate.event', actorRef, sourceRef, event, rootId: this.#rootId })
  }

  acted(actorRef: Actor, type: string, params: unknown): void {
    this.#see({ type: '@xstate.action', actorRef, action: { type, params }, rootId: this.#rootId })
  }

  stepped(actorRef: Actor, event: ChartEvent, state: MachineState, transitions: readonly Transition[]): void {
    const snapshot = shownState(actorRef, state)
    const rootId = this.#rootId
    this.#see({ type: '@xstate.microstep', actorRef, event, snapshot, _transitions: transitions, rootId })
  }

  updated(actorRef: Actor, event: ChartEvent, state: ActorState): void {
    const snapshot = shownState(actorRef, state)
    this.#see({ type: '@xstate.snapshot', actorRef, event, snapshot, rootId: this.#rootId })
  }

  /** Notes which states of a snapshot XState lists, in which order, if its value does not show it. */
  list(state: MachineState, nodes: readonly StateNode[]): void {
    listed.set(state, nodes)
  }
}

/** The states of snapshots that XState lists in another order: that of their exits, or the root alone. */
const listed = new WeakMap<MachineState, readonly StateNode[]>()

/** A state as the inspector receives it. The state of a chart is an XState snapshot, with actors for its children. */
export function shownState(actor: Actor, state: ActorState): object {
  const { chart } = actor
  if (!isMachineState(state) || chart === 'effect') return state
  const { status, output, error, context, value, historyValue } = state
  const { machine, tables } = chart
  const nodes = listed.get(state) ?? tables.placeOf(value).nodes
  const tags = new Set<string>()
  for (const node of nodes) for (const tag of node.tags) tags.add(tag)
  const children: { [id: string]: unknown } = {}
  for (const id of Object.keys(state.children)) children[id] = actor.child(state.children, id)
  const { matches, hasTag, can, getMeta, toJSON } = methodsOf(machine, value)
  const fields = { status, output, error, machine, context, _nodes: nodes, value, tags, children, historyValue }
  return { ...fields, matches, hasTag, can, getMeta, toJSON } satisfies MachineSnapshot
}

type Methods = Pick<MachineSnapshot, 'matches' | 'hasTag' | 'can' | 'getMeta' | 'toJSON'>

const methods = new WeakMap<Machine, Methods>()

function methodsOf(machine: Machine, value: MachineSnapshot['value']): Methods {
  const known = methods.get(machine) ?? machine.resolveState({ value, context: {} })
  methods.set(machine, known)
  return known
}
