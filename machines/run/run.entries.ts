import type { CallPlan } from '../../src/core/domain/call-plan.ts'
import type { CallEntry, RunContext } from './run.types.ts'

/** Where a run keeps its calls. */
export type Calls = Pick<RunContext, 'calls' | 'callPages'>

/** Of more calls than these the entries change in pages: copying an object of many keys costs more than all the rest. */
const fewCalls = 256
const pageSize = 64

/** The calls the run still needs, in the order the model asked for them. */
export function entriesOf(context: Calls): readonly CallEntry[] {
  const entries = Object.values(context.calls)
  return context.callPages === null ? entries : entries.map((entry) => latest(context, entry))
}

/** Calls with this status. */
export function entriesIn(context: Calls, status: CallEntry['status']): readonly CallEntry[] {
  return entriesOf(context).filter((entry) => entry.status === status)
}

/** Calls that have not settled. */
export function openEntries(context: Calls): readonly CallEntry[] {
  return entriesOf(context).filter((entry) => entry.status !== 'settled')
}

/** What the run keeps of a call; undefined where it needs none of this id. */
export function entryOf(context: Calls, callId: string): CallEntry | undefined {
  const entry = context.calls[callId]
  return entry === undefined || context.callPages === null ? entry : latest(context, entry)
}

function latest({ callPages }: Calls, entry: CallEntry): CallEntry {
  const { place = 0 } = entry
  return callPages?.[Math.floor(place / pageSize)]?.[place % pageSize] ?? entry
}

/** These calls, and no others; pages are laid out where there are many. */
export function withEntries(entries: readonly CallEntry[]): Calls {
  const isLarge = entries.length > fewCalls
  const placed = isLarge ? entries.map((entry, place) => ({ ...entry, place })) : entries
  return {
    calls: Object.fromEntries(placed.map((entry) => [entry.callId, entry])),
    callPages: isLarge ? Array.from({ length: Math.ceil(entries.length / pageSize) }, () => emptyPage) : null,
  }
}

const emptyPage: readonly null[] = Array.from({ length: pageSize }, () => null)

/** The calls with one entry changed; an id nobody knows changes nothing. */
export function patchCall(context: Calls, callId: string, patch: Partial<CallEntry>): Calls {
  const { calls, callPages } = context
  const entry = callPages === null ? calls[callId] : entryOf(context, callId)
  if (entry === undefined) return { calls, callPages }
  const changed = { ...entry, ...patch }
  if (callPages === null) return { calls: { ...calls, [callId]: changed }, callPages }
  const { place = 0 } = entry
  const index = Math.floor(place / pageSize)
  return { calls, callPages: callPages.with(index, (callPages[index] ?? emptyPage).with(place % pageSize, changed)) }
}

/** The calls with several entries changed alike. */
export function patchCalls(context: Calls, callIds: readonly string[], patch: Partial<CallEntry>): Calls {
  const [only] = callIds
  if (only !== undefined && callIds.length === 1) return patchCall(context, only, patch)
  const changing = new Set(callIds)
  return withEntries(entriesOf(context).map((entry) => (changing.has(entry.callId) ? { ...entry, ...patch } : entry)))
}

/** What the run keeps of a call from the start. */
export function newEntry(
  { callId, isExclusive, blocksRun, callHash, isHold = false }: CallPlan,
  status: CallEntry['status'],
): CallEntry {
  return {
    callId,
    isExclusive,
    blocksRun,
    callHash,
    isHold,
    status,
    suspension: null,
    hasPlaceholder: false,
    isReplay: false,
    isPassed: false,
    resultHash: null,
    paths: [],
  }
}
