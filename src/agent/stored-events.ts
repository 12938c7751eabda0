import type { StoredEvent } from '../domain/event.ts'
import { isRecord, type Json } from '../domain/json.ts'
import type { LogEntry } from '../domain/log.ts'
import type { Suspension } from '../domain/suspension.ts'
import { UsageError } from '../domain/usage-error.ts'
import type { Store } from '../ports/store.ts'
import { decodeEvent, type References, referencesOf } from '../runtime/event-references.ts'
import type { AgentOptions } from './options.ts'

/** Whether the run that was stored with this input stores its events. */
export function storesEvents(input: Json): boolean {
  return isRecord(input) && input['events'] === 'stored'
}

/** A store with what is needed to read events back. */
export interface EventStore extends Store {
  readonly events: NonNullable<Store['events']>
  readonly entries: NonNullable<Store['entries']>
}

/** True for a store that keeps events. */
export function keepsEvents(store: Store): store is EventStore {
  return store.events !== undefined && store.entries !== undefined
}

/** The store of an agent; refused where it cannot keep what the agent is to store. */
export function checkedStore(store: Store, { events }: Pick<AgentOptions, 'events'>): Store {
  if (events !== 'stored' || keepsEvents(store)) return store
  const wish = 'Leave the option out, or use a store with the methods events and entries, such as sqliteStore(path).'
  throw new UsageError('bad_option', `Option events is "stored", and the store keeps no events. ${wish}`)
}

/** Commits whose events are read at once. */
const pageSize = 50

/** How far events have been read. */
export interface EventCursor {
  /** Number of the last one. */
  readonly after: number
  /** Place in the log of what holds it; 0 where that is not known. */
  readonly from: number
}

/** Whose events are read. */
export interface EventsOfRun {
  readonly runId: string
  readonly subject: string
}

/** Stored events, and how far they reach. */
export interface EventPage extends EventCursor {
  readonly events: readonly StoredEvent[]
}

/** The next stored events, those of some commits; none where there are none yet. */
export async function readEvents(
  store: EventStore,
  { runId, subject }: EventsOfRun,
  cursor: EventCursor,
): Promise<EventPage> {
  const { after } = cursor
  const entries = await store.events(runId, after, pageSize, cursor.from)
  const last = entries.at(-1)
  if (last === undefined) return { events: [], ...cursor }
  const references = referencesOf(entries.flatMap(({ kept }) => kept.events))
  const log = await entriesAt(store, runId, references)
  const suspensions = await replacedSuspensions(store, runId, { references, log, cursor })
  const context = {
    runId,
    subject,
    entry: (place: number) => log.get(place),
    suspension: (id: string) => suspensions.get(id),
  }
  const all = entries.flatMap(({ kept: { at, events }, last: lastSeq }) =>
    events.map((event, index) => ({ event, at, seq: lastSeq - events.length + 1 + index })),
  )
  const events = all
    .filter(({ seq }) => seq > after)
    .map(({ event, at, seq }) => decodeEvent(event, { at, seq }, context))
  return { events, after: last.last, from: last.seq }
}

type Entries = ReadonlyMap<number, LogEntry>

async function entriesAt(store: EventStore, runId: string, { places }: References): Promise<Entries> {
  const entries = places.length === 0 ? [] : await store.entries(runId, places)
  return new Map(entries.map((entry) => [entry.seq, entry]))
}

interface ReplacedSearch {
  readonly references: References
  readonly log: Entries
  readonly cursor: EventCursor
}

/** Suspensions told here that their calls have left for another: the commit that wrote one over has kept it. */
async function replacedSuspensions(
  store: EventStore,
  runId: string,
  { references, log, cursor }: ReplacedSearch,
): Promise<ReadonlyMap<string, Suspension>> {
  const found = new Map<string, Suspension>()
  const missing = new Set(
    references.calls.flatMap(({ place, suspensionId }) => {
      const entry = log.get(place)
      return entry?.kind === 'call' && entry.call.suspension?.id !== suspensionId ? suspensionId : []
    }),
  )
  for (let { after, from } = cursor; missing.size > 0;) {
    const entries = await store.events(runId, after, pageSize, from)
    for (const item of entries.flatMap(({ kept }) => kept.replaced ?? [])) {
      const suspension = item as unknown as Suspension
      if (missing.delete(suspension.id)) found.set(suspension.id, suspension)
    }
    const last = entries.at(-1)
    if (last === undefined) return found
    after = last.last
    from = last.seq
  }
  return found
}
