import type { ActorLogic, AnyActorRef, EventObject, Snapshot } from 'xstate'
import type { Write } from '../domain/log.ts'
import type { CheckpointName } from '../domain/outcome.ts'

/** Any live actor of the interpreter. */
export type LiveActor = AnyActorRef

/** One effect a chart wants performed, as it stands in the outbox. */
export interface Effect {
  readonly key: string
  /** The name the chart gives its actor. */
  readonly src: string
  readonly input: unknown
  readonly isRestored: boolean
  readonly actor: AnyActorRef
}

/** What a chart tells whoever watches; sent on after the commit. */
export interface Announcement {
  readonly type: string
  /** The turn it speaks of. */
  readonly turn?: number
}

/**
 * Where the actors and named actions of one run's charts put what they want of the outside: effects to perform,
 * writes, checkpoint names and announcements.
 */
export interface Outbox {
  /** A fresh key; given a restored one, that key, or a fresh one where it belongs to another run. */
  keyFor(restored: string | undefined): string
  add(effect: Effect): void
  /** The actor of a call has started, new or restored. */
  started(call: LiveActor): void
  /** The chart wants the effect no longer. */
  withdraw(key: string): void
  record(writes: readonly Write[]): void
  checkpoint(name: CheckpointName): void
  announce(announcement: Announcement): void
}

/** Who asks for something: an actor, and the actor system it acts in. */
export interface Asking {
  readonly self: LiveActor
  readonly system: object
}

/** Finds the outbox of the run an actor belongs to. */
export type OutboxOf = (asking: Asking) => Outbox

type EffectSnapshot = Snapshot<unknown> & { readonly key: string; readonly input: unknown }

/** Without a key it was never launched, and is asked for as a new one. */
type StoredEffect = Snapshot<unknown> & Partial<Pick<EffectSnapshot, 'key'>> & Pick<EffectSnapshot, 'input'>

interface Completed extends EventObject {
  readonly type: 'effect.completed'
  readonly output: unknown
}

/** An actor that does nothing but stand in the outbox until its effect has been performed. */
export type EffectLogic = ActorLogic<Snapshot<unknown>, EventObject, unknown>

/** Makes the inert logic the runtime puts in the place of an actor `src` of a chart. */
export function effectLogic(src: string, outboxOf: OutboxOf): EffectLogic {
  const restored = new WeakSet<EffectSnapshot>()
  const logic: ActorLogic<EffectSnapshot, EventObject, unknown> = {
    getInitialSnapshot: (scope, input) => activeSnapshot(outboxOf(scope).keyFor(undefined), input),
    transition: (snapshot, event, scope) => {
      const { key, input } = snapshot
      if (event.type === 'xstate.stop') {
        outboxOf(scope).withdraw(key)
        return { status: 'stopped', output: undefined, error: undefined, key, input }
      }
      if (!isCompleted(event)) return snapshot
      return { status: 'done', output: event.output, error: undefined, key, input: undefined }
    },
    start: (snapshot, scope) => {
      const { key, input } = snapshot
      outboxOf(scope).add({ key, src, input, isRestored: restored.has(snapshot), actor: scope.self })
    },
    getPersistedSnapshot: (snapshot) => snapshot,
    restoreSnapshot: (persisted, scope) => {
      const { key, input } = persisted as StoredEffect
      const snapshot = activeSnapshot(outboxOf(scope).keyFor(key), input)
      if (key !== undefined) restored.add(snapshot)
      return snapshot
    },
  }
  return logic as unknown as EffectLogic
}

function activeSnapshot(key: string, input: unknown): EffectSnapshot {
  return { status: 'active', output: undefined, error: undefined, key, input }
}

function isCompleted(event: EventObject): event is Completed {
  return event.type === 'effect.completed'
}
