import type { CallRecord } from './call.ts'
import {
  type AssistantMessage,
  type Message,
  type ToolResultMessage,
  type ToolResultStatus,
  type UserMessage,
  userMessage,
} from './message.ts'
import type { RunError } from './outcome.ts'
import { noUsage } from './usage.ts'

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
): CallResult {
  return {
    role: 'toolResult',
    callId,
    toolCallId,
    toolName,
    content: [{ type: 'text', text }],
    isError: status === 'error',
    status,
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
