import { isRecord } from '../../../core/domain/text/json.ts'
import type { Redactor } from '../../../core/domain/text/redactor.ts'
import { thrownText } from '../../../core/domain/text/thrown-text.ts'
import type { ToolResult } from '../../../core/ports/tool.ts'
import { failed } from '../file-failure.ts'
import { foreignText } from '../foreign-text.ts'
import { streamEnded } from './http-transport.ts'
import { type McpOptions, placeOf } from './mcp-options.ts'

const maxSaid = 2_000

/** Returns the error that the model sees for a call without a result. */
export function callFailure(options: McpOptions, secrets: Redactor, toolName: string, error: unknown): ToolResult {
  const place = placeOf(options)
  if (codeOf(error) === 'CONNECTION_CLOSED' || codeOf(error) === streamEnded) {
    return failed(`${place} closed the connection during "${toolName}". The call may or may not have had its effect.`)
  }
  return failed(`${place} gave "${toolName}" no result: ${foreignText(secrets.text(thrownText(error)), maxSaid)}`)
}

/** Words of servers for a session that they do not know, or that has not begun for them. */
const sessionWords = /session|initiali[sz]ed/i

/**
 * Returns `lost` if the server did not process a request because its session is unknown, and `perhaps` for an unclear
 * 400.
 */
export function lossIn(error: unknown, session: string | undefined): 'none' | 'lost' | 'perhaps' {
  if (codeOf(error) === 'NOT_CONNECTED') return 'lost'
  const status = error instanceof Error && 'status' in error ? error.status : undefined
  if (status === 404) return 'lost'
  if (status !== 400 || session === undefined) return 'none'
  const data = error instanceof Error && 'data' in error && isRecord(error.data) ? error.data : {}
  const text = typeof data['text'] === 'string' ? data['text'] : ''
  const isAboutSession = sessionWords.test(text)
  if (isAnswer(text)) return isAboutSession ? 'perhaps' : 'none'
  return isAboutSession ? 'lost' : 'perhaps'
}

/** Returns true for the answer to a request that the server has read: it has the id of a request, a number. */
function isAnswer(text: string): boolean {
  try {
    const parsed: unknown = JSON.parse(text)
    return isRecord(parsed) && typeof parsed['id'] === 'number'
  } catch {
    return false
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
