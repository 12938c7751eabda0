import type { ActionGroup, BoundAction } from './chart-tables.ts'
import type { ChildState } from './actor-state.ts'
import {
  type ActionArgs,
  type ActionLogic,
  type ChartEvent,
  type StateValue,
  xstateActions,
  xstateEvents,
} from './xstate-parts.ts'
import type { AssembledChart } from './assembled-chart.ts'
import type { Actor } from './actor.ts'

/** The state of a machine in the middle of a step. */
export interface Standing {
  context: object
  /** The actor's own record, which is changed in place. */
  readonly children: ChildrenRecord
  /** Set when the interpreter has to take another snapshot. */
  isChanged: boolean
}

/** A record of children that a step may change. */
export interface ChildrenRecord {
  [id: string]: ChildState
}

/** One step in progress: its actor, its event, and the target of raised events. */
export interface StepScope {
  readonly chart: AssembledChart
  readonly actor: Actor
  readonly event: ChartEvent
  readonly internalQueue: ChartEvent[]
  /** The state the step is taken from. */
  readonly value: StateValue
}

/** A send whose target is created by the same group of actions. */
interface Unresolved {
  to: Actor | string | undefined
}

interface Resolving {
  readonly logic: ActionLogic
  readonly args: ActionArgs
  readonly params: unknown
  readonly standing: Standing
  readonly scope: StepScope
  readonly deferredActorIds: readonly string[] | undefined
  readonly unresolved: Unresolved[]
}

/** Performs the actions of a group in order, as the interpreter does. */
export function resolveGroup(group: ActionGroup, standing: Standing, scope: StepScope): void {
  const { deferredActorIds, actions } = group
  const unresolved: Unresolved[] = []
  resolveAll(actions, standing, scope, deferredActorIds, unresolved)
  for (const send of unresolved) {
    if (typeof send.to === 'string') send.to = scope.actor.child(standing.children, send.to)
  }
}

function resolveAll(
  actions: readonly BoundAction[],
  standing: Standing,
  scope: StepScope,
  deferredActorIds: readonly string[] | undefined,
  unresolved: Unresolved[],
): void {
  const { actor, event } = scope
  for (const { type, logic, params: given } of actions) {
    const args = { context: standing.context, event, self: actor, system: actor.system.shown }
    const params = typeof given === 'function' ? given({ context: standing.context, event }) : given
    if (logic?.resolve === undefined) {
      actor.act(type, params, logic === undefined ? undefined : () => logic(args, params))
      continue
    }
    const resolve = resolvers[logic.type ?? '']
    if (resolve === undefined) throw new Error(`A step does not support the action "${logic.type}".`)
    resolve({ logic, args, params, standing, scope, deferredActorIds, unresolved })
  }
}

/** The supported actions of the interpreter. A chart with others is stepped by XState. */
const resolvers: { readonly [type: string]: ((parts: Resolving) => void) | undefined } = {
  [xstateActions.assign]: resolveAssign,
  [xstateActions.enqueueActions]: resolveEnqueued,
  [xstateActions.raise]: resolveRaise,
  [xstateActions.sendTo]: resolveSendTo,
  [xstateActions.spawnChild]: resolveSpawnChild,
  [xstateActions.stopChild]: resolveStopChild,
}

function resolveAssign({ logic: { assignment }, args, params, standing, scope }: Resolving): void {
  const { actor, chart } = scope
  const spawned: [string, ChildState][] = []
  const spawn = (src: string, { id = '', input }: SpawnOptions = {}) => {
    if (chart.actor(src) === undefined)
      throw new Error(`Actor logic '${src}' not implemented in machine '${chart.machine.id}'`)
    const { context, event, self } = args
    const child = actor.spawn(src, id, typeof input === 'function' ? input({ context, event, self }) : input)
    spawned.push([id, child.cell])
    actor.defer(() => child.startUnlessStopped())
    return child
  }
  const assignArgs = { context: args.context, event: args.event, spawn, self: args.self, system: args.system }
  standing.context = { ...standing.context, ...updateOf(assignment, assignArgs, params) }
  for (const [id, cell] of spawned) standing.children[id] = cell
  standing.isChanged = true
}

interface SpawnOptions {
  readonly id?: string
  readonly input?: unknown
}

