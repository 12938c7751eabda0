/** What an inspected actor did; the inspection events of XState are these, each with more to it. */
export interface InspectedEvent {
  /** `@xstate.actor` (made), `@xstate.event` (sent one), `@xstate.microstep`, `@xstate.snapshot` (has a new state), … */
  readonly type: string
  /** Session id of the run's own actor; a run that is driven again has another. */
  readonly rootId: string
  /** The actor it is about. */
  readonly actorRef: { readonly sessionId: string }
  /** The event that was sent or that led to the step; absent where an actor was made. */
  readonly event?: { readonly type: string }
  /** The state the actor is in afterwards, where the event tells one. */
  readonly snapshot?: unknown
}

/** Sees what actors do. What it throws is ignored. */
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
