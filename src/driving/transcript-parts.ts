import { carriedIn } from '../domain/carried.ts'
import { isRecord, type Json } from '../domain/json.ts'
import { originOf } from '../domain/run-origin.ts'
import { StoreError } from '../domain/store-error.ts'
import { messagesIn, type TranscriptMessage, type TranscriptPart } from '../domain/transcript-message.ts'
import type { Store, StoredRun } from '../ports/store.ts'

/** The messages of a stored run with their turns, and with the runs that wrote them. */
export async function storedMessages(store: Store, runId: string): Promise<readonly TranscriptMessage[]> {
  const stored = await store.read(runId)
  return messagesIn(stored.log, await partsOf(store, stored))
}

/**
 * The parts of a run's transcript, by the runs that wrote them. It goes back from run to run, one reading each, until a
 * part begins before the place `from`. It ends early at a run that is gone, and at one that holds copies of what it goes on
 * with: in those, nothing tells where the runs before began.
 */
export async function partsOf(store: Store, stored: StoredRun, from = 1): Promise<readonly TranscriptPart[]> {
  const own = ownPart(stored)
  const parts: TranscriptPart[] = [own]
  let { input } = stored
  let last = own.after
  let before = stored.continues === undefined ? undefined : continuedRun(stored.record.id, input)
  while (before !== undefined && last >= from) {
    const part = await partOf(store, before)
    if (part === undefined) break
    last = Math.min(last, part.after)
    parts.unshift({ ...part, after: last })
    input = part.input
    before = continuedRun(before, input)
  }
  return parts.map(({ after, runId, isGiven }) => ({
    after,
    ...(runId === undefined ? {} : { runId }),
    ...(isGiven === true ? { isGiven } : {}),
  }))
}

/** A run that was stored with its transcript carries what it was given itself, so that its part begins before that. */
function ownPart({ input, continues }: Pick<StoredRun, 'input' | 'continues'>): TranscriptPart {
  const carried = carriedIn(input)
  const { seq = carried } = continues ?? {}
  return seq < carried ? { after: seq, isGiven: true } : { after: carried }
}

/** The part of a run that another one goes on from; undefined where the run is gone, or cannot be read. */
async function partOf(store: Store, runId: string): Promise<(TranscriptPart & { readonly input: Json }) | undefined> {
  try {
    const input = await store.input(runId)
    const part = mayBeGiven(input) ? ownPart(await store.read(runId)) : { after: carriedIn(input) }
    return { ...part, runId, input }
  } catch (error) {
    if (error instanceof StoreError && (error.code === 'run_unknown' || error.code === 'run_damaged')) return undefined
    throw error
  }
}

/** A run that was stored with its transcript was asked nothing. */
function mayBeGiven(input: Json): boolean {
  return isRecord(input) && Array.isArray(input['messages']) && input['messages'].length === 0
}

/** The run whose transcript this one begins with. */
function continuedRun(runId: string, input: Json): string | undefined {
  const { continuation, parentRunId } = originOf(runId, '', input)
  return continuation === undefined || carriedIn(input) === 0 ? undefined : parentRunId
}
