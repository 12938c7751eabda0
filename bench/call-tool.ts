import { Suspended, type Tool, type ToolContext, type ToolResult } from '../src/core/ports/tool.ts'

/** Performs a tool once, outside of any run. */
export async function callTool({ execute }: Tool, given: object): Promise<ToolResult> {
  return await Reflect.apply(execute, undefined, [given, context])
}

const context: ToolContext = {
  runId: 'bench',
  run: { id: 'bench', subject: 'bench', labels: {} },
  callId: '1.call',
  toolName: 'tool',
  attempt: 1,
  fence: 1,
  idempotencyKey: 'bench:1.call:0',
  signal: new AbortController().signal,
  state: null,
  patch: () => {},
  step: async (_, perform) => perform(),
  suspend: (ticket = {}) => new Suspended(ticket),
  progress: () => {},
  update: () => {},
}
