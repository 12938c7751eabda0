import type { AgentEvent } from '../domain/event.ts'
import type { RequestError } from '../domain/request-error.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'

/** Options for following a run. */
export interface FollowOptions {
  /** The number of the event after which to begin. Default 0: all events. */
  readonly after?: number
  /**
   * False omits live events, which have no number. Default true: the current answer, and other live events if a process
   * drives the run through this agent.
   */
  readonly deltas?: boolean
  /** False ends when everything that is stored has been given. Default true: ends when the run rests, too. */
  readonly wait?: boolean
  /** Ends the reading. */
  readonly signal?: AbortSignal
}

/** Options for following a run of an agent. */
export interface RunFollowOptions extends FollowOptions {
  /** True drives the run whenever no other process drives it. Default false. */
  readonly drive?: boolean
}

/** The events of a run: each stored event once, in the order of its number. Leaving the loop ends the reading. */
export interface FollowedEvents<Event = AgentEvent> extends AsyncIterableIterator<Event> {
  /**
   * Resolves when the run was found, and rejects with everything that `next` would reject with before the first event.
   * `isOver` is true if the run is done and has no event after the number.
   */
  opened(): Promise<{ readonly isOver: boolean }>
  return(): Promise<IteratorResult<Event>>
}

/** A run that `createHandlers` serves. */
export interface ServedRun {
  /** The URL of the run, such as `/api/runs/run-1`. */
  readonly url: string
  /** Sent with each request, such as a token; asked each time. */
  readonly headers?: () => HeadersInit
  /** Default: that of the platform. */
  readonly fetch?: typeof globalThis.fetch
  /** Is called when the connection was lost, before it is made again. */
  readonly lost?: (error: RequestError) => void
}

/** A run in a store. */
export interface RunInStore {
  readonly store: Store
  readonly runId: string
  /** Default: the computer's. */
  readonly clock?: Clock
}
