import type { ResumeMode, ToolEffects } from '../../src/core/domain/call.ts'
import type { SuspensionHead, Verdict } from '../../src/core/domain/call-plan.ts'
import type { StoredDecision } from '../../src/core/domain/inbox.ts'

/** The part of a decision that a chart needs. The payload stays in the inbox row, if there is one: not in plain XState. */
export interface DecisionHead extends Pick<
  StoredDecision,
  'decisionId' | 'callId' | 'suspensionId' | 'action' | 'mode' | 'reason' | 'input' | 'result'
> {
  /** The inbox row; 0 if there is none (a call cancelled by its caller). */
  readonly inboxId: number
  /** True if the call is to look at its sub-agent again. */
  readonly isWake?: true
}

/** The end of one performance of the tool. */
export interface Performed {
  readonly status: 'succeeded' | 'failed' | 'suspended'
  /** The number of the performance, if earlier ones ended with their processes. Default: the next. */
  readonly attempt?: number
  readonly suspension?: SuspensionHead
  /** For a failure that is retried: the time in Unix milliseconds. Its result is not kept. */
  readonly retryAt?: number
  /** True if a probe has found that the performance has not acted. */
  readonly isNotDone?: true
  /** Hash of the result, for repeat detection. */
  readonly resultHash?: string
  /** State paths the call asked to change, joined by `/`. */
  readonly paths?: readonly string[]
  /** Unix milliseconds. */
  readonly at: number
}

/** The end of an effect. A tool that only explores a chart sends an end without an output, which changes nothing. */
export type EndedWith<Output> = { readonly output: Output } | { readonly output?: never }

/** The input of a call. */
export interface ToolCallInput {
  readonly callId: string
  readonly verdict: Verdict
  readonly effects: ToolEffects
  readonly resumeMode: ResumeMode
  /** True for a call of a batch that starts later (sequential, batched, exclusive). */
  readonly isQueued: boolean
  /** True if a plugin listens before, and after, execution. */
  readonly isCallGateWatched: boolean
  readonly isReviewWatched: boolean
}

/** The memory of a call; arguments, ticket and result are in its record. */
export interface ToolCallContext extends ToolCallInput {
  /** The current suspension, or the last. */
  readonly suspension: SuspensionHead | null
  /** The number of the call's suspensions. */
  readonly suspensions: number
  /** The number of finished performances. */
  readonly attempts: number
  /** Performances in a row that failed and were tried again, and when the last of them is, in Unix milliseconds. */
  readonly failures: number
  readonly retryAt: number
  /** Argument revision; an edit raises it. */
  readonly revision: number
  /** The decision a replay answers to. */
  readonly decision: DecisionHead | null
  /** A decision that came before the first suspension. */
  readonly keptDecision: DecisionHead | null
  /** The hash of the result for repeat detection, with the state paths that the call changes, joined by `/`. */
  readonly resultHash: string | null
  readonly paths: readonly string[]
  /** The result of a call that ends without its tool; null if the record holds one. */
  readonly resultText: string | null
  /** True once the call has come through the call gate. */
  readonly wasGated: boolean
  /** True if its run is cancelled or failed; then there is no review. */
  readonly cancelledByRun: boolean
  /** True while the call is as a performance of its tool has left it. */
  readonly hasExecuted: boolean
  /** Unix milliseconds; when the last performance ended. */
  readonly at: number
}

/** The part of XState's arguments that the functions of the chart read. */
export interface ToolCallArgs {
  readonly context: ToolCallContext
}

/** The actors that a call invokes: their ids and their logic. */
export type ToolCallChildren = {
  readonly gateCall: 'ask'
  readonly runTool: 'runTool'
  readonly gateReplay: 'gateReplay'
  readonly reviewCall: 'ask'
  readonly expiry: 'sleep'
  readonly backoff: 'sleep'
}

/** The change of the context by an action. */
export type ToolCallPatch = Partial<ToolCallContext>

/** The three states that end a call. */
export type EndStatus = 'succeeded' | 'failed' | 'cancelled'

/** The events of a call, from its run. */
export type ToolCallEvent =
  /** The suspension the call is in is decided; the decision itself comes when the run hands it on. */
  | { readonly type: 'call.decided' }
  /**
   * Its batch starts. The watched phases are passed again, because the agent's code may have changed since the call was
   * planned.
   */
  | { readonly type: 'call.start'; readonly isCallGateWatched?: boolean; readonly isReviewWatched?: boolean }
  | { readonly type: 'call.skip'; readonly text: string }
  | { readonly type: 'call.keep'; readonly decision: DecisionHead }
  | { readonly type: 'call.resume'; readonly decision: DecisionHead }
  | { readonly type: 'call.cancel'; readonly text: string; readonly byRun: boolean }

/** The reports of a call to its run. */
export type ToolCallReport =
  | {
      readonly type: 'toolCall.suspended'
      readonly callId: string
      readonly suspension: SuspensionHead
      /** True when a kept decision decides it at once. */
      readonly isDecided: boolean
      readonly at: number
    }
  | {
      readonly type: 'toolCall.settled'
      readonly callId: string
      readonly status: EndStatus
      readonly wasGated: boolean
      readonly resultHash: string | null
      readonly paths: readonly string[]
      /** True if the call was blocked and its permission is to be asked for. */
      readonly isRequested?: boolean
      /** The reason that came with the decision, the cancel or the expiry; absent for none. */
      readonly why?: string
      readonly at: number
    }

/** The input of the call gate before execution. */
export interface GateCallInput {
  readonly phase: 'gateCall'
  readonly callId: string
  readonly verdict: Verdict
}

/** The input of a performance. */
export interface RunToolInput {
  readonly callId: string
  readonly effects: ToolEffects
  readonly attempt: number
  readonly revision: number
  /** Performances in a row that failed before this one and were tried again. Default 0. */
  readonly failures?: number
  readonly decisionId: string | null
}

/** The input of the call gate for a replay. */
export interface GateReplayInput {
  readonly callId: string
  readonly decision: DecisionHead | null
  readonly resumeMode: ResumeMode
  readonly revision: number
}

/** The call gate's answer to a replay, with the argument revision it leaves. */
export interface ReplayVerdict {
  readonly verdict: Verdict
  readonly revision: number
}

/**
 * The input of a review: the call whose outcome plugins receive, and whether its tool executed. Default: it did not.
 */
export interface ReviewCallInput {
  readonly phase: 'reviewCall'
  readonly callId: string
  readonly hasExecuted?: boolean
}

/** The question that a call puts to the plugins at a phase. */
export type CallAsk = GateCallInput | ReviewCallInput
