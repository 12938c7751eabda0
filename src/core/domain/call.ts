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

/** The policy for a call whose process died while it ran: run it again, or ask (requirement TC-08). */
export type ToolEffects = 'none' | 'idempotent' | 'once'

/** The way in which a resume decision becomes a result. */
export type ResumeMode = 'replay' | 'use-as-result' | 'pass-to-tool'

/** The states of a call that has not settled. */
export const openStatuses: readonly CallStatus[] = ['new', 'running', 'suspended', 'resuming']

/** Returns true for `succeeded`, `failed` and `cancelled`. */
export function isTerminal(status: CallStatus): boolean {
  return !openStatuses.includes(status)
}

/** The durable record of one call; `seq` is the slot in the transcript that its result fills. */
export interface CallRecord {
  readonly seq: number
  readonly callId: string
  /** The provider's id, which may repeat between turns. */
  readonly toolCallId: string
  readonly toolName: string
  /** The sequence number of the assistant message with the call. */
  readonly messageSeq: number
  readonly status: CallStatus
  /** The number of edits; part of the idempotency key. */
  readonly revision: number
  /** The arguments of the latest edit; absent without an edit. */
  readonly editedArguments?: Json
  /** The current suspension that a decision may answer, or else the last one. */
  readonly suspension?: Suspension
  readonly resumeMode: ResumeMode
  /** Hash of the definition of a tool that needs approval. A suspended call has the hash in its suspension instead. */
  readonly definition?: string
  /** True for a hold of the run. A hold is listed among the calls and belongs to no turn. */
  readonly isHold?: boolean
  /** True for the call of a branch in the log of its group. No model made it. */
  readonly isBranch?: true
  /** True while the slot shows the placeholder text instead of a result. */
  readonly placeholder?: boolean
  readonly result?: ToolResultMessage
  /** The log entry that published the result and holds it; absent before that. */
  readonly resultSeq?: number
  /** State changes that the tool has requested and that are not applied yet. */
  readonly patch?: readonly StateChange[]
  /** True after the event for the call's service has left with a commit. */
  readonly isSent?: true
  /** The finished steps of the tool, for a call that has not settled. */
  readonly steps?: CallSteps
  /** The standing of the agent's policies when the call began to run; absent without policies. */
  readonly policies?: Json
}

/** The finished steps of a call, in recorded order. Steps of an earlier revision do not count. */
export interface CallSteps {
  readonly revision: number
  readonly done: readonly CallStep[]
}

/** A finished step of a tool; `result` is absent if the step returned nothing. */
export interface CallStep {
  readonly name: string
  readonly result?: Json
}

/**
 * One change of the run's state document: it sets `value` at `path`, or removes the value there if `value` is absent.
 */
export interface StateChange {
  readonly path: readonly string[]
  readonly value?: Json
}

/**
 * Returns the result that the transcript shows in the slot of a call, or undefined if the call has no result yet. Holds and
 * branches are never shown, because no model made a call for them.
 */
export function shownResult({ isHold, isBranch, result }: CallRecord): CallResult | undefined {
  return isHold === true || isBranch === true ? undefined : result
}

/** Returns true if the slot of a call shows neither a result nor a placeholder. */
export function hasOpenSlot({ result, placeholder }: CallRecord): boolean {
  return result === undefined && placeholder !== true
}

/** Returns true for a settled call without a result, which no commit may contain. */
export function settlesWithoutResult({ status, result }: CallRecord): boolean {
  return isTerminal(status) && result === undefined
}

/** The one result of a call. */
export type CallResult = ToolResultMessage

/** Returns true for the result of a call. */
export function isCallResult(message: Message): message is CallResult {
  return message.role === 'toolResult'
}

/** Returns a result with one text for a call. */
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

