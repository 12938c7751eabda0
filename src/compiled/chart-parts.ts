/** What the tables read of a machine of XState 5 and of the actor that runs it. Nothing here is ours but the names. */

/** An event of a chart; what else it carries is the chart's own. */
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
  transition(snapshot: MachineSnapshot, event: ChartEvent, scope: ActorScope): MachineSnapshot
  getInitialSnapshot(scope: ActorScope, input: unknown): MachineSnapshot
  getTransitionData(snapshot: MachineSnapshot, event: ChartEvent): readonly Transition[]
  resolveState(config: { readonly value: StateValue; readonly context: object }): MachineSnapshot
}

/** Things by name; a name may stand for nothing. */
export interface Named<T> {
  readonly [name: string]: T | undefined
}

/** The nested keys of the states a machine is in. */
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

/** One transition as the chart has it. */
export interface Transition {
  readonly source: StateNode
  readonly target: readonly StateNode[] | undefined
  readonly reenter: boolean
  readonly guard: Reference<PlainGuard> | undefined
  readonly actions: readonly ActionReference[]
}

/** Something the chart names, with or without parameters, or has in place. */
export type Reference<T> = string | { readonly type: string; readonly params?: unknown } | T

/** A guard that is a function of context and event. */
export type PlainGuard = (args: { readonly context: object; readonly event: ChartEvent }, params: unknown) => boolean

/** An action of a chart. */
export type ActionReference = Reference<ActionLogic>

/** What stands behind an action: a function, or one of the interpreter's own with a `resolve`. */
export interface ActionLogic {
  (args: ActionArgs, params: unknown): void
  readonly type?: string
  readonly resolve?: Resolve
  retryResolve?(scope: ActorScope, snapshot: MachineSnapshot, params: unknown): void
  execute?(scope: ActorScope, params: unknown): void
}

/** What an action is told. */
export interface ActionArgs {
  readonly context: object
  readonly event: ChartEvent
  readonly self: unknown
  readonly system: unknown
}

type Resolve = (
  scope: ActorScope,
  snapshot: MachineSnapshot,
  args: ActionArgs,
  params: unknown,
  action: ActionLogic,
  extra: ResolveExtra,
) => [MachineSnapshot, unknown, readonly ActionReference[] | undefined]

/** What the interpreter's own actions may put something into. */
export interface ResolveExtra {
  readonly internalQueue: ChartEvent[]
  readonly deferredActorIds: readonly string[] | undefined
}

/** An actor a state invokes. */
export interface InvokeDefinition {
  readonly id: string
  readonly src: string
  readonly systemId?: string
  readonly input?: unknown
  readonly onSnapshot?: unknown
}

/** What an actor gives the logic it runs. */
export interface ActorScope {
  /** The actor; without a snapshot until its first one is made. */
  readonly self: { readonly _snapshot?: Pick<MachineSnapshot, 'children'> }
  readonly system: { _sendInspectionEvent(event: object): void }
  defer(act: () => void): void
  actionExecutor(action: ExecutableAction): void
}

/** An action on its way to be executed. */
export interface ExecutableAction {
  readonly type: string
  readonly info: ActionArgs
  readonly params: unknown
  readonly exec: ((args: ActionArgs, params: unknown) => void) | undefined
}

/** Children of an actor by id. */
export interface Children {
  readonly [id: string]: ChildActor | undefined
}

/** A child an actor has. */
export interface ChildActor {
  readonly id: string
  readonly _processingStatus: number
  start(): void
}

/** A snapshot as the interpreter makes it: the same fields in the same order. */
export interface MachineSnapshot {
  readonly status: 'active' | 'done' | 'error' | 'stopped'
  readonly output: unknown
  readonly error: unknown
  readonly machine: Machine
  readonly context: object
  readonly _nodes: readonly StateNode[]
  readonly value: StateValue
  readonly tags: ReadonlySet<string>
  readonly children: Children
  readonly historyValue: object
  readonly matches: unknown
  readonly hasTag: unknown
  readonly can: unknown
  readonly getMeta: unknown
  readonly toJSON: unknown
}

/** True where `node` lies inside `ancestor`. */
export function isInside(node: StateNode, ancestor: StateNode): boolean {
  for (let at = node.parent; at !== undefined; at = at.parent) if (at === ancestor) return true
  return false
}

/** A node and what it lies in, from the root down. */
export function chainOf(node: StateNode): readonly StateNode[] {
  const chain: StateNode[] = []
  for (let at: StateNode | undefined = node; at !== undefined; at = at.parent) chain.unshift(at)
  return chain
}
