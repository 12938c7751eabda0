import type { SuspensionHead, Verdict } from '../../src/core/domain/call-plan.ts'
import type { DecisionAction } from '../../src/core/domain/decision.ts'
import type {
  EndedWith,
  Performed,
  ReplayVerdict,
  ToolCallArgs,
  ToolCallContext,
  ToolCallInput,
  ToolCallPatch,
} from './tool-call.types.ts'

const unfinishedText = '[Tool execution was interrupted before producing a result.]'

/** Returns the initial context of a call. A stored document omits what equals it. */
export function initialContext({ input }: { readonly input: ToolCallInput }): ToolCallContext {
  return {
    ...input,
    suspension: null,
    suspensions: 0,
    attempts: 0,
    failures: 0,
    retryAt: 0,
    revision: 0,
    decision: null,
    keptDecision: null,
    resultHash: null,
    paths: [],
    resultText: null,
    wasGated: false,
    cancelledByRun: false,
    hasExecuted: false,
    at: 0,
  }
}

/** Returns true if the call is skipped: no batch, gate or person is asked about it. */
export function isSkipped({ context: { verdict } }: ToolCallArgs): boolean {
  return verdict.kind === 'skipped'
}

/** Returns true if the call waits for its batch. */
export function isQueued({ context }: ToolCallArgs): boolean {
  return context.isQueued
}

/**
 * Starts the call with its batch. Its phases are those of the current process, which may not be the one that planned
 * the call.
 */
export function leaveQueue(
  { context }: ToolCallArgs,
  {
    isCallGateWatched = context.isCallGateWatched,
    isReviewWatched = context.isReviewWatched,
  }: Partial<Pick<ToolCallInput, 'isCallGateWatched' | 'isReviewWatched'>>,
): ToolCallPatch {
  return { isQueued: false, isCallGateWatched, isReviewWatched }
}

/** Returns true if the call gate must be asked, because plugins listen there or the call runs by a grant. */
export function isCallGatePending({ context: { isCallGateWatched, verdict } }: ToolCallArgs): boolean {
  const isGranted = verdict.kind === 'allowed' && verdict.isGranted === true
  return (isCallGateWatched || isGranted) && verdict.gated !== true
}

/** Returns true if the tool may execute. */
export function isAllowed({ context: { verdict } }: ToolCallArgs): boolean {
  return verdict.kind === 'allowed'
}

/** Returns true if the call gate refuses the call. */
export function isRefused({ context: { verdict } }: ToolCallArgs): boolean {
  return verdict.kind === 'refused'
}

/** Returns true if a plugin or a decision supplied a result with the given status. */
export function isSuppliedAs(
  { context: { verdict } }: ToolCallArgs,
  { status }: { readonly status: 'succeeded' | 'failed' },
): boolean {
  return verdict.kind === 'supplied' && verdict.status === status
}

/** Returns true if a plugin or a decision supplied the result. */
export function isSupplied({ context: { verdict } }: ToolCallArgs): boolean {
  return verdict.kind === 'supplied'
}

/** Marks the call as passed by the call gate, so that it is reviewed and counts for the waiting rule. */
export function passCallGate(): ToolCallPatch {
  return { wasGated: true }
}

/** Applies the verdict of the call gate's plugins. */
export function takeVerdict(_: unknown, event: EndedWith<Verdict | undefined>): ToolCallPatch {
  if (!('output' in event)) return {}
  const { output } = event
  if (output === undefined) throw new TypeError('The call gate gave no verdict on the call.')
  return { verdict: output }
}

/** Applies the call gate's verdict on a replay. */
export function takeReplayVerdict(_: unknown, event: EndedWith<ReplayVerdict>): ToolCallPatch {
  if (!('output' in event)) return {}
  const { verdict, revision } = event.output
  return { verdict, revision }
}

/** Makes the refusal, or the reason for skipping the call, the result. */
export function takeRefusal({ context: { verdict } }: ToolCallArgs): ToolCallPatch {
  const isAnswered = verdict.kind === 'refused' || verdict.kind === 'skipped'
  return { resultText: isAnswered ? (verdict.text ?? null) : null }
}

/** Suspends the call by the verdict of the call gate. */
export function suspendByVerdict({ context }: ToolCallArgs): ToolCallPatch {
  return suspended(context, suspensionOf(context))
}

/** Suspends the call as its tool requests. */
export function suspendByTool({ context }: ToolCallArgs, event: EndedWith<Performed>): ToolCallPatch {
  return suspended(context, event.output?.suspension ?? { id: '', reason: 'input' })
}

function suspended({ suspensions }: ToolCallContext, suspension: SuspensionHead): ToolCallPatch {
  return { suspension, suspensions: suspensions + 1, decision: null }
}

/** Returns the suspension that the call gate requested. A call is suspended only if there is one. */
export function suspensionOf({ verdict }: ToolCallContext): SuspensionHead {
  return verdict.kind === 'suspended' ? verdict.suspension : { id: '', reason: 'plugin' }
}

/** Returns true if a replay lacks the suspension that it answers. Only a restored document can be in this state. */
export function lacksSuspension(
  { context: { suspension, decision } }: ToolCallArgs,
  { action }: { readonly action: DecisionAction },
): boolean {
  return suspension === null && (decision?.action ?? 'resume') === action
}

/** Ends the call without a result of its own. */
export function takeUnfinished(): ToolCallPatch {
  return { resultText: unfinishedText }
}