/** Returns the text that a model reads for a suspended call, or undefined if no placeholder may be shown. */
export function placeholderMessage(call: CallRecord): CallResult | undefined {
  if (call.placeholder !== true) return undefined
  const isService = call.suspension?.reason === 'service' || call.suspension?.reason === 'subAgent'
  const text = isService
    ? `Tool '${call.toolName}' has not answered yet. Execution paused.`
    : `Tool '${call.toolName}' is awaiting approval. Execution paused.`
  return resultMessage(call, text, 'success', placeholderTime)
}

/** The timestamp of placeholders, which no result has. */
const placeholderTime = 0

/** Returns true for the text that a model reads for a suspended call. */
export function isPlaceholder({ timestamp, content: [block] }: CallResult): boolean {
  return timestamp === placeholderTime && block?.type === 'text' && block.text.endsWith('Execution paused.')
}

/**
 * Returns a note that points the model to a late result, and that keeps the prompt from ending in an assistant message.
 */
export function lateResultNote({ toolName }: CallRecord, timestamp: number): UserMessage {
  return userMessage(`[Tool '${toolName}' finished: its result is now above.]`, timestamp)
}

/** Returns the tool that such a note names, or undefined for any other message. */
export function notedTool({ content: [block] }: UserMessage): string | undefined {
  if (block?.type !== 'text') return undefined
  return /^\[Tool '(.{1,200})' finished: its result is now above\.\]$/s.exec(block.text)?.[1]
}

/** Returns the transcript's record of a failed model call. */
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

/** Returns the preview of a call, if the call still runs with the arguments of that preview. */
export function previewOf({ suspension, editedArguments }: CallRecord): Pick<Suspension, 'preview'> {
  const preview = editedArguments === undefined ? suspension?.preview : undefined
  return preview === undefined ? {} : { preview }
}

/** Returns the finished steps that are valid for the call's current arguments. */
export function stepsOf({ steps, revision }: CallRecord): readonly CallStep[] {
  return steps?.revision === revision ? steps.done : []
}

/** Returns the arguments of a call: the latest edit, or else the model's. */
export function argumentsOf(call: CallRecord, view: { message(seq: number): Message | undefined }): Json {
  if (call.editedArguments !== undefined) return call.editedArguments
  const message = view.message(call.messageSeq)
  if (message?.role !== 'assistant') return {}
  const { content } = message
  // The slots of calls follow their answer in the same order, so the call's block is not earlier than its slot.
  const slot = Math.max(call.seq - call.messageSeq - 1, 0)
  for (let at = 0; at < content.length; at++) {
    const block = content[(slot + at) % content.length]
    if (block?.type === 'toolCall' && block.callId === call.callId) return block.arguments
  }
  return {}
}

/** A call that waits for a decision, with the data for that decision. */
export interface SuspendedCall extends CallRecord {
  /** The arguments that the call runs with after an approval: the latest edit, or else the model's. */
  readonly arguments: Json
}

/** Returns a suspended call with its arguments. */
export function withArguments(call: CallRecord, view: { message(seq: number): Message | undefined }): SuspendedCall {
  return { ...call, arguments: argumentsOf(call, view) }
}

/**
 * Returns a call as events contain it, without its tool's steps and requested changes, because no later event would
 * update them, and without the standing of policies.
 */
export function toldCall<Call extends CallRecord>({
  patch: _,
  steps: __,
  policies: ___,
  ...call
}: Call): Omit<Call, 'patch' | 'steps' | 'policies'> {
  return call
}

/** The parts of a settled call that its event contains. */
export interface SettledCall extends Pick<CallRecord, 'callId' | 'toolName' | 'editedArguments' | 'result'> {
  /** The place of the call's result in the transcript. */
  readonly place: number
  readonly status: 'succeeded' | 'failed' | 'cancelled'
  readonly childRunId?: string
}

/** Returns a settled call for its event, or undefined for another call. Only a hold's event contains the result. */
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

/** Returns the record of a call that the chart refers to; throws if it is missing, which is a defect of the engine. */
export function callOf(view: { call(callId: string): CallRecord | undefined }, callId: string): CallRecord {
  const call = view.call(callId)
  if (call === undefined) throw new Error(`No call "${callId}" in the log of this run.`)
  return call
}
