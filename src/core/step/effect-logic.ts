import type { ActorLogic, AnyActorRef, EventObject, Snapshot } from 'xstate'
import type { Write } from '../domain/log.ts'
import type { CheckpointName } from '../domain/outcome.ts'
import { effectMark } from './assembled-chart.ts'
import type { WantedEffect } from './step-system.ts'

/** Any live actor of the interpreter. */
export type LiveActor = AnyActorRef

/** One effect that a live actor requests. */
export interface Effect extends WantedEffect {
  readonly actor: AnyActorRef
}

/** An announcement of a chart; emitted after the commit. */
export interface Announcement {
  readonly type: string
  /** The turn it speaks of. */
  readonly turn?: number
}

/** The receiver of the charts' own actions: writes, checkpoint names and announcements, in order. */
export interface Told {
  record(writes: readonly Write[]): void
  checkpoint(name: CheckpointName): void
  announce(announcement: Announcement): void
}

/** The receiver of everything that the live actors of one run request. */
export interface Outbox extends Told {
  /** A fresh key; given a restored one, that key, or a fresh one if it belongs to another run. */
  keyFor(restored: string | undefined): string
  add(effect: Effect): void
  /** The actor of a call has started, new or restored. */
  started(call: LiveActor): void
  /** The chart wants the effect no longer. */
  withdraw(key: string): void
}

/** The actor that requests something, and its actor system. */
export interface Asking {
  readonly self: LiveActor
  readonly system: object
}

/** Finds the outbox of an actor's run. */
export type OutboxOf = (asking: Asking) => Outbox

/** Finds the receiver for the result of an action of a run. */
export type ToldOf = (asking: Asking) => Told

type EffectSnapshot = Snapshot<unknown> & { readonly key: string; readonly input: unknown }

/** A stored effect; without a key it was never launched and is requested as a new one. */
type StoredEffect = Snapshot<unknown> & Partial<Pick<EffectSnapshot, 'key'>> & Pick<EffectSnapshot, 'input'>

interface Completed extends EventObject {
  readonly type: 'effect.completed'
  readonly output: unknown
}

/** An actor that only represents its effect in the outbox until the effect has been performed. */
export type EffectLogic = ActorLogic<Snapshot<unknown>, EventObject, unknown>

/** Returns the inert logic that replaces an actor `src` of a chart. */
export function effectLogic(src: string, outboxOf: OutboxOf): EffectLogic {
  const restored = new WeakSet<EffectSnapshot>()
  const logic: ActorLogic<EffectSnapshot, EventObject, unknown> & { readonly [effectMark]: true } = {
    [effectMark]: true,
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
      // Effects that are done stay done.
      if (persisted.status !== 'active') return persisted as EffectSnapshot
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
