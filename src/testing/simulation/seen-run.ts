import type { CallRecord, CallStatus } from '../../core/domain/call.ts'
import type { StoredDecision } from '../../core/domain/inbox.ts'
import type { RunStatus } from '../../core/domain/outcome.ts'
import type { Said } from '../crash/said.ts'

/** A call as the commits have shown it. */
export interface SeenCall {
  status: CallStatus | undefined
  suspension: CallRecord['suspension']
  readonly decisions: StoredDecision[]
  starts: number
  /** Number of the lease under which the tool was started last. */
  startedUnder: number | undefined
  /** Approving answers since the tool was started last. */
  resumes: number
}

/** A run as the commits have shown it. */
export interface SeenRun {
  readonly id: string
  version: number
  lastSeq: number
  status: RunStatus
  holder: { readonly process: string; readonly owner: string; readonly fence: number } | undefined
  /** Since when it is held like that, or by nobody. */
  heldSince: number
  isCancelled: boolean
  readonly calls: Map<string, SeenCall>
  readonly cancelledCalls: Set<string>
  readonly said: Said[]
  readonly consumed: Set<number>
  /** Decisions that no commit has taken in, by row, with the time at which they landed. */
  readonly unread: Map<number, number>
}

/** A run of which nothing has been committed. */
export function seenRun(id: string, lastSeq: number): SeenRun {
  return {
    id,
    version: 0,
    lastSeq,
    status: 'running',
    holder: undefined,
    heldSince: 0,
    isCancelled: false,
    calls: new Map(),
    cancelledCalls: new Set(),
    said: [],
    consumed: new Set(),
    unread: new Map(),
  }
}

/** Returns a call of a run, which begins to be known if it was not. */
export function callOf(run: SeenRun, callId: string): SeenCall {
  const known = run.calls.get(callId)
  if (known !== undefined) return known
  const call: SeenCall = {
    status: undefined,
    suspension: undefined,
    decisions: [],
    starts: 0,
    startedUnder: undefined,
    resumes: 0,
  }
  run.calls.set(callId, call)
  return call
}
