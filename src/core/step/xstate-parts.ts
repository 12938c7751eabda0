/**
 * The parts of XState 5's machines that the step reads, and the snapshot for inspectors. It lists every internal name
 * of XState that the step depends on; a test reads each of them from a real machine.
 */

/** The events that XState's actors send to one another. */
export const xstateEvents = {
  init: 'xstate.init',
  stop: 'xstate.stop',
  error: 'xstate.error',
  doneActor: 'xstate.done.actor.',
  errorActor: 'xstate.error.actor.',
  doneState: 'xstate.done.state.',
} as const

/** XState's own actions that a step performs, by their types. */
export const xstateActions = {
  assign: 'xstate.assign',
  enqueueActions: 'xstate.enqueueActions',
  raise: 'xstate.raise',
  sendTo: 'xstate.sendTo',
  spawnChild: 'xstate.spawnChild',
  stopChild: 'xstate.stopChild',
} as const

/** The prefix of the names of inline actors. */
export const inlineActor = 'xstate.invoke.'

/** An event of a chart, with further fields of the chart's own. */
export interface ChartEvent {
  readonly type: string
  readonly [field: string]: unknown
}

/** An assembled machine. */
export interface Machine {
  readonly id: string
  readonly root: StateNode
  readonly config: { readonly context?: unknown }
  readonly options?: { readonly maxIterations?: number }
  readonly implementations: {
    readonly actors: Named<unknown>
    readonly actions: Named<ActionLogic>
    readonly guards: Named<unknown>
  }
  getTransitionData(
    snapshot: Pick<MachineSnapshot, 'machine' | 'value' | 'context'>,
    event: ChartEvent,
  ): readonly Transition[]
  resolveState(config: { readonly value: StateValue; readonly context: object }): MachineSnapshot
}

/** Values by name; a name may have no value. */
export interface Named<T> {
  readonly [name: string]: T | undefined
}

/** The active states of a machine, as nested keys. */
export type StateValue = string | { readonly [key: string]: StateValue }

/** One state of a chart. */
export interface StateNode {
  readonly id: string
  readonly key: string
  readonly type: 'atomic' | 'compound' | 'parallel' | 'final' | 'history'
  /** Position in document order. */
  readonly order: number
  readonly parent: StateNode | undefined
  readonly states: { readonly [key: string]: StateNode }
  readonly entry: readonly ActionReference[]
  readonly exit: readonly ActionReference[]
  readonly invoke: readonly InvokeDefinition[]
  readonly initial: { readonly target: readonly StateNode[]; readonly actions: readonly ActionReference[] }
  readonly transitions: ReadonlyMap<string, readonly Transition[]>
  readonly always: readonly Transition[] | undefined
  readonly tags: readonly string[]
  readonly output: unknown
}

/** One transition in its form in the chart. */
export interface Transition {
  readonly source: StateNode
  readonly target: readonly StateNode[] | undefined
  readonly reenter: boolean
  readonly guard: Reference<PlainGuard> | undefined
  readonly actions: readonly ActionReference[]
}

/** A named or inline implementation in a chart, with or without parameters. */
export type Reference<T> = string | { readonly type: string; readonly params?: unknown } | T

/** A guard that is a function of context and event. */
export type PlainGuard = (args: { readonly context: object; readonly event: ChartEvent }, params: unknown) => boolean

/** An action of a chart. */
export type ActionReference = Reference<ActionLogic>

/** The logic of an action: a function, or one of the interpreter's own actions with `resolve` and further fields. */
export interface ActionLogic {
  (args: ActionArgs, params: unknown): void
  readonly type?: string
  readonly resolve?: Resolve
  readonly execute?: unknown
  readonly delay?: unknown
  /** For `assign`. */
  readonly assignment?: unknown
  /** For `stopChild`. */
  readonly actorRef?: unknown
  /** For `spawnChild`. */
  readonly src?: unknown
  readonly input?: unknown
  readonly id?: unknown
  readonly systemId?: unknown
  readonly syncSnapshot?: unknown
  /** For `sendTo`. */
  readonly to?: unknown
  /** For `sendTo` and `raise`. */
  readonly event?: unknown
}

/** The arguments of an action. */
export interface ActionArgs {
  readonly context: object
  readonly event: ChartEvent
  readonly self: unknown
  readonly system: unknown
}

/** Returns the snapshot after an action, its arguments for the execution, and the actions to take in its place. */
type Resolve = (
  scope: { readonly self: unknown; readonly system: unknown },
  snapshot: object,
  args: ActionArgs,
  params: unknown,
  action: ActionLogic,
  extra: object,
) => readonly [unknown, unknown, readonly ActionReference[] | undefined]

/** An actor that a state invokes. */
export interface InvokeDefinition {
  readonly id: string
  readonly src: string
  readonly systemId?: string
  readonly input?: unknown
  readonly onSnapshot?: unknown
}

/** A snapshot as the interpreter creates it: the same fields in the same order. */
export interface MachineSnapshot {
  readonly status: 'active' | 'done' | 'error' | 'stopped'
  readonly output: unknown
  readonly error: unknown
  readonly machine: Machine
  readonly context: object
  readonly _nodes: readonly StateNode[]
  readonly value: StateValue
  readonly tags: ReadonlySet<string>
  readonly children: object
  readonly historyValue: object
  readonly matches: unknown
  readonly hasTag: unknown
  readonly can: unknown
  readonly getMeta: unknown
  readonly toJSON: unknown
}

/** Returns true if `node` lies inside `ancestor`. */
export function isInside(node: StateNode, ancestor: StateNode): boolean {
  for (let at = node.parent; at !== undefined; at = at.parent) if (at === ancestor) return true
  return false
}

/** Returns the ancestors of a node from the root down, and the node itself. */
export function chainOf(node: StateNode): readonly StateNode[] {
  const chain: StateNode[] = []
  for (let at: StateNode | undefined = node; at !== undefined; at = at.parent) chain.unshift(at)
  return chain
}
