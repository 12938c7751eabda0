import type { SuspensionHead, Verdict } from '../../src/domain/call-plan.ts'
import type { DecisionAction } from '../../src/domain/decision.ts'
import type { ReplayVerdict, ToolCallArgs, ToolCallContext, ToolCallPatch } from './tool-call.types.ts'

const unfinishedText = '[Tool execution was interrupted before producing a result.]'

/** Whether the call's turn in the round has not come. */
export function isNotDue({ context }: ToolCallArgs): boolean {
  return !context.isDue
}

/** The call's turn in the round has come. */
export function becomeDue(): ToolCallPatch {
  return { isDue: true }
}

/** Whether plugins listen at the call gate and have not been asked. */
export function isGatePending({ context: { isGateWatched, verdict } }: ToolCallArgs): boolean {
  return isGateWatched && verdict.gated !== true
}

/** Whether the tool may execute. */
export function isAllowed({ context: { verdict } }: ToolCallArgs): boolean {
  return verdict.kind === 'allowed'
}

/** Whether the call gate refuses the call. */
export function isRefused({ context: { verdict } }: ToolCallArgs): boolean {
  return verdict.kind === 'refused'
}

/** Whether a plugin or a decision set the result, and with which status. */
export function isAnswered(
  { context: { verdict } }: ToolCallArgs,
  { status }: { readonly status: 'succeeded' | 'failed' },
): boolean {
  return verdict.kind === 'answered' && verdict.status === status
}

/** Whether a plugin or a decision set the result. */
export function hasAnswer({ context: { verdict } }: ToolCallArgs): boolean {
  return verdict.kind === 'answered'
}

/** The call has come through the call gate: it is reviewed, and counts for the waiting rule. */
export function passGate(): ToolCallPatch {
  return { wasGated: true }
}

/** What the plugins at the call gate say. */
export function takeVerdict(_: unknown, { verdict }: { readonly verdict: Verdict }): ToolCallPatch {
  return { verdict }
}

/** What the call gate says of a replay. */
export function takeReplayVerdict(_: unknown, { verdict, revision }: ReplayVerdict): ToolCallPatch {
  return { verdict, revision }
}

/** The refusal is the result. */
export function takeRefusal({ context: { verdict } }: ToolCallArgs): ToolCallPatch {
  return { closingText: verdict.kind === 'refused' ? (verdict.text ?? null) : null }
}

/** The call gate suspends the call. */
export function suspendByVerdict({ context }: ToolCallArgs): ToolCallPatch {
  return suspended(context, suspensionOf(context))
}

/** The tool suspends its call. */
export function suspendByTool(
  { context }: ToolCallArgs,
  { suspension }: { readonly suspension: SuspensionHead },
): ToolCallPatch {
  return suspended(context, suspension)
}

function suspended({ suspensions }: ToolCallContext, suspension: SuspensionHead): ToolCallPatch {
  return { suspension, suspensions: suspensions + 1, decision: null }
}

/** The suspension the gate asked for; a call is suspended only where there is one. */
export function suspensionOf({ verdict }: ToolCallContext): SuspensionHead {
  return verdict.kind === 'suspended' ? verdict.suspension : { id: '', reason: 'plugin' }
}

/** No state of ours holds a replay without the suspension it answers; a restored document may. */
export function lacksSuspension(
  { context: { suspension, decision } }: ToolCallArgs,
  { action }: { readonly action: DecisionAction },
): boolean {
  return suspension === null && (decision?.action ?? 'resume') === action
}

/** The call ends without having come to a result. */
export function closeUnfinished(): ToolCallPatch {
  return { closingText: unfinishedText }
}
