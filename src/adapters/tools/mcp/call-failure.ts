import type { Redactor } from '../../../core/domain/text/redactor.ts'
import { thrownText } from '../../../core/domain/text/thrown-text.ts'
import type { ToolResult } from '../../../core/ports/tool.ts'
import { foreignText } from '../foreign-text.ts'
import { streamEnded } from './http-transport.ts'
import { type McpOptions, placeOf } from './mcp-options.ts'

/** Characters of what a server says of an error. */
const maxSaid = 2_000

/** An error result of one text. */
export function failed(text: string): ToolResult {
  return { content: [{ type: 'text', text }], status: 'error' }
}

/** What the model is told of a call that came to no result. */
export function callFailure(options: McpOptions, secrets: Redactor, toolName: string, error: unknown): ToolResult {
  const place = placeOf(options)
  if (codeOf(error) === 'CONNECTION_CLOSED' || codeOf(error) === streamEnded) {
    return failed(`${place} closed the connection during "${toolName}". The call may or may not have had its effect.`)
  }
  return failed(`${place} gave "${toolName}" no result: ${foreignText(secrets.text(thrownText(error)), maxSaid)}`)
}

/** True where the server cannot have seen the request: there was no connection, or none of the session it was sent in. */
export function wasNotTaken(error: unknown): boolean {
  return codeOf(error) === 'NOT_CONNECTED' || (error instanceof Error && 'status' in error && error.status === 404)
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
