import { createActor } from 'xstate'
import type {
  ActionArgs,
  ActionLogic,
  ActorScope,
  ChartEvent,
  ChildActor,
  Machine,
  MachineSnapshot,
} from './chart-parts.ts'
import type { ActionGroup, BoundAction, ChartTables } from './chart-tables.ts'

/** How a machine stands in the middle of a step. */
export interface Standing {
  context: object
  children: { [id: string]: ChildActor | undefined }
  /** Set by whatever makes the interpreter take another snapshot. */
  isChanged: boolean
}

/** One step on its way: who takes it, for which event, and where events it raises go. */
export interface StepScope {
  readonly tables: ChartTables
  readonly actor: ActorScope
  readonly event: ChartEvent
  readonly internalQueue: ChartEvent[]
  /** True where the snapshot the step is taken from is given up with it. */
  readonly isGivenUp: boolean
  /** The snapshot the interpreter's own actions would be shown. */
  snapshotOf(standing: Standing): MachineSnapshot
}

type Retry = readonly [ActionLogic, unknown]

/** Takes the actions of a group in order, as the interpreter does. */
export function resolveGroup(group: ActionGroup, standing: Standing, scope: StepScope): void {
  const { deferredActorIds, actions } = group
  const retries: Retry[] | undefined = deferredActorIds === undefined ? undefined : []
  resolveAll(actions, standing, scope, deferredActorIds, retries)
  if (retries === undefined || retries.length === 0) return
  const snapshot = scope.snapshotOf(standing)
  for (const [logic, params] of retries) logic.retryResolve?.(scope.actor, snapshot, params)
}

function resolveAll(
  actions: readonly BoundAction[],
  standing: Standing,
  scope: StepScope,
  deferredActorIds: readonly string[] | undefined,
  retries: Retry[] | undefined,
): void {
  const { actor, event } = scope
  for (const { type, logic, params: given } of actions) {
    const args = { context: standing.context, event, self: actor.self, system: actor.system }
    const params = typeof given === 'function' ? given({ context: standing.context, event }) : given
    if (logic?.resolve === undefined) {
      actor.actionExecutor({ type, info: args, params, exec: logic })
      continue
    }
    const inTables = resolvers[logic.type ?? '']
    if (inTables !== undefined) {
      inTables({ logic: logic as never, args, params, standing, scope })
      continue
    }
    const snapshot = scope.snapshotOf(standing)
    const extra = { internalQueue: scope.internalQueue, deferredActorIds }
    const [, resolved, more] = logic.resolve(actor, snapshot, args, params, logic, extra)
    if (logic.retryResolve !== undefined) retries?.push([logic, resolved])
    execute(logic, args, resolved, scope)
    if (more === undefined) continue
    const bound = more.map((action) => scope.tables.bind(action))
    resolveAll(bound, standing, scope, deferredActorIds, retries)
  }
}

/** The interpreter's own actions that would make it work the state value out anew; the rest it resolves itself. */
const resolvers: { readonly [type: string]: ((parts: Resolving) => void) | undefined } = {
  'xstate.assign': resolveAssign,
  'xstate.spawnChild': resolveSpawnChild,
  'xstate.stopChild': resolveStopChild,
}

interface Resolving {
  readonly logic: ActionLogic & {
    readonly assignment?: unknown
    readonly actorRef?: unknown
    readonly id?: unknown
    readonly src: unknown
    readonly systemId?: string
    readonly input?: unknown
    readonly syncSnapshot?: boolean
  }
  readonly args: ActionArgs
  readonly params: unknown
  readonly standing: Standing
  readonly scope: StepScope
}

