import type { CallRecord } from '../../domain/call.ts'
import { type Json, jsonBytes } from '../../domain/text/json.ts'
import { copyJson } from '../../domain/text/json-copy.ts'
import { maxJsonBytes } from '../../domain/text/json-limits.ts'
import type { ImageContent, TextContent, ToolErrorCode, ToolResultMessage } from '../../domain/message.ts'
import { Suspended, type ToolResult, type ToolReturn } from '../../ports/tool.ts'

/** The message a model reads of a result. */
export function toResultMessage(call: CallRecord, result: ToolResult, timestamp: number): ToolResultMessage {
  const { callId, toolCallId, toolName } = call
  const { content, status = 'success', details, childRunId } = result
  return {
    role: 'toolResult',
    callId,
    toolCallId,
    toolName,
    content: withEdit(call, content),
    isError: status === 'error',
    status: status === 'pending' ? 'success' : status,
    ...(status === 'error' ? { code: codeOf(result) } : {}),
    ...(details === undefined ? {} : { details }),
    ...(typeof childRunId === 'string' ? { childRunId } : {}),
    timestamp,
  }
}

/** A tool that says nothing of it, or what we do not know, has failed. */
function codeOf({ code }: ToolResult): ToolErrorCode {
  return code !== undefined && codes.has(code) ? code : 'failed'
}

const codes: ReadonlySet<string> = new Set<ToolErrorCode>(['unknown_tool', 'bad_arguments', 'failed', 'timed_out'])

/** The model asked for other arguments than those a person put in their place, and is told; once, where a plugin rewrites. */
function withEdit(
  { editedArguments }: CallRecord,
  content: ToolResultMessage['content'],
): ToolResultMessage['content'] {
  if (editedArguments === undefined) return content
  const text = `[A person changed the arguments of this call to: ${JSON.stringify(editedArguments)}]`
  const [first] = content
  return first?.type === 'text' && first.text.startsWith(text) ? content : [{ type: 'text', text }, ...content]
}

/** An error result of one text. */
export function errorResult(text: string, code?: ToolErrorCode): ToolResult {
  return { content: [{ type: 'text', text }], status: 'error', ...(code === undefined ? {} : { code }) }
}

/** The result a value spells out or becomes; what no commit could take, or no prompt, is told as an error. */
export function toToolResult(toolName: string, returned: ToolReturn): ToolResult {
  if (returned === undefined) return { content: [] }
  const wish = 'Expected text, JSON, or { content, status? }.'
  if (returned instanceof Suspended) return errorResult(`Tool "${toolName}" returned a question here. ${wish}`)
  const copied = copyJson(returned)
  if (copied.problem !== undefined) {
    return errorResult(`Tool "${toolName}" returned a value that ${copied.problem}. ${wish}`)
  }
  const { value } = copied
  if (isToolResult(value)) return value
  const result = {
    content: [{ type: 'text' as const, text: typeof value === 'string' ? value : JSON.stringify(value) }],
  }
  return isTooLarge(value, result) ? errorResult(`Tool "${toolName}" returned ${tooLarge}. ${wish}`) : result
}

const tooLarge = `a value that is too large as text: at most ${maxJsonBytes} bytes of JSON are taken`

/** JSON that becomes a text is escaped once more. */
function isTooLarge(value: Json, result: ToolResult): boolean {
  return typeof value !== 'string' && jsonBytes(result) > maxJsonBytes
}

/** The texts of a result, joined. */
export function textOfResult({ content }: ToolResult): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('')
}

/** True for a result spelled out that settles its call. */
export function isToolResult(value: unknown): value is ToolResult {
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
  if (block.type !== 'image' || !('data' in block) || !('mimeType' in block)) return false
  return typeof block.data === 'string' && typeof block.mimeType === 'string'
}
