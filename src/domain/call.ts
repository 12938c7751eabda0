import type { Json } from './json.ts'
import type { ToolResultMessage } from './message.ts'
import type { Suspension } from './suspension.ts'

/** The seven states of layer 2 (requirement TC-01). */
export type CallStatus = 'new' | 'running' | 'suspended' | 'resuming' | 'succeeded' | 'failed' | 'cancelled'

/** What happens to a call whose process died while it ran: run again, or ask (requirement TC-08). */
export type ToolEffects = 'none' | 'idempotent' | 'once'

/** How a resume decision is turned into a result. */
export type ResumeMode = 'replay' | 'use-as-result' | 'pass-to-tool'

/** True for `succeeded`, `failed` and `cancelled`. */
export function isTerminal(status: CallStatus): boolean {
  return status === 'succeeded' || status === 'failed' || status === 'cancelled'
}

/** The durable record of one call; its `seq` is the transcript slot its result fills. */
export interface CallRecord {
  readonly seq: number
  readonly callId: string
  /** The provider's id, which may repeat between turns. */
  readonly toolCallId: string
  readonly toolName: string
  /** Sequence number of the assistant message that made the call. */
  readonly messageSeq: number
  readonly status: CallStatus
  /** Raised by each edit; part of the idempotency key. */
  readonly revision: number
  /** Arguments of the latest revision, where edited; else those of the message. */
  readonly editedArguments?: Json
  /** The suspension a decision may answer now, and the last one otherwise. */
  readonly suspension?: Suspension
  readonly resumeMode: ResumeMode
  /** True for a suspension of the run itself, which stands among the calls and belongs to no turn. */
  readonly isHold?: boolean
  /** True while the slot shows the placeholder text in place of a result. */
  readonly placeholder?: boolean
  readonly result?: ToolResultMessage
  /** State changes asked for by the tool, not yet applied. */
  readonly patch?: readonly StateChange[]
}

/** One change of the run's state document: set `value` at `path`, or remove it when absent. */
export interface StateChange {
  readonly path: readonly string[]
  readonly value?: Json
}
