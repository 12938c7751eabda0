import type { AnyStateMachine } from 'xstate'
import { inspectedRunOf } from '../../core/domain/inspected-run.ts'

/** An inspected actor of XState or of an engine step. */
export interface InspectedActor {
  readonly sessionId: string
  readonly id?: unknown
  readonly src?: unknown
  readonly logic?: unknown
  readonly _parent?: InspectedActor | undefined
}

/** The identity of an actor in an inspection event. */
export interface ActorIdentity {
  /** The run's id, followed by the path of ids: `run_1/1.a/runTool`. The same after a restart. */
  readonly id: string
  readonly parentId: string | undefined
  readonly rootId: string
  /** The chart's id, or else the name of the actor's effect. */
  readonly name: string
}

/** The identities of actors with a known run; they do not change. */
const identities = new WeakMap<InspectedActor, ActorIdentity>()

/** Returns the identity of an actor. An actor without a run, such as one of the application, keeps its session id. */
export function identify(actor: InspectedActor, runId: string | undefined): ActorIdentity {
  const known = identities.get(actor)
  if (known !== undefined) return known
  const identity = identityOf(actor, runId)
  if (runId !== undefined) identities.set(actor, identity)
  return identity
}

function identityOf(actor: InspectedActor, runId: string | undefined): ActorIdentity {
  const { _parent: parent, src, id: own } = actor
  const named = inspectedRunOf(actor)
  const above = parent === undefined ? undefined : identify(parent, runId)
  const isRoot = named !== undefined || above === undefined
  const id = isRoot
    ? (named ?? runId ?? actor.sessionId)
    : `${above.id}/${typeof own === 'string' ? own : actor.sessionId}`
  const name = machineOf(actor)?.id ?? (typeof src === 'string' ? src : typeof own === 'string' ? own : id)
  return { id, parentId: above?.id, rootId: above?.rootId ?? id, name }
}

/** Returns the machine of an actor, or undefined for an actor that performs an effect. */
export function machineOf({ logic }: InspectedActor): AnyStateMachine | undefined {
  return isMachine(logic) ? logic : undefined
}

function isMachine(logic: unknown): logic is AnyStateMachine {
  return typeof logic === 'object' && logic !== null && 'config' in logic && 'root' in logic
}
