import type { SuspensionTicket } from '../../domain/suspension.ts'
import { Suspended, type Tool, type ToolReturn } from '../../ports/tool.ts'
import { checkValue } from './check-value.ts'
import { errorResult } from './tool-result.ts'

/**
 * Returns a failure in place of a value that does not fit the tool's `output`. A question or an error is not such a
 * value.
 */
export async function heldToOutput(tool: Tool, returned: ToolReturn): Promise<ToolReturn> {
  const isValue = !(returned instanceof Suspended) && !isErrorResult(returned) && pendingTicket(returned) === undefined
  if (tool.output === undefined || !isValue) return returned
  const { issues } = await checkValue(tool.output, returned, tool.formats)
  if (issues === undefined) return returned
  return errorResult(`Tool "${tool.name}" ran, but what it returned does not fit its output schema:\n${issues}`)
}

/** Returns true for an explicit result that reports a failure. */
export function isErrorResult(returned: ToolReturn): boolean {
  return returned !== null && typeof returned === 'object' && 'status' in returned && returned.status === 'error'
}

/** Returns the ticket of a result with status `pending`, which suspends the call as `ctx.suspend` does. */
export function pendingTicket(returned: ToolReturn): SuspensionTicket | undefined {
  if (returned === null || typeof returned !== 'object' || !('status' in returned)) return undefined
  if (returned.status !== 'pending' || !('content' in returned) || !Array.isArray(returned.content)) return undefined
  const texts = returned.content.flatMap((block: unknown) => (isText(block) ? block.text : []))
  return texts.length === 0 ? {} : { message: texts.join('\n') }
}

function isText(block: unknown): block is { readonly text: string } {
  return typeof block === 'object' && block !== null && 'text' in block && typeof block.text === 'string'
}
