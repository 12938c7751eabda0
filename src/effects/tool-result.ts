import type { CallRecord } from '../domain/call.ts'
import { jsonBytes, maxJsonBytes, toPlainJson } from '../domain/json.ts'
import type { ImageContent, TextContent, ToolResultMessage } from '../domain/message.ts'
import { Suspended, type ToolResult, type ToolReturn } from '../ports/tool.ts'

/** Turns what a tool returned into the message a model reads; what is not JSON or too large is an error result. */
export function toResultMessage(call: CallRecord, returned: ToolReturn, timestamp: number): ToolResultMessage {
  const { callId, toolCallId, toolName } = call
  const { content, status = 'success', details, childRunId } = bounded(toolName, normalise(toolName, returned))
  return {
    role: 'toolResult',
    callId,
    toolCallId,
    toolName,
    content,
    isError: status === 'error',
    status: status === 'pending' ? 'success' : status,
    ...(details === undefined ? {} : { details }),
    ...(typeof childRunId === 'string' ? { childRunId } : {}),
    timestamp,
  }
}

/** An error result of one text. */
export function errorResult(text: string): ToolResult {
  return { content: [{ type: 'text', text }], status: 'error' }
}

/** A result that no commit could take, or no prompt, is told as an error. */
function bounded(toolName: string, result: ToolResult): ToolResult {
  return jsonBytes(result) > maxJsonBytes ? tooLarge(toolName) : result
}

function tooLarge(toolName: string): ToolResult {
  const text = `Tool "${toolName}" returned a result that is too large. At most ${maxJsonBytes} bytes of JSON are taken.`
  return errorResult(text)
}

function normalise(toolName: string, returned: ToolReturn): ToolResult {
  if (returned === undefined) return { content: [] }
  if (typeof returned === 'string') return { content: [{ type: 'text', text: returned }] }
  const copy = toPlainJson(returned)
  if (copy === undefined || returned instanceof Suspended) {
    return errorResult(
      `Tool "${toolName}" returned a value that is not JSON. Expected text, JSON without the keys "__proto__", "constructor" and "prototype", or { content, status? }.`,
    )
  }
  if (isToolResult(copy)) return copy
  return jsonBytes(copy) > maxJsonBytes
    ? tooLarge(toolName)
    : { content: [{ type: 'text', text: JSON.stringify(copy) }] }
}

function isToolResult(value: unknown): value is ToolResult {
  if (value === null || typeof value !== 'object' || !('content' in value) || !Array.isArray(value.content))
    return false
  const status = 'status' in value ? value.status : undefined
  const isStatus = status === undefined || status === 'success' || status === 'warning' || status === 'error'
  return isStatus && value.content.every(isContent)
}

/** True for a block a result or a user's message may hold. */
export function isContent(block: unknown): block is TextContent | ImageContent {
  if (block === null || typeof block !== 'object' || !('type' in block)) return false
  if (block.type === 'text') return 'text' in block && typeof block.text === 'string'
  return block.type === 'image' && 'data' in block && typeof block.data === 'string' && 'mimeType' in block
}
