import type { CallRecord } from '../domain/call.ts'
import type { ToolResultMessage, ToolResultStatus } from '../domain/message.ts'

/** A result of one text for a call. */
export function resultMessage(
  { callId, toolCallId, toolName }: CallRecord,
  text: string,
  status: ToolResultStatus,
  timestamp: number,
): ToolResultMessage {
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
export function placeholderMessage(call: CallRecord): ToolResultMessage | undefined {
  if (call.placeholder !== true) return undefined
  const isService = call.suspension?.reason === 'service' || call.suspension?.reason === 'subAgent'
  const text = isService
    ? `Tool '${call.toolName}' has not answered yet. Execution paused.`
    : `Tool '${call.toolName}' is awaiting approval. Execution paused.`
  return resultMessage(call, text, 'success', 0)
}
