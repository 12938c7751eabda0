import type { CallStatus, CallView, RunState, SuspendedCall, TranscriptMessage } from '../../ports.ts'
import type { RunView, Usage } from '../../index.ts'
import { defined } from '../../core/domain/text/json.ts'
import type { PassedStates, RunSummary } from '../../servers/studio/show-run.ts'

/** A run as the page shows it: its current state, or its state at a checkpoint. */
export interface ShownRun {
  readonly status: RunView['status']
  readonly messages: readonly TranscriptMessage[]
  readonly suspended: readonly SuspendedCall[]
  readonly calls: readonly ShownCall[]
  readonly usage: Usage
  readonly cost: number
  readonly underWay?: RunView['underWay']
}

/** A call with the state of its chart. */
export interface ShownCall {
  readonly callId: string
  readonly toolName: string
  readonly status: CallStatus
  readonly progress?: string
  readonly childRunId?: string
}

/** Everything that the page knows about a run. */
export interface KnownRun {
  readonly shown?: ShownRun
  readonly summary?: RunSummary
  /** The states at its checkpoints, the oldest first. */
  readonly passed: readonly PassedStates[]
  readonly parentRunId?: string
  /** `lost`: the studio cannot be reached; `gone`: the run was deleted. */
  readonly trouble?: { readonly kind: 'lost' | 'gone' | 'damaged'; readonly text: string }
}

/** Returns a run from its events. Messages of the continued run come first. */
export function shownByEvents(view: RunView, carried: readonly TranscriptMessage[]): ShownRun {
  const { status, messages, suspended, calls, usage, cost, underWay } = view
  const own = messages[0]?.place ?? Infinity
  const before = carried.filter(({ place }) => place < own)
  return {
    status,
    messages: before.length === 0 ? messages : [...before, ...messages],
    suspended,
    calls: calls.map(callOf),
    usage,
    cost,
    ...(underWay === undefined ? {} : { underWay }),
  }
}

/** Returns a run at a checkpoint. Its messages have no numbers, so their order counts. */
export function shownByState({ messages, calls }: RunState): ShownRun {
  return {
    status: 'running',
    messages: messages.map((message, place) => ({ ...message, place })),
    suspended: [],
    calls,
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 },
    cost: 0,
  }
}

function callOf({ callId, toolName, status, progress, childRunId }: CallView): ShownCall {
  return { callId, toolName, status, ...defined({ progress, childRunId }) }
}
