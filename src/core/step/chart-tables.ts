import { spawnChild, stopChild } from 'xstate'
import {
  type ActionLogic,
  type ActionReference,
  chainOf,
  isInside,
  type Machine,
  type PlainGuard,
  type Reference,
  type StateNode,
  type StateValue,
  type Transition,
} from './xstate-parts.ts'

/** One configuration of a machine, with its possible transitions. */
export interface Place {
  /** From the root to the atomic state. */
  readonly nodes: readonly StateNode[]
  readonly value: StateValue
  readonly tags: ReadonlySet<string>
  /** Transitions without an event, the innermost state's first. */
  readonly always: readonly Row[]
  /** Transitions of one event, the innermost state's first. */
  on(eventType: string): readonly Row[]
  /** Set if the machine is over here. */
  readonly final: Final | undefined
}

/** The end of a machine: its last state, and the exits of all states around it. */
export interface Final {
  readonly node: StateNode
  readonly exits: ActionGroup
}

/** One transition from one place. */
export interface Row {
  readonly transition: Transition
  readonly guard: BoundGuard | undefined
  plan(): Plan
}

/** The actions of a transition, in order. */
export interface Plan {
  readonly groups: readonly ActionGroup[]
  readonly next: Place
}

/** Actions that are resolved together. An action may send to the id of an actor among them before that actor exists. */
export interface ActionGroup {
  readonly actions: readonly BoundAction[]
  readonly deferredActorIds: readonly string[] | undefined
}

/** A guard with its parameters. */
export interface BoundGuard {
  readonly check: PlainGuard
  readonly params: unknown
}

/** An action with its implementation and its parameters from the chart. */
export interface BoundAction {
  readonly type: string
  readonly logic: ActionLogic | undefined
  readonly params: unknown
}

const noRows: readonly Row[] = []

/** The places of one machine, each computed on first use. */
export class ChartTables {
  readonly machine: Machine
  readonly #places = new Map<StateNode, Place>()
  readonly #byName = new Map<string, Place>()
  /** The places of values that the tables have returned. */
  readonly #byValue = new WeakMap<object, Place>()
  #opening: Plan | undefined

  constructor(machine: Machine) {
    this.machine = machine
  }

  /** Returns the place of a state value; throws the interpreter's own error if the chart has no such state. */
  placeOf(value: StateValue): Place {
    const known = typeof value === 'string' ? this.#byName.get(value) : this.#byValue.get(value)
    if (known !== undefined) return known
    const { _nodes: nodes } = this.machine.resolveState({ value, context: {} })
    return this.place(lastOf(nodes))
  }

  place(leaf: StateNode): Place {
    const known = this.#places.get(leaf)
    if (known !== undefined) return known
    const place = this.#build(leaf)
    this.#places.set(leaf, place)
    if (typeof place.value === 'string') this.#byName.set(place.value, place)
    else this.#byValue.set(place.value, place)
    return place
  }

  /** The plan of the first step of a machine: it enters every state down to the first atomic one. */
  get opening(): Plan {
    return (this.#opening ??= this.#enterAll())
  }

  #enterAll(): Plan {
    const entered = [this.machine.root, ...initialsOf(this.machine.root)]
    return { groups: this.#entering(entered, new Set(entered)), next: this.place(lastOf(entered)) }
  }

  bind(action: ActionReference): BoundAction {
    const { actions } = this.machine.implementations
    if (typeof action === 'function')
      return { type: action.type ?? (action.name || '(anonymous)'), logic: action, params: undefined }
    if (typeof action === 'string') return { type: action, logic: actions[action], params: undefined }
    return { type: action.type, logic: actions[action.type], params: action.params }
  }

  #build(leaf: StateNode): Place {
    const nodes = chainOf(leaf)
    const inward = nodes.toReversed()
    const { value, tags } = this.machine.resolveState({ value: valueOf(nodes), context: {} })
    const byEvent = new Map<string, readonly Row[]>()
    const rows = (transitions: readonly Transition[]) => transitions.map((transition) => this.#row(leaf, transition))
    return {
      nodes,
      value: freeze(value),
      tags,
      always: rows(inward.flatMap(({ always = [] }) => always)),
      on: (eventType) => {
        const known = byEvent.get(eventType)
        if (known !== undefined) return known
        const found = rows(inward.flatMap(({ transitions }) => transitions.get(eventType) ?? []))
        byEvent.set(eventType, found.length === 0 ? noRows : found)
        return found
      },
      final: leaf.type === 'final' ? { node: leaf, exits: this.#exitsOf(inward) } : undefined,
    }
  }

  #exitsOf(inward: readonly StateNode[]): ActionGroup {
    const actions = inward.flatMap(({ exit }) => exit.map((action) => this.bind(action)))
    return { actions, deferredActorIds: undefined }
  }

  #row(leaf: StateNode, transition: Transition): Row {
    let plan: Plan | undefined
    return { transition, guard: this.#guard(transition.guard), plan: () => (plan ??= this.#plan(leaf, transition)) }
  }

  #guard(guard: Reference<PlainGuard> | undefined): BoundGuard | undefined {
    if (guard === undefined) return undefined
    if (typeof guard === 'function') return { check: guard, params: undefined }
    const { guards } = this.machine.implementations
    if (typeof guard === 'string') return { check: guards[guard] as PlainGuard, params: undefined }
    return { check: guards[guard.type] as PlainGuard, params: guard.params }
  }