function updateOf(assignment: unknown, args: object, params: unknown): object {
  if (typeof assignment === 'function') return assignment(args, params) as object
  const entries = Object.entries(assignment as object)
  return Object.fromEntries(
    entries.map(([key, value]) => [key, typeof value === 'function' ? (value(args, params) as unknown) : value]),
  )
}

function resolveEnqueued({ logic, args, params, standing, scope, deferredActorIds, unresolved }: Resolving): void {
  const { chart, value } = scope
  const { context } = standing
  const snapshot = { machine: chart.machine, context, value }
  const [, , more = []] = logic.resolve?.(args, snapshot, args, params, logic, {}) ?? []
  const bound = more.map((action) => chart.tables.bind(action))
  resolveAll(bound, standing, scope, deferredActorIds, unresolved)
}

function resolveRaise({ logic: { type = '', event, id }, args, params, scope }: Resolving): void {
  const raised = eventOf('raise', event, args, params)
  scope.internalQueue.push(raised)
  scope.actor.act(type, { event: raised, id, delay: undefined }, undefined)
}

/** Throws for an event that is only a name, as the interpreter does. */
function eventOf(action: string, event: unknown, args: ActionArgs, params: unknown): ChartEvent {
  if (typeof event === 'string') throw new Error(`Only event objects may be used with ${action}, not "${event}".`)
  return (typeof event === 'function' ? event(args, params) : event) as ChartEvent
}

function resolveSendTo({ logic, args, params, standing, scope, deferredActorIds = [], unresolved }: Resolving): void {
  const { actor, chart } = scope
  const event = eventOf('sendTo', logic.event, args, params)
  const wanted: unknown = typeof logic.to === 'function' ? logic.to(args, params) : logic.to
  const targetId = typeof wanted === 'string' ? wanted : undefined
  const found = targetId === undefined ? (wanted ?? actor) : targetOf(targetId, standing, actor, deferredActorIds)
  if (found === undefined) {
    throw new Error(`Unable to send event to actor '${String(targetId)}' from machine '${chart.machine.id}'.`)
  }
  const send = { to: found as Actor | string, targetId, event, id: logic.id, delay: undefined }
  if (typeof found === 'string') unresolved.push(send)
  actor.act(logic.type ?? '', send, () =>
    actor.defer(() => {
      if (typeof send.to === 'object') actor.relay(send.to, withSender(event, actor.id))
    }),
  )
}

/** Returns the target of a send, or its name if the same group of actions creates the actor. */
function targetOf(
  id: string,
  { children }: Standing,
  actor: Actor,
  deferredActorIds: readonly string[],
): Actor | string | undefined {
  if (id === '#_parent') return actor._parent
  if (id === '#_internal') return actor
  if (id.startsWith('#_')) return actor.child(children, id.slice(2))
  return deferredActorIds.includes(id) ? id : actor.child(children, id)
}

function withSender(event: ChartEvent, actorId: string): ChartEvent {
  if (event.type !== xstateEvents.error) return event
  return { type: `${xstateEvents.errorActor}${actorId}`, error: event['data'], actorId }
}

function resolveSpawnChild({ logic, args, standing, scope }: Resolving): void {
  const { id, input, systemId } = logic
  const src = String(logic.src)
  const { actor, chart } = scope
  const { context, event, self } = args
  const childId = String(typeof id === 'function' ? id(args) : id)
  const isFound = chart.actor(src) !== undefined
  const resolved: unknown = isFound && typeof input === 'function' ? input({ context, event, self }) : input
  const actorRef = isFound ? actor.spawn(src, childId, resolved) : undefined
  if (actorRef !== undefined) standing.children[childId] = actorRef.cell
  standing.isChanged = true
  const params = { id, systemId, actorRef, src, input: isFound ? resolved : undefined }
  actor.act(logic.type ?? '', params, () => {
    if (actorRef !== undefined) actor.defer(() => actorRef.startUnlessStopped())
  })
}

function resolveStopChild({ logic, args, params, standing, scope }: Resolving): void {
  const { actor } = scope
  const { actorRef } = logic
  const wanted: unknown = typeof actorRef === 'function' ? actorRef(args, params) : actorRef
  const child = typeof wanted === 'string' ? actor.child(standing.children, wanted) : (wanted as Actor | undefined)
  if (child !== undefined) {
    delete standing.children[child.id]
    actor.forget(child)
  }
  standing.isChanged = true
  actor.act(logic.type ?? '', child, () => {
    if (child !== undefined) actor.stopChild(child)
  })
}
