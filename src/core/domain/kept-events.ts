import type { Json } from './text/json.ts'

/** The events of one commit as stored in the log. */
export interface KeptEvents {
  /** Unix milliseconds of the commit. */
  readonly at: number
  /** At least one event; messages, calls and documents are replaced by their places in the log. */
  readonly events: readonly Json[]
  /** Suspensions that the commit has overwritten; earlier events refer to them by id. */
  readonly replaced?: readonly Json[]
}

/** The numbered events of a commit as a log entry. */
export interface EventsEntry {
  readonly kind: 'events'
  readonly seq: number
  /** The number of the last of these events. The events of a run are numbered from 1 without gaps. */
  readonly last: number
  readonly kept: KeptEvents
}