  #plan(leaf: StateNode, { source, target, actions }: Transition): Plan {
    const to = target?.[0]
    const bound = actions.map((action) => this.bind(action))
    if (to === undefined) return { groups: [{ actions: bound, deferredActorIds: undefined }], next: this.place(leaf) }
    const domain = domainOf(source, to)
    const left = chainOf(leaf).filter((node) => isInside(node, domain))
    const isTargetEntered = to !== source || source !== domain
    const byDefault = new Set([...(isTargetEntered ? [to] : []), ...initialsOf(to)])
    const entered = [...chainOf(to).filter((node) => node !== to && isInside(node, domain)), ...byDefault]
    const exits = left
      .toReversed()
      .flatMap(({ exit, invoke }) => [
        ...exit.map((action) => this.bind(action)),
        ...invoke.map(({ id }) => this.bind(stopChild(id) as never)),
      ])
    const groups = [
      { actions: [...exits, ...bound], deferredActorIds: undefined },
      ...this.#entering(entered, byDefault),
    ]
    return { groups: merged(groups), next: this.place(entered.at(-1) ?? leaf) }
  }

  #entering(entered: readonly StateNode[], byDefault: ReadonlySet<StateNode>): readonly ActionGroup[] {
    return merged(
      entered.map((node) => ({
        actions: [
          ...node.entry.map((action) => this.bind(action)),
          ...node.invoke.map((invoked) => {
            const { id, src, systemId, input, onSnapshot } = invoked
            const options = { id, systemId, input, syncSnapshot: onSnapshot !== undefined }
            return this.bind(spawnChild(src, options as never) as never)
          }),
          ...(byDefault.has(node) ? node.initial.actions.map((action) => this.bind(action)) : []),
        ],
        deferredActorIds: node.invoke.length === 0 ? undefined : node.invoke.map(({ id }) => id),
      })),
    )
  }
}

/** Joins groups in which nothing is deferred. */
function merged(groups: readonly ActionGroup[]): readonly ActionGroup[] {
  const all: ActionGroup[] = []
  for (const group of groups) {
    const last = all.at(-1)
    if (group.actions.length === 0) continue
    if (last === undefined || last.deferredActorIds !== undefined || group.deferredActorIds !== undefined)
      all.push(group)
    else all[all.length - 1] = { actions: [...last.actions, ...group.actions], deferredActorIds: undefined }
  }
  return all
}

/** Returns the state that a transition does not exit: the source itself, or the nearest state around both ends. */
function domainOf(source: StateNode, target: StateNode): StateNode {
  if (target === source || isInside(target, source)) return source
  const around = chainOf(target).slice(0, -1)
  return around.findLast((node) => isInside(source, node)) ?? lastOf(chainOf(source).slice(0, 1))
}

/** Returns the initial states inside a node, from the outside in. */
function initialsOf(node: StateNode): readonly StateNode[] {
  const first = node.type === 'compound' ? node.initial.target[0] : undefined
  return first === undefined ? [] : [first, ...initialsOf(first)]
}

function valueOf(nodes: readonly StateNode[]): StateValue {
  const [, ...below] = nodes
  const keys = below.map(({ key }) => key)
  return keys.slice(0, -1).reduceRight<StateValue>((inner, key) => ({ [key]: inner }), keys.at(-1) ?? {})
}

function freeze(value: StateValue): StateValue {
  if (typeof value === 'string') return value
  for (const inner of Object.values(value)) freeze(inner)
  return Object.freeze(value)
}

function lastOf<T>(items: readonly T[]): T {
  return items[items.length - 1] as T
}
