import type { SuspensionHead, Verdict } from '../../src/domain/call-plan.ts'
import type { Write } from '../../src/domain/log.ts'
import type {
  DecisionHead,
  Performed,
  ReplayVerdict,
  ToolCallContext,
  ToolCallInput,
  ToolCallReport,
} from './tool-call.types.ts'

const interruptedText = '[Interrupted: the tool may or may not have run.]'
const unfinishedText = '[Tool execution was interrupted before producing a result.]'

export function initialContext(input: ToolCallInput): ToolCallContext {
  return {
    ...input,
    suspension: null,
    suspensions: 0,
    attempts: 0,
    revision: 0,
    decision: null,
    kept: null,
    resultHash: null,
    paths: [],
    closingText: null,
    wasGated: false,
    cancelledByRun: false,
    at: 0,
  }
}

export function isGatePending(context: ToolCallContext): boolean {
  return context.isGateWatched && context.verdict.gated !== true
}

export function answersSuspension(context: ToolCallContext, decision: DecisionHead): boolean {
  return decision.suspensionId !== null && decision.suspensionId === context.suspension?.id
}

/** A kept decision answers the first suspension, never an interrupted call. */
export function isAnsweredByKept(context: ToolCallContext, action: 'resume' | 'cancel'): boolean {
  const isFirst = context.suspensions === 1 && context.suspension?.reason !== 'interrupted'
  return isFirst && context.kept?.action === action
}

/** A decision kept in the store that reaches a call already at its first suspension answers it. */
export function keepsInTime(context: ToolCallContext, decision: DecisionHead, action: 'resume' | 'cancel'): boolean {
  return isAnsweredByKept({ ...context, kept: decision }, action)
}

/** No state of ours holds a replay without the suspension it answers; a restored document may. */
export function lacksSuspension({ suspension, decision }: ToolCallContext, action: 'resume' | 'cancel'): boolean {
  return suspension === null && (decision?.action ?? 'resume') === action
}

/** Nobody reviews calls that were never gated, nor those a cancelled run takes down. */
export function isReviewed(context: ToolCallContext): boolean {
  return context.isReviewWatched && context.wasGated && !context.cancelledByRun
}

export function passGate(): Partial<ToolCallContext> {
  return { wasGated: true }
}

export function takeVerdict(verdict: Verdict): Partial<ToolCallContext> {
  return { verdict }
}

export function takeReplayVerdict({ verdict, revision }: ReplayVerdict): Partial<ToolCallContext> {
  return { verdict, revision }
}

export function takeRefusal({ verdict }: ToolCallContext): Partial<ToolCallContext> {
  return { closingText: verdict.kind === 'refused' ? (verdict.text ?? null) : null }
}

/** What executed has passed the gate. */
export function takePerformed(
  { attempts }: ToolCallContext,
  { resultHash, paths, at }: Performed,
): Partial<ToolCallContext> {
  return { attempts: attempts + 1, wasGated: true, resultHash: resultHash ?? null, paths: paths ?? [], at }
}

export function suspend(context: ToolCallContext, suspension: SuspensionHead): Partial<ToolCallContext> {
  return { suspension, suspensions: context.suspensions + 1, decision: null }
}

/** The suspension the gate asked for; a call is suspended only where there is one. */
export function suspensionOf({ verdict }: ToolCallContext): SuspensionHead {
  return verdict.kind === 'suspended' ? verdict.suspension : { id: '', reason: 'plugin' }
}

export function takeKept({ kept, suspension }: ToolCallContext): Partial<ToolCallContext> {
  return { kept: null, decision: kept === null ? null : { ...kept, suspensionId: suspension?.id ?? null } }
}

export function takeDecision(decision: DecisionHead): Partial<ToolCallContext> {
  return { decision }
}

/** The result of a call that is cancelled: the reason given, or what can be said of it. */
export function takeCancel(context: ToolCallContext, text: string, byRun: boolean): Partial<ToolCallContext> {
  const isInterrupted = context.suspension?.reason === 'interrupted' && context.decision === null
  return { closingText: isInterrupted ? interruptedText : text, cancelledByRun: byRun }
}

/** Decision cancel: the reason, or the text a user's denial has. */
export function takeDenial(context: ToolCallContext): Partial<ToolCallContext> {
  const { decision, suspension } = context
  const text = suspension?.reason === 'interrupted' ? interruptedText : (decision?.reason ?? 'User denied the action')
  return { closingText: text }
}

export function takeExpiry(context: ToolCallContext): Partial<ToolCallContext> {
  const isInterrupted = context.suspension?.reason === 'interrupted'
  return { closingText: isInterrupted ? interruptedText : '[Cancelled: no decision came before the request expired.]' }
}

export function closeUnfinished(): Partial<ToolCallContext> {
  return { closingText: unfinishedText }
}

/** What each `record…` action of the chart asks to have written. */
export const toolCallRecords = {
  recordSuspension: ({ callId, suspension }: ToolCallContext): readonly Write[] =>
    suspension === null ? [] : [{ kind: 'suspension', callId, suspension }],
  /** Tells the store which suspension a kept decision came to answer. */
  recordKept: ({ decision }: ToolCallContext): readonly Write[] =>
    decision === null || decision.suspensionId === null
      ? []
      : [{ kind: 'answered', inboxId: decision.inboxId, suspensionId: decision.suspensionId }],
  recordClosing: ({ callId, closingText }: ToolCallContext): readonly Write[] =>
    closingText === null ? [] : [{ kind: 'result', callId, text: closingText }],
  recordStatus: (
    { callId }: ToolCallContext,
    { status }: { status: 'succeeded' | 'failed' | 'cancelled' },
  ): readonly Write[] => [{ kind: 'call', callId, patch: { status } }],
}

export function suspendedReport(context: ToolCallContext, isAnswered: boolean): ToolCallReport {
  const { callId, at } = context
  return { type: 'toolCall.suspended', callId, suspension: context.suspension ?? suspensionOf(context), isAnswered, at }
}

export function settledReport(
  { callId, wasGated, resultHash, closingText, paths, at }: ToolCallContext,
  status: 'succeeded' | 'failed' | 'cancelled',
): ToolCallReport {
  return { type: 'toolCall.settled', callId, status, wasGated, resultHash: resultHash ?? closingText, paths, at }
}
