import type { Write } from '../../src/domain/log.ts'
import { suspensionOf } from './tool-call.gate.ts'
import type { EndStatus, ToolCallArgs, ToolCallReport } from './tool-call.types.ts'

/** What each `record…` action of the chart asks to have written. */
export const toolCallRecords = {
  recordSuspension: ({ context: { callId, suspension } }: ToolCallArgs): readonly Write[] =>
    suspension === null ? [] : [{ kind: 'suspension', callId, suspension }],
  /** Tells the store which suspension a kept decision came to answer. */
  recordKept: ({ context: { decision } }: ToolCallArgs): readonly Write[] =>
    decision === null || decision.suspensionId === null
      ? []
      : [{ kind: 'answered', inboxId: decision.inboxId, suspensionId: decision.suspensionId }],
  recordClosing: ({ context: { callId, closingText } }: ToolCallArgs): readonly Write[] =>
    closingText === null ? [] : [{ kind: 'result', callId, text: closingText }],
  recordStatus: (
    { context: { callId } }: ToolCallArgs,
    { status }: { readonly status: EndStatus },
  ): readonly Write[] => [{ kind: 'call', callId, patch: { status } }],
}

/** Tells the run that the call waits for a decision. */
export function suspendedReport(args: ToolCallArgs): ToolCallReport {
  return reportOf(args, false)
}

/** Tells the run of a suspension that a kept decision answers at once. */
export function answeredReport(args: ToolCallArgs): ToolCallReport {
  return reportOf(args, true)
}

function reportOf({ context }: ToolCallArgs, isAnswered: boolean): ToolCallReport {
  const { callId, suspension, at } = context
  return { type: 'toolCall.suspended', callId, suspension: suspension ?? suspensionOf(context), isAnswered, at }
}

/** Tells the run the call's one result, as far as a chart needs it. */
export function settledReport({ context }: ToolCallArgs, { status }: { readonly status: EndStatus }): ToolCallReport {
  const { callId, wasGated, resultHash, closingText, paths, at } = context
  return { type: 'toolCall.settled', callId, status, wasGated, resultHash: resultHash ?? closingText, paths, at }
}
