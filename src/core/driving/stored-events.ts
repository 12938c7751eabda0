import type { StoredEvent } from '../domain/event.ts'
import { freezeDeep } from '../domain/text/json.ts'
import type { EventsEntry } from '../domain/kept-events.ts'
import type { LogEntry } from '../domain/log.ts'
import type { Suspension } from '../domain/suspension.ts'
import type { EventRows } from '../ports/event-rows.ts'
import { decodeEvent, type References, referencesOf } from '../runtime/event-references.ts'

/** Commits whose events are read at once; what these tell of is read commit by commit. */
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

/** The next commits that have stored events; none where there are none yet. */
export function readCommits(
  store: EventRows,
  runId: string,
  { after, from }: EventCursor,
): Promise<readonly EventsEntry[]> {
  return store.events(runId, after, pageSize, from)
}

/**
 * The events of the first of these commits, frozen. Those of a run may come to many times what one commit holds, and there
 * may be many readers: each has no more of the log at a time than this, which those who read it together share.
 */
export async function decodeCommit(
  store: EventRows,
  { runId, subject }: EventsOfRun,
  commits: readonly EventsEntry[],
): Promise<readonly StoredEvent[]> {
  const [commit] = commits
  if (commit === undefined) return []
  const { at, events } = commit.kept
  const first = commit.last - events.length + 1
  const references = referencesOf(events)
  const log = await entriesAt(store, runId, references)
  const suspensions = await replacedSuspensions(store, runId, { references, log, commits })
  const context = {
    runId,
    subject,
    entry: (place: number) => log.get(place),
    suspension: (id: string) => suspensions.get(id),
  }
  return events.map((event, index) => freezeDeep(decodeEvent(event, { at, seq: first + index }, context)))
}

type Entries = ReadonlyMap<number, LogEntry>

async function entriesAt(store: EventRows, runId: string, { places }: References): Promise<Entries> {
  const entries = places.length === 0 ? [] : await store.entries(runId, places)
  return new Map(entries.map((entry) => [entry.seq, entry]))
}

interface ReplacedSearch {
  readonly references: References
  readonly log: Entries
  /** Those that are at hand: the first is the one whose events are read. */
  readonly commits: readonly EventsEntry[]
}

/** Suspensions told here that their calls have left for another: the commit that wrote one over has kept it. */
async function replacedSuspensions(
  store: EventRows,
  runId: string,
  { references, log, commits }: ReplacedSearch,
): Promise<ReadonlyMap<string, Suspension>> {
  const found = new Map<string, Suspension>()
  const missing = new Set(
    references.calls.flatMap(({ place, suspensionId }) => {
      const entry = log.get(place)
      return entry?.kind === 'call' && entry.call.suspension?.id !== suspensionId ? suspensionId : []
    }),
  )
  for (let some = commits; missing.size > 0;) {
    for (const item of some.flatMap(({ kept }) => kept.replaced ?? [])) {
      const suspension = item as unknown as Suspension
      if (missing.delete(suspension.id)) found.set(suspension.id, suspension)
    }
    const last = some.at(-1)
    if (last === undefined) return found
    some = missing.size === 0 ? [] : await readCommits(store, runId, { after: last.last, from: last.seq })
  }
  return found
}
