import type { CallRecord } from '../../domain/call.ts'
import { isRecord, jsonBytes } from '../../domain/text/json.ts'
import { copyJson } from '../../domain/text/json-copy.ts'
import { maxJsonBytes } from '../../domain/text/json-limits.ts'
import { shownTypes } from '../../domain/media.ts'
import { keptBlock } from '../../domain/read-block.ts'
import type { ShownContent, ToolErrorCode, ToolResultMessage } from '../../domain/message.ts'
import { Suspended, type ToolResult, type ToolReturn } from '../../ports/tool.ts'

/** Returns the message of a result for a model. */
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

/** A missing or unknown code means that the tool failed. */
function codeOf({ code }: ToolResult): ToolErrorCode {
  return code !== undefined && codes.has(code) ? code : 'failed'
}

const codes: ReadonlySet<string> = new Set<ToolErrorCode>(['unknown_tool', 'bad_arguments', 'failed', 'timed_out'])

/** Tells the model once that a person has changed its arguments; also if a plugin rewrites the result. */
function withEdit(
  { editedArguments }: CallRecord,
  content: ToolResultMessage['content'],
): ToolResultMessage['content'] {
  if (editedArguments === undefined) return content
  const text = `[A person changed the arguments of this call to: ${JSON.stringify(editedArguments)}]`
  const [first] = content
  return first?.type === 'text' && first.text.startsWith(text) ? content : [{ type: 'text', text }, ...content]
}

/** Returns an error result with one text. */
export function errorResult(text: string, code?: ToolErrorCode): ToolResult {
  return { content: [{ type: 'text', text }], status: 'error', ...(code === undefined ? {} : { code }) }
}

/**
 * Returns the result that a value describes or becomes. A value that no commit or prompt could contain becomes an
 * error. A block that cannot be stored becomes a text that names it, because the tool has already done its work.
 */
export function toToolResult(toolName: string, returned: ToolReturn): ToolResult {
  if (returned === undefined) return { content: [] }
  const wish = 'Expected text, JSON, or { content, status? }.'
  if (returned instanceof Suspended) return errorResult(`Tool "${toolName}" returned a question here. ${wish}`)
  const copied = copyJson(returned)
  if (copied.problem !== undefined) {
    return errorResult(`Tool "${toolName}" returned a value that ${copied.problem}. ${wish}`)
  }
  const { value } = copied
  const spelled: unknown = value
  if (isToolResult(spelled)) return { ...spelled, content: spelled.content.map(keptBlock) }
  const result = {
    content: [{ type: 'text' as const, text: typeof value === 'string' ? value : JSON.stringify(value) }],
  }
  // JSON in a text is escaped once more.
  const isTooLarge = typeof value !== 'string' && jsonBytes(result) > maxJsonBytes
  return isTooLarge ? errorResult(`Tool "${toolName}" returned ${tooLarge}. ${wish}`) : result
}

const tooLarge = `a value that is too large as text: at most ${maxJsonBytes} bytes of JSON are accepted`

/** Returns the joined texts of a result. */
export function textOfResult({ content }: ToolResult): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('')
}

/** Returns true for an explicit result that settles its call, whatever its blocks contain. */
export function isToolResult(value: unknown): value is ToolResult {
  if (value === null || typeof value !== 'object' || !('content' in value) || !Array.isArray(value.content))
    return false
  const status = 'status' in value ? value.status : undefined
  const isStatus = status === undefined || status === 'success' || status === 'warning' || status === 'error'
  return isStatus && value.content.every((block) => isRecord(block) && shownTypes.has(block['type']))
}

/** Returns true for an explicit result whose blocks a transcript may contain. */
export function isKeptResult(value: unknown): value is ToolResult {
  return isToolResult(value) && value.content.every(isContent)
}

/** Returns true for a block that a result or a user's message may contain. */
export function isContent(block: unknown): block is ShownContent {
  if (!isRecord(block)) return false
  const { type, text, data, mimeType, mediaType } = block
  if (type === 'text') return typeof text === 'string'
  return typeof data === 'string' && typeof (type === 'image' ? mimeType : type === 'file' && mediaType) === 'string'
}
