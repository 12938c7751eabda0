import type { Json } from './text/json.ts'
import {
  type AssistantMessage,
  type Message,
  type ToolErrorCode,
  type ToolResultMessage,
  type ToolResultStatus,
  type UserMessage,
  userMessage,
} from './message.ts'
import type { RunError } from './outcome.ts'
import { noUsage } from './usage.ts'
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

/** The durable record of one call; `seq` is the slot in the transcript that its result fills. */
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
  /** The arguments of the latest edit; absent where nobody edited those of the message. */
  readonly editedArguments?: Json
  /** The suspension that a decision may answer now; otherwise the last one. */
  readonly suspension?: Suspension
  readonly resumeMode: ResumeMode
  /** Hash of the definition of a tool that asks for approval. The suspension holds it once the call is suspended. */
  readonly definition?: string
  /** True for a suspension of the run itself. It stands among the calls and belongs to no turn. */
  readonly isHold?: boolean
  /** True while the slot shows the placeholder text in place of a result. */
  readonly placeholder?: boolean
  readonly result?: ToolResultMessage
  /** State changes asked for by the tool, not yet applied. */
  readonly patch?: readonly StateChange[]
  /** True once the event for its service has left with a commit. */
  readonly isSent?: true
  /** What its tool has done of a call that has not settled. */
  readonly steps?: CallSteps
}

/** The finished steps of a call, in the order they were recorded. Steps of an earlier revision do not count. */
export interface CallSteps {
  readonly revision: number
  readonly done: readonly CallStep[]
}

/** A step of a tool that has finished; `result` is absent where it gave none. */
export interface CallStep {
  readonly name: string
  readonly result?: Json
}

/**
 * One change of the run's state document: it sets `value` at `path`, or removes what is there where `value` is absent.
 */
export interface StateChange {
  readonly path: readonly string[]
  readonly value?: Json
}

/**
 * Returns the result that the transcript shows in the slot of a call, or undefined if the call has no result yet. A hold
 * is never shown, because no model made a call for it.
 */
export function shownResult({ isHold, result }: CallRecord): CallResult | undefined {
  return isHold === true ? undefined : result
}

/** True where the slot of a call shows neither a result nor a placeholder. */
export function hasOpenSlot({ result, placeholder }: CallRecord): boolean {
  return result === undefined && placeholder !== true
}

/** True for a call that has settled and was given no result, which no commit may hold. */
export function settlesWithoutResult({ status, result }: CallRecord): boolean {
  return isTerminal(status) && result === undefined
}

/** The one result of a call. */
export type CallResult = ToolResultMessage

/** True for the result of a call. */
export function isCallResult(message: Message): message is CallResult {
  return message.role === 'toolResult'
}

/** A result of one text for a call. */
export function resultMessage(
  { callId, toolCallId, toolName }: CallRecord,
  text: string,
  status: ToolResultStatus,
  timestamp: number,
  code?: ToolErrorCode,
): CallResult {
  return {
    role: 'toolResult',
    callId,
    toolCallId,
    toolName,
    content: [{ type: 'text', text }],
    isError: status === 'error',
    status,
    ...(code === undefined ? {} : { code }),
    timestamp,
  }
}

/** What a model sees of a call that is still suspended; undefined where nothing may be shown. */
export function placeholderMessage(call: CallRecord): CallResult | undefined {
  if (call.placeholder !== true) return undefined
  const isService = call.suspension?.reason === 'service' || call.suspension?.reason === 'subAgent'
  const text = isService
    ? `Tool '${call.toolName}' has not answered yet. Execution paused.`
    : `Tool '${call.toolName}' is awaiting approval. Execution paused.`
  return resultMessage(call, text, 'success', 0)
}

/** Makes the model look at a late result, and keeps a prompt from ending in an assistant message. */
export function lateResultNote({ toolName }: CallRecord, timestamp: number): UserMessage {
  return userMessage(`[Tool '${toolName}' finished: its result is now above.]`, timestamp)
}

/** The trace a failed model call leaves in the transcript. */
export function failureMessage({ message }: RunError, timestamp: number): AssistantMessage {
  return {
    role: 'assistant',
    content: [],
    stopReason: 'error',
    model: '',
    provider: '',
    usage: noUsage,
    timestamp,
    errorMessage: message,
  }
}

/** The preview that a call was shown with, where the call still runs with the arguments of that preview. */
export function previewOf({ suspension, editedArguments }: CallRecord): Pick<Suspension, 'preview'> {
  const preview = editedArguments === undefined ? suspension?.preview : undefined
  return preview === undefined ? {} : { preview }
}

/** The finished steps that count for the arguments a call runs with. */
export function stepsOf({ steps, revision }: CallRecord): readonly CallStep[] {
  return steps?.revision === revision ? steps.done : []
}

/** The arguments a call runs with: the latest edit, else those the model gave. */
export function argumentsOf(call: CallRecord, view: { message(seq: number): Message | undefined }): Json {
  if (call.editedArguments !== undefined) return call.editedArguments
  const message = view.message(call.messageSeq)
  if (message?.role !== 'assistant') return {}
  const { content } = message
  // The slots of calls stand right behind their answer, in the same order: a call is no earlier among the blocks.
  const slot = Math.max(call.seq - call.messageSeq - 1, 0)
  for (let at = 0; at < content.length; at++) {
    const block = content[(slot + at) % content.length]
    if (block?.type === 'toolCall' && block.callId === call.callId) return block.arguments
  }
  return {}
}

/** A call that waits for a decision, with what the person who decides needs to know. */
export interface SuspendedCall extends CallRecord {
  /** What the call runs with once it is approved: the latest edit, else what the model gave. */
  readonly arguments: Json
}

/** A suspended call with its arguments. */
export function withArguments(call: CallRecord, view: { message(seq: number): Message | undefined }): SuspendedCall {
  return { ...call, arguments: argumentsOf(call, view) }
}

/**
 * A call as events tell it. It lacks what its tool has done and asked for so far, because no later event would repeat
 * that.
 */
export function toldCall<Call extends CallRecord>({
  patch: _,
  steps: __,
  ...call
}: Call): Omit<Call, 'patch' | 'steps'> {
  return call
}

/** The parts of a settled call that its event names. */
export interface SettledCall extends Pick<CallRecord, 'callId' | 'toolName' | 'editedArguments' | 'result'> {
  /** The place of the call's result in the transcript. */
  readonly place: number
  readonly status: 'succeeded' | 'failed' | 'cancelled'
  readonly childRunId?: string
}

/** Returns how a settled call is told: without its result, which only a hold's event has. Undefined for another call. */
export function settledCall(call: CallRecord): SettledCall | undefined {
  const { callId, toolName, seq: place, status, result, editedArguments, isHold } = call
  if (status !== 'succeeded' && status !== 'failed' && status !== 'cancelled') return undefined
  return {
    callId,
    toolName,
    place,
    status,
    ...(editedArguments === undefined ? {} : { editedArguments }),
    ...(result?.childRunId === undefined ? {} : { childRunId: result.childRunId }),
    ...(isHold === true && result !== undefined ? { result } : {}),
  }
}

/** The record of a call the chart speaks of; its absence is a defect of the engine. */
export function callOf(view: { call(callId: string): CallRecord | undefined }, callId: string): CallRecord {
  const call = view.call(callId)
  if (call === undefined) throw new Error(`No call "${callId}" in the log of this run.`)
  return call
}
