/** An inspection event of an actor. XState's inspection events have this shape, and each has more fields. */
export interface InspectedEvent {
  /**
   * `@xstate.actor` (an actor was created), `@xstate.event` (an event was sent to it), `@xstate.microstep`,
   * `@xstate.snapshot` (it has a new state), …
   */
  readonly type: string
  /** The session id of the run's root actor; a run that is driven again has another one. */
  readonly rootId: string
  /** The run of the actor, if an agent drives it. */
  readonly runId?: string
  /** The actor of the event. */
  readonly actorRef: { readonly sessionId: string }
  /** The event that was sent or that caused the step; absent for a created actor. */
  readonly event?: { readonly type: string }
  /** The actor's state after the event, if the event has one. */
  readonly snapshot?: unknown
}

/** An observer of actors. Its errors are ignored. */
export interface InspectObserver {
  next?(event: InspectedEvent): void
  error?(error: unknown): void
  complete?(): void
}

/**
 * An observer of every actor of a run, or only its `next` function. Every value that XState accepts as `inspect` fits:
 * inspectors, and functions and observers of its `InspectionEvent`.
 */
export type Inspect = InspectObserver | NonNullable<InspectObserver['next']>
