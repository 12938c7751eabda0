import type { GateReplayInput, RunToolInput, ToolCallContext } from '../../../../machines/tool-call/tool-call.types.ts'
import type { CallRecord, ResumeMode } from '../../domain/call.ts'
import type { StoredDecision } from '../../domain/inbox.ts'
import type { RunDetails } from '../../domain/run-details.ts'
import type { Tool } from '../../ports/tool.ts'
import type { TriedRun } from '../../runtime/load-run.ts'
import { isMachineState } from '../../step/actor-state.ts'

/** An open run as new code reads it. */
export interface ForecastRun extends TriedRun {
  readonly details: RunDetails
  /** True if the account of the run's family limits its cost. */
  readonly hasCostLimit: boolean
  /** The decisions that were ever stored for the run. */
  readonly decisions: readonly StoredDecision[]
  /** Ids of calls with a stored cancel; undefined if the run itself has one. */
  readonly cancelled: ReadonlySet<string> | undefined
  /** Unix milliseconds. */
  readonly now: number
}

/**
 * The next step of an open call if its question is approved as it was asked: the call passes the gate of a `replay`, passes
 * that of a new call (`start`) and asks there if it `isAsking`, runs `again` without a gate, is asked about because its
 * process died and its tool must not act twice (`interrupted`), takes a `value` that somebody gives as its result, or nothing
 * decides about it any more (`over`).
 */
export type Next =
  | { readonly kind: 'replay' | 'value'; readonly mode: ResumeMode; readonly decision?: StoredDecision }
  | { readonly kind: 'start'; readonly isAsking: boolean; readonly mode: ResumeMode }
  | { readonly kind: 'interrupted'; readonly isNew: boolean }
  | { readonly kind: 'again' | 'over' }

/** An open call of a run, as new code sees it. */
export interface AskedCall {
  readonly call: CallRecord
  readonly tool: Tool | undefined
  readonly next: Next
  readonly run: ForecastRun
}

/** Returns the next step of an open call. */
export function nextOf(call: CallRecord, tool: Tool | undefined, run: ForecastRun): Next {
  const { callId, isHold, status } = call
  if (isHold === true || run.cancelled?.has(callId) !== false) return { kind: 'over' }
  const wanted = run.wanted.filter(({ path }) => path[0] === callId)
  if (status === 'new') return startOf(callId, call.resumeMode, run)
  if (status === 'running') {
    const performance = wanted.find(({ src }) => src === 'runTool')
    if (performance === undefined) return { kind: 'again' }
    const isStoredOnce = (performance.input as RunToolInput).effects === 'once'
    const isOnce = isStoredOnce || (tool !== undefined && (tool.effects ?? 'once') === 'once')
    return isOnce ? { kind: 'interrupted', isNew: !isStoredOnce } : { kind: 'again' }
  }
  const replay = wanted.find(({ src }) => src === 'gateReplay')
  const head = replay && (replay.input as GateReplayInput).decision
  const decision = run.decisions.find((one) =>
    head ? one.decisionId === head.decisionId : one.suspensionId === call.suspension?.id,
  )
  if (decision?.action === 'cancel') return { kind: 'over' }
  const isLate = decision === undefined && (call.suspension?.expiresAt ?? Infinity) <= run.now
  if (isLate) return { kind: 'over' }
  // A call that was sent to its service is not run here.
  const mode = decision?.mode ?? (call.isSent === true ? 'use-as-result' : call.resumeMode)
  const given = decision === undefined ? {} : { decision }
  return { kind: mode === 'use-as-result' ? 'value' : 'replay', mode, ...given }
}

/** A call that has not started passes the gate, unless its plan refused it. */
function startOf(callId: string, mode: ResumeMode, { state }: ForecastRun): Next {
  const child = state.children[callId]?.snapshot
  const { verdict } = child && isMachineState(child) ? (child.context as ToolCallContext) : {}
  if (verdict?.kind === 'suspended') return { kind: 'start', isAsking: true, mode }
  return verdict?.kind === 'allowed' ? { kind: 'start', isAsking: false, mode: 'replay' } : { kind: 'over' }
}
