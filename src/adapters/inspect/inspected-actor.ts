import type { AnyStateMachine } from 'xstate'
import { inspectedRunOf } from '../../core/domain/inspected-run.ts'

/** What an inspected actor has, of XState's own or of a step's. */
export interface InspectedActor {
  readonly sessionId: string
  readonly id?: unknown
  readonly src?: unknown
  readonly logic?: unknown
  readonly _parent?: InspectedActor | undefined
}

/** What an event tells of its actor. */
export interface ActorIdentity {
  /** The run's id, and below it the path of ids: `run_1/1.a/runTool`. The same after a restart. */
  readonly id: string
  readonly parentId: string | undefined
  readonly rootId: string
  /** The chart's id, else the name of what the actor performs. */
  readonly name: string
}

/** Whose run is known: it stays who it is. */
const identities = new WeakMap<InspectedActor, ActorIdentity>()

/** Who an actor is. An actor that belongs to no run, such as one of the application, keeps its session id. */
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

/** The machine an actor runs; undefined for one that performs something. */
export function machineOf({ logic }: InspectedActor): AnyStateMachine | undefined {
  return isMachine(logic) ? logic : undefined
}

function isMachine(logic: unknown): logic is AnyStateMachine {
  return typeof logic === 'object' && logic !== null && 'config' in logic && 'root' in logic
}
