import type { DecisionAction } from '../../src/core/domain/decision.ts'
import type { DecisionHead, ToolCallArgs, ToolCallPatch } from './tool-call.types.ts'

/** Params that carry a decision. */
type Received = {
  readonly decision: DecisionHead
}

/** The same if a guard asks: an event may come without one. */
type MaybeReceived = {
  readonly decision: DecisionHead | undefined
}

/** Params with the answer to check. */
type Asked = {
  readonly action: DecisionAction
}

/** The result of an interrupted call that is not run again. */
export const interruptedText = '[Interrupted: the tool may or may not have run.]'

/** Returns true if a decision answers the current suspension of the call, with the given action. */
export function answersSuspension({ context }: ToolCallArgs, { decision, action }: MaybeReceived & Asked): boolean {
  if (decision === undefined || decision.action !== action || decision.suspensionId === null) return false
  return decision.suspensionId === context.suspension?.id
}

/**
 * Returns true if a kept decision answers the first suspension. It never answers an interrupted call. It can only
 * cancel or wake a call that waits for its sub-agent.
 */
export function isDecidedByKept({ context }: ToolCallArgs, { action }: Asked): boolean {
  const { keptDecision, suspension, suspensions } = context
  if (keptDecision?.action !== action || suspensions !== 1 || suspension?.reason === 'interrupted') return false
  return suspension?.reason !== 'subAgent' || action === 'cancel' || keptDecision.isWake === true
}

/** Returns true if a kept decision reaches a call that is already in its first suspension, and answers it. */
export function keepsInTime({ context }: ToolCallArgs, { decision, action }: MaybeReceived & Asked): boolean {
  return isDecidedByKept({ context: { ...context, keptDecision: decision ?? null } }, { action })
}

/**
 * Keeps a decision that arrived before the first suspension. The last decision wins, but only a cancel replaces a wake.
 */
export function keepDecision({ context: { keptDecision } }: ToolCallArgs, { decision }: Received): ToolCallPatch {
  const isWoken = keptDecision?.isWake === true && decision.action !== 'cancel'
  return { keptDecision: isWoken ? keptDecision : decision }
}

/** Answers the new suspension with the kept decision. */
export function takeKeptDecision({ context: { keptDecision, suspension } }: ToolCallArgs): ToolCallPatch {
  return {
    keptDecision: null,
    hasExecuted: false,
    decision: keptDecision === null ? null : { ...keptDecision, suspensionId: suspension?.id ?? null },
  }
}

/** Stores the decision that the replay carries out. */
export function takeDecision(_: unknown, { decision }: Received): ToolCallPatch {
  return { decision, hasExecuted: false }
}

/** Cancels the call with the decision's reason, or with the text for a user's denial. */
export function takeDenial({ context: { decision, suspension } }: ToolCallArgs): ToolCallPatch {
  const text = suspension?.reason === 'interrupted' ? interruptedText : (decision?.reason ?? 'User denied the action')
  return { resultText: text }
}

/** Cancels the call because nobody decided in time. */
export function takeExpiry({ context: { suspension } }: ToolCallArgs): ToolCallPatch {
  const isInterrupted = suspension?.reason === 'interrupted'
  const text = isInterrupted ? interruptedText : '[Cancelled: no decision came before the request expired.]'
  return { resultText: text, hasExecuted: false }
}
