import { ifReadable } from '../domain/store-error.ts'
import { carriedIn, givenIn } from '../domain/carried.ts'
import type { Json } from '../domain/text/json.ts'
import { originOf } from '../domain/run-origin.ts'
import { messagesIn, type TranscriptMessage, type TranscriptPart } from '../domain/transcript-message.ts'
import type { Store, StoredRun } from '../ports/store.ts'

/** The fields of a run that determine where its transcript begins. */
export interface Begun {
  readonly input: Json
  readonly continues?: StoredRun['continues'] | undefined
}

/** Reads the messages of a stored run with their turns, and with the runs that wrote them. */
export async function storedMessages(store: Store, runId: string): Promise<readonly TranscriptMessage[]> {
  const stored = await store.read(runId)
  return messagesIn(stored.log, await partsOf(store, runId, stored))
}

/** The part of a continued run in its transcript, and the run before it. */
interface EarlierPart {
  readonly part: TranscriptPart
  readonly before: string | undefined
}

/**
 * Yields the parts of a run's transcript by the runs that wrote them, from the last run backwards with one read each,
 * until a part begins before the place `from`. It ends early at a missing run, and at a run with copied messages, whose
 * origins are not stored.
 */
export async function partsOf(
  store: Store,
  runId: string,
  begun: Begun,
  { from = 1, read = (id: string) => partOf(store, id) }: ReadParts = {},
): Promise<readonly TranscriptPart[]> {
  const parts: TranscriptPart[] = [ownPart(begun.input)]
  let last = parts[0]?.after ?? 0
  let before = begun.continues === undefined ? undefined : continuedRun(runId, begun.input)
  while (before !== undefined && last >= from) {
    const found = await read(before)
    if (found === undefined) break
    last = Math.min(last, found.part.after)
    parts.unshift({ ...found.part, after: last })
    before = found.before
  }
  return parts
}

interface ReadParts {
  readonly from?: number
  readonly read?: (runId: string) => Promise<EarlierPart | undefined>
}

/**
 * Returns the parts of a run's transcript for the result of the run. A process reads each earlier run once, so that a
 * prompt costs the same in a long conversation as in a short one.
 */
export function partsOfResult(store: Store, runId: string, begun: Begun): Promise<readonly TranscriptPart[]> {
  const known = earlier.get(store) ?? new Map<string, EarlierPart>()
  earlier.set(store, known)
  const read = async (id: string) => {
    const found = known.get(id) ?? (await partOf(store, id))
    if (found !== undefined) remember(known, id, found)
    return found
  }
  return partsOf(store, runId, begun, { read })
}

const earlier = new WeakMap<Store, Map<string, EarlierPart>>()

/** The maximum remembered runs of a store; the oldest are forgotten first. */
const mostKnown = 10_000

function remember(known: Map<string, EarlierPart>, id: string, found: EarlierPart): void {
  if (known.has(id)) return
  const [oldest] = known.keys()
  if (known.size >= mostKnown && oldest !== undefined) known.delete(oldest)
  known.set(id, found)
}

/** Returns the part that a run wrote, including messages that it was given after the continued transcript. */
function ownPart(input: Json): TranscriptPart {
  const [carried, given] = [carriedIn(input), givenIn(input)]
  return given > 0 && given < carried ? { after: carried - given, isGiven: true } : { after: carried }
}

/** Returns the part of a continued run; undefined if the run is gone or unreadable. */
async function partOf(store: Store, runId: string): Promise<EarlierPart | undefined> {
  const input = await ifReadable(store.input(runId))
  return input === undefined ? undefined : { part: { ...ownPart(input), runId }, before: continuedRun(runId, input) }
}

function continuedRun(runId: string, input: Json): string | undefined {
  const { continuation, parentRunId } = originOf(runId, '', input)
  return continuation === undefined || carriedIn(input) === 0 ? undefined : parentRunId
}
