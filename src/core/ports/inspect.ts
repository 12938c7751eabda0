/** What an inspected actor did. XState's inspection events have this shape, and each has more fields. */
export interface InspectedEvent {
  /**
   * `@xstate.actor` (an actor was made), `@xstate.event` (it was sent an event), `@xstate.microstep`,
   * `@xstate.snapshot` (it has a new state), …
   */
  readonly type: string
  /** Session id of the run's own actor; a run that is driven again has another. */
  readonly rootId: string
  /** The run the actor belongs to, where an agent drives it. */
  readonly runId?: string
  /** The actor that the event is about. */
  readonly actorRef: { readonly sessionId: string }
  /** The event that was sent or that led to the step; absent where an actor was made. */
  readonly event?: { readonly type: string }
  /** The actor's state afterwards, where the event tells one. */
  readonly snapshot?: unknown
}

/** Sees what actors do. Errors that it throws are ignored. */
export interface InspectObserver {
  next?(event: InspectedEvent): void
  error?(error: unknown): void
  complete?(): void
}

/**
 * An observer of every actor of a run, or its `next` alone. Whatever XState takes as `inspect` fits: inspectors, and
 * functions and observers of its `InspectionEvent`.
 */
export type Inspect = InspectObserver | NonNullable<InspectObserver['next']>
