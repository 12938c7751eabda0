import type { Json } from './text/json.ts'

/** The events of one commit as the log keeps them. */
export interface KeptEvents {
  /** Unix milliseconds of the commit. */
  readonly at: number
  /** At least one; messages, calls and documents are told by their place in the log. */
  readonly events: readonly Json[]
  /** Suspensions that the commit has written over; earlier events name them by their ids. */
  readonly replaced?: readonly Json[]
}

/** The events of a commit, numbered and in their place. */
export interface EventsEntry {
  readonly kind: 'events'
  readonly seq: number
  /** Number of the last of these events. The events of a run count from 1, without a gap. */
  readonly last: number
  readonly kept: KeptEvents
}
