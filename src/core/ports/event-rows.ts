import type { EventsEntry } from '../domain/kept-events.ts'
import type { LogEntry } from '../domain/log.ts'

/** How a store gives back the events that a log keeps. */
export interface EventRows {
  /**
   * The events that the log keeps, in order, from the commit that holds the event after `after` on. It gives the events
   * of whole commits, at most `limit` events. `from` is the place of a log entry; no wanted event is before it, so the
   * store need not look there.
   */
  events(runId: string, after: number, limit: number, from?: number): Promise<readonly EventsEntry[]>
  /**
   * These entries of the log that `read` gives, as they stand now and in order of `seq`. What is not there is left out.
   */
  entries(runId: string, seqs: readonly number[]): Promise<readonly LogEntry[]>
}
