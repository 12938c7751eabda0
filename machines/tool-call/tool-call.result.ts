import type { Write } from '../../src/core/domain/log.ts'
import { interruptedText } from './tool-call.decisions.ts'
import { suspensionOf } from './tool-call.gate.ts'
import type {
  EndedWith,
  EndStatus,
  Performed,
  ReviewCallInput,
  ToolCallArgs,
  ToolCallPatch,
  ToolCallReport,
} from './tool-call.types.ts'

/** Returns true if the tool's performance ended in the given way. */
export function hasPerformed(
  _: unknown,
  { performed, status }: { readonly performed: Performed | undefined; readonly status: Performed['status'] },
): boolean {
  return performed?.status === status
}

/**
 * Returns true if a failed tool is tried again. A tool that must not act twice is tried again only if it has not acted.
 */
export function mayRetry(
  { context }: ToolCallArgs,
  { performed }: { readonly performed: Performed | undefined },
): boolean {
  const mayActAgain = context.effects !== 'once' || performed?.isNotDone === true
  return performed?.status === 'failed' && performed.retryAt !== undefined && mayActAgain
}

/**
 * Stores the end of a performance, and that the call passed the call gate; counts failures that are retried, with their
 * times. Throws if the performance has none of the three ends, because the call could not continue.
 */
export function takePerformed({ context }: ToolCallArgs, event: EndedWith<Performed>): ToolCallPatch {
  if (!('output' in event)) return {}
  const performed = checkedPerformed(event.output)
  const { attempt = context.attempts + 1, resultHash = null, paths = [], suspension, retryAt, at } = performed
  const failures = retryAt === undefined ? 0 : context.failures + 1
  // An interrupted call may have executed or not.
  const hasExecuted = suspension?.reason !== 'interrupted'
  return { attempts: attempt, wasGated: true, hasExecuted, resultHash, paths, failures, retryAt: retryAt ?? 0, at }
}

function checkedPerformed(given: Performed | undefined): Performed {
  const status = given?.status
  if (given !== undefined && (status === 'succeeded' || status === 'failed' || status === 'suspended')) return given
  const expected = "Expected { status, at }, where status is 'succeeded', 'failed' or 'suspended'."
  throw new TypeError(`The performance of a tool ended with the status ${JSON.stringify(status)}. ${expected}`)
}

/** Returns the result of a cancelled call: the given reason, or the text for its state. */
export function takeCancel(
  { context: { suspension, decision } }: ToolCallArgs,
  { text, byRun }: { readonly text: string; readonly byRun: boolean },
): ToolCallPatch {
  const isInterrupted = suspension?.reason === 'interrupted' && decision === null
  return { resultText: isInterrupted ? interruptedText : text, cancelledByRun: byRun, hasExecuted: false }
}

/** Ends a performance during which the call was cancelled. The call has passed the call gate. */
export function endExecution(): ToolCallPatch {
  return { wasGated: true, hasExecuted: true }
}

/** Returns the input of the review. */
export function reviewInput({ context: { callId, hasExecuted } }: ToolCallArgs): ReviewCallInput {
  return { phase: 'reviewCall', callId, hasExecuted }
}

/** Takes the result of a call that a stopped round skips. */
export function takeSkip(_: unknown, { text }: { readonly text: string }): ToolCallPatch {
  return { resultText: text }
}

/** Returns true if the run cancels the call, rather than a person. */
export function isByRun(_: unknown, { byRun }: { readonly byRun: boolean }): boolean {
  return byRun
}

/**
 * Returns true if the call is reviewed. Calls that never passed the call gate are not, nor are those that a cancelled
 * run ends.
 */
export function isReviewed({ context: { isReviewWatched, wasGated, cancelledByRun } }: ToolCallArgs): boolean {
  return isReviewWatched && wasGated && !cancelledByRun
}

/** The writes of each `record…` action of the chart. */
export const toolCallRecords = {
  recordSuspension: ({ context: { callId, suspension } }: ToolCallArgs): readonly Write[] =>
    suspension === null ? [] : [{ kind: 'suspension', callId, suspension }],
  /** Records in the store which suspension a kept decision has answered. */
  recordKeptDecision: ({ context: { decision } }: ToolCallArgs): readonly Write[] =>
    decision === null || decision.suspensionId === null
      ? []
      : [{ kind: 'keptDecision', inboxId: decision.inboxId, suspensionId: decision.suspensionId }],
  recordResult: ({ context: { callId, resultText, verdict } }: ToolCallArgs): readonly Write[] => {
    if (resultText === null) return []
    const code = verdict.kind === 'refused' && verdict.text === resultText ? verdict.code : undefined
    return [{ kind: 'result', callId, text: resultText, ...(code === undefined ? {} : { code }) }]
  },
  recordStatus: (
    { context: { callId } }: ToolCallArgs,
    { status }: { readonly status: EndStatus },
  ): readonly Write[] => [{ kind: 'call', callId, patch: { status } }],
}

/** Reports to the run that the call waits for a decision. */
export function suspendedReport(args: ToolCallArgs): ToolCallReport {
  return reportOf(args, false)
}

/** Reports to the run a suspension that a kept decision answers at once. */
export function decidedReport(args: ToolCallArgs): ToolCallReport {
  return reportOf(args, true)
}

function reportOf({ context }: ToolCallArgs, isDecided: boolean): ToolCallReport {
  const { callId, suspension, at } = context
  return { type: 'toolCall.suspended', callId, suspension: suspension ?? suspensionOf(context), isDecided, at }
}

/** Reports the call's result to the run, as far as a chart needs it. */
export function settledReport({ context }: ToolCallArgs, { status }: { readonly status: EndStatus }): ToolCallReport {
  const { callId, wasGated, resultHash, resultText, paths, verdict, decision, at } = context
  const isRequested = verdict.kind === 'refused' && verdict.isRequested === true && verdict.text === resultText
  const isUndecided = status === 'cancelled' && decision?.action !== 'cancel'
  const why = (isUndecided ? resultText : decision?.reason) ?? undefined
  const head = {
    type: 'toolCall.settled' as const,
    callId,
    status,
    wasGated,
    resultHash: resultHash ?? resultText,
    paths,
  }
  return { ...head, ...(isRequested ? { isRequested } : {}), ...(why === undefined ? {} : { why }), at }
}