function resolveAssign({ logic: { assignment }, args, params, standing, scope }: Resolving): void {
  const spawned: { [id: string]: ChildActor } = {}
  let hasSpawned = false
  const spawn = (src: unknown, options: SpawnOptions = {}) => {
    const child = spawnFrom(src, options, args, scope)
    spawned[child.id] = child
    hasSpawned = true
    scope.actor.defer(() => startChild(child))
    return child
  }
  const assignArgs = { context: args.context, event: args.event, spawn, self: args.self, system: args.system }
  standing.context = { ...standing.context, ...updateOf(assignment, assignArgs, params) }
  if (hasSpawned) Object.assign(ownChildren(standing, scope), spawned)
  standing.isChanged = true
}

function updateOf(assignment: unknown, args: object, params: unknown): object {
  if (typeof assignment === 'function') return assignment(args, params) as object
  const entries = Object.entries(assignment as object)
  return Object.fromEntries(
    entries.map(([key, value]) => [key, typeof value === 'function' ? (value(args, params) as unknown) : value]),
  )
}

interface SpawnOptions {
  readonly id?: string
  readonly systemId?: string
  readonly input?: unknown
  readonly syncSnapshot?: boolean
}

function spawnFrom(src: unknown, options: SpawnOptions, args: ActionArgs, scope: StepScope): ChildActor {
  const { id, systemId, syncSnapshot, input } = options
  const { machine } = scope.tables
  const logic = typeof src === 'string' ? actorNamed(machine, src) : src
  if (logic === undefined) throw new Error(`The machine '${machine.id}' has no actor named '${String(src)}'.`)
  const { context, event, self } = args
  const resolved = typeof src === 'string' && typeof input === 'function' ? input({ context, event, self }) : input
  return makeActor(logic, { id, parent: self, syncSnapshot, input: resolved, src, systemId })
}

function resolveSpawnChild({ logic, args, standing, scope }: Resolving): void {
  const { src, id, systemId, input, syncSnapshot } = logic
  const { context, event, self } = args
  const found = typeof src === 'string' ? actorNamed(scope.tables.machine, src) : src
  const childId = (typeof id === 'function' ? id(args) : id) as string
  const isFound = found !== undefined
  const resolved =
    isFound && typeof input === 'function' ? input({ context, event, self }) : isFound ? input : undefined
  const actorRef = isFound
    ? makeActor(found, { id: childId, src, parent: self, syncSnapshot, systemId, input: resolved })
    : undefined
  ownChildren(standing, scope)[childId] = actorRef
  standing.isChanged = true
  execute(logic, args, { id, systemId, actorRef, src, input: resolved }, scope)
}

function resolveStopChild({ logic, args, params, standing, scope }: Resolving): void {
  const { actorRef } = logic
  const wanted = (typeof actorRef === 'function' ? actorRef(args, params) : actorRef) as string | ChildActor | undefined
  const child = typeof wanted === 'string' ? standing.children[wanted] : wanted
  if (child !== undefined) delete ownChildren(standing, scope)[child.id]
  standing.isChanged = true
  execute(logic, args, child, scope)
}

/**
 * The children as a step may change them. A live actor gives up the snapshot it stands at, so that its children are
 * changed in place: a copy for each call that comes or goes grows with the calls beside it. Those of any other snapshot are
 * copied.
 */
function ownChildren(standing: Standing, { actor, isGivenUp }: StepScope): { [id: string]: ChildActor | undefined } {
  const isOwn = isGivenUp && standing.children === actor.self._snapshot?.children
  if (!isOwn) standing.children = { ...standing.children }
  return standing.children
}

function execute(logic: ActionLogic, args: ActionArgs, params: unknown, { actor }: StepScope): void {
  if (logic.execute === undefined) return
  const exec = logic.execute.bind(null, actor, params)
  actor.actionExecutor({ type: logic.type ?? '', info: args, params, exec })
}

function actorNamed({ implementations }: Machine, src: string): unknown {
  return implementations.actors[src]
}

function makeActor(logic: unknown, options: object): ChildActor {
  return createActor(logic as never, options as never) as unknown as ChildActor
}

/** As the interpreter numbers them: 0 not started, 1 running, 2 stopped. */
const stopped = 2

function startChild(child: ChildActor): void {
  if (child._processingStatus !== stopped) child.start()
}
