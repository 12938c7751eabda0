import type { AgentEventBody } from '../domain/event.ts'
import type { EventsEntry, KeptEvents } from '../domain/kept-events.ts'
import type { Suspension } from '../domain/suspension.ts'
import { encodeEvent } from './event-references.ts'
import type { RunLog } from './run-log.ts'

/** What the events of a commit are kept with. */
export interface KeepContext {
  /** Number of the first. */
  readonly first: number
  /** Unix milliseconds of the commit. */
  readonly at: number
  readonly log: RunLog
  /** Suspensions the commit writes over. */
  readonly replaced: readonly Suspension[]
}

/** The events of a commit as they are told. */
export interface NumberedEvents {
  readonly events: readonly AgentEventBody[]
  /** What the log keeps of them, in its next place; undefined where there is nothing to keep. */
  readonly entry?: EventsEntry
  /** Number the event after them gets. */
  readonly nextEvent: number
}

/** Numbers the events of a commit and gives what is stored of them. */
export function keepEvents(
  events: readonly AgentEventBody[],
  { first, at, log, replaced }: KeepContext,
): NumberedEvents {
  const nextEvent = first + events.length
  if (events.length === 0) return { events, nextEvent }
  const encoded = events.map((event) => encodeEvent(event, log))
  const rest = replaced.length === 0 ? {} : { replaced: replaced as unknown as NonNullable<KeptEvents['replaced']> }
  const kept = { at, events: encoded, ...rest }
  const entry: EventsEntry = { kind: 'events', seq: log.nextSeq, last: nextEvent - 1, kept }
  return { events: events.map((event, index) => Object.assign(event, { seq: first + index })), entry, nextEvent }
}
