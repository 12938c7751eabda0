import type { CallPlan } from '../../src/core/domain/call-plan.ts'
import type { CallEntry, RunContext } from './run.types.ts'

/** The calls in a run's context. */
export type Calls = Pick<RunContext, 'calls'>

/** Returns the calls that the run still needs, in the model's order. */
export function entriesOf({ calls }: Calls): readonly CallEntry[] {
  return Object.values(calls)
}

/** Returns the calls with this status. */
export function entriesIn(context: Calls, status: CallEntry['status']): readonly CallEntry[] {
  return entriesOf(context).filter((entry) => entry.status === status)
}

/** Returns the calls that have not settled. */
export function openEntries(context: Calls): readonly CallEntry[] {
  return entriesOf(context).filter((entry) => entry.status !== 'settled')
}

/** Returns the entry of a call, or undefined if the run has no entry with this id. */
export function entryOf({ calls }: Calls, callId: string): CallEntry | undefined {
  return calls[callId]
}

/** Returns an object with only these calls. */
export function withEntries(entries: readonly CallEntry[]): Calls {
  return { calls: Object.fromEntries(entries.map((entry) => [entry.callId, entry])) }
}

/** Returns the calls with one entry changed; an unknown id changes nothing. */
export function patchCall({ calls }: Calls, callId: string, patch: Partial<CallEntry>): Calls {
  const entry = calls[callId]
  return { calls: entry === undefined ? calls : { ...calls, [callId]: { ...entry, ...patch } } }
}

/** Returns the calls with the same change to several entries. */
export function patchCalls(context: Calls, callIds: readonly string[], patch: Partial<CallEntry>): Calls {
  const [only] = callIds
  if (only !== undefined && callIds.length === 1) return patchCall(context, only, patch)
  const changing = new Set(callIds)
  return withEntries(entriesOf(context).map((entry) => (changing.has(entry.callId) ? { ...entry, ...patch } : entry)))
}

/** Returns the initial entry of a call. */
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
