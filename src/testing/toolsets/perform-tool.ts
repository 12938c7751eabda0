import type { Json } from '../../core/domain/text/json.ts'
import { Suspended, type Tool, type ToolContext, type ToolReturn } from '../../core/ports/tool.ts'

/** Performs a tool once, outside of any run. */
export async function performTool(
  { name, execute }: Tool,
  input: Json,
  signal = new AbortController().signal,
): Promise<ToolReturn> {
  const context: ToolContext = {
    runId: 'suite',
    run: { id: 'suite', subject: 'suite', labels: {} },
    callId: '1.call',
    toolName: name,
    attempt: 1,
    idempotencyKey: 'suite:1.call:0',
    fence: 1,
    signal,
    state: null,
    patch: () => {},
    step: async (_, perform) => perform(),
    suspend: (ticket = {}) => new Suspended(ticket),
    progress: () => {},
    update: () => {},
  }
  return execute(input as never, context)
}

/** Returns true for a result that reports a failure of the tool. */
export function isErrorResult(returned: ToolReturn): boolean {
  return typeof returned === 'object' && returned !== null && 'status' in returned && returned.status === 'error'
}
