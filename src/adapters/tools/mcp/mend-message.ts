import { isRecord } from '../../../core/domain/text/json.ts'
import { readBlock } from './read-block.ts'
import { mendTool } from './mend-tool.ts'

/** The milliseconds and the scope for keeping a list: it is never kept here, but newer servers have to send both. */
const notKept = { ttlMs: 0, cacheScope: 'private' }

const internalError = -32_603

/**
 * Returns a server's message in a form that the client package reads. The package rejects a whole answer for one
 * invalid part: such a part is repaired, or replaced by a line that names it. A meaningless answer becomes an error.
 */
export function mendMessage(message: unknown): unknown {
  if (Array.isArray(message)) return message.map((each: unknown) => mendMessage(each))
  if (!isRecord(message) || !('jsonrpc' in message)) return message
  const { jsonrpc, id, method, result, error, ...rest } = message
  if (method !== undefined) return message['params'] === null ? { jsonrpc, id, method } : message
  if (id === undefined) return { jsonrpc, id, result, error, ...rest }
  if (error !== undefined && error !== null) return { jsonrpc, id, error: mendError(error) }
  if (isRecord(result)) return { jsonrpc, id, result: mendResult(result) }
  return { jsonrpc, id, error: { code: internalError, message: 'The answer has neither a result nor an error.' } }
}

function mendError(error: unknown): object {
  const { code, message, ...rest } = isRecord(error) ? error : { code: undefined, message: error }
  const said = typeof message === 'string' ? message : JSON.stringify(message ?? error).slice(0, 500)
  return { ...rest, code: Number.isInteger(code) ? code : internalError, message: said }
}

function mendResult({ _meta, ...result }: Record<string, unknown>): object {
  const whole = isRecord(_meta) ? { ...result, _meta } : result
  if (result['resultType'] === 'input_required') return whole
  if ('tools' in result) return mendList(whole)
  const isOfCall = 'content' in result || 'structuredContent' in result || 'isError' in result
  return isOfCall ? mendCallResult(whole) : whole
}

function mendList({ tools, nextCursor, ...rest }: Record<string, unknown>): object {
  const listed = Array.isArray(tools) ? tools.map((tool: unknown) => mendTool(tool)) : (tools ?? [])
  const isCursor = typeof nextCursor === 'string' || typeof nextCursor === 'number'
  const next = isCursor && nextCursor !== '' ? { nextCursor: String(nextCursor) } : {}
  return { resultType: 'complete', ...rest, ...notKept, tools: listed, ...next }
}

/** The package knows a file as a resource with its bytes. */
function mendBlock(given: unknown): object {
  const block = readBlock(given)
  if (block.type !== 'file') return block
  const { name: uri = '', mediaType: mimeType, data: blob } = block
  return { type: 'resource', resource: { uri, mimeType, blob } }
}

function mendCallResult({ content, structuredContent, isError, ...rest }: Record<string, unknown>): object {
  const blocks = Array.isArray(content) ? content : (content ?? null) === null ? [] : [content]
  const isNewer = typeof rest['resultType'] === 'string'
  // Before 2026, structured content is an object; the package wraps other values in this way when it serves.
  const structured = isNewer || isRecord(structuredContent) ? structuredContent : { result: structuredContent }
  return {
    resultType: 'complete',
    ...rest,
    content: blocks.map(mendBlock),
    ...((structuredContent ?? null) === null ? {} : { structuredContent: structured }),
    ...((isError ?? null) === null ? {} : { isError: isError !== false && isError !== 'false' }),
  }
}
