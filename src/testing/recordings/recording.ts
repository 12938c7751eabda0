import type { CallStatus, ResumeMode } from '../../core/domain/call.ts'
import type { DecisionAction, DecisionScope } from '../../core/domain/decision.ts'
import type { Json } from '../../core/domain/text/json.ts'
import type { ToolErrorCode, ToolResultStatus } from '../../core/domain/message.ts'
import type { RunReason } from '../../core/domain/outcome.ts'

/** A call as the model requested it. */
export interface RecordedCall {
  /** The provider's id. */
  readonly id: string
  readonly name: string
  readonly arguments: Json
}

/** An answer of the model. */
export interface RecordedAnswer {
  readonly text?: string
  readonly calls?: readonly RecordedCall[]
}

/** The result of a tool that ran. */
export interface RecordedResult {
  readonly status: ToolResultStatus
  readonly text: string
  readonly code?: ToolErrorCode
  /** The number of times that the tool asked for a value before it returned. Default 0. */
  readonly asks?: number
}

/** A decision about a call. */
export interface RecordedDecision {
  readonly call: string
  readonly action: DecisionAction
  readonly mode?: ResumeMode
  readonly input?: Json
  readonly result?: Json
  readonly reason?: string
  readonly scope?: DecisionScope
  readonly by?: string
  /** True if a service answered, and no person. */
  readonly service?: true
}

/** A message to the run, with the turn that read it first. */
export interface RecordedMessage {
  readonly kind: 'steer' | 'followUp'
  readonly text: string
  readonly turn: number
}

/** The end of a run, and of each of its calls. */
export interface RecordedEnd {
  /** `suspended` for a run that waits. */
  readonly reason: RunReason
  readonly code?: string
  readonly calls: { readonly [callId: string]: CallStatus }
}

/**
 * Everything that a run has received from outside, and its end. Call ids begin with the number of the answer in this
 * run, from 1.
 */
export interface Recording {
  readonly prompt: string
  readonly answers: readonly RecordedAnswer[]
  /** By call id. */
  readonly results: { readonly [callId: string]: RecordedResult }
  /** In the order in which the run processed them. */
  readonly decisions: readonly RecordedDecision[]
  readonly said: readonly RecordedMessage[]
  readonly ends: RecordedEnd
}
