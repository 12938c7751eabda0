import { mediaTypeOf } from '../../../src/core/domain/media.ts'
import { Suspended, type Tool, type ToolContext, type ToolResult } from '../../../src/core/ports/tool.ts'

interface CallOptions {
  readonly signal?: AbortSignal
  readonly progress?: (text: string) => void
  readonly update?: ToolContext['update']
}

/** Validates the arguments as the engine does and performs the tool of that name once. */
export async function callTool(
  tools: readonly Tool[],
  name: string,
  given: unknown,
  options: CallOptions = {},
): Promise<ToolResult> {
  const tool = tools.find((each) => each.name === name)
  if (tool === undefined) throw new Error(`No tool ${name}.`)
  const perform: unknown = Reflect.get(tool, 'execute')
  if (typeof perform !== 'function') throw new Error(`Tool ${name} cannot be performed.`)
  const result: unknown = await Reflect.apply(perform, tool, [await validated(tool, given), contextFor(name, options)])
  if (!isToolResult(result)) throw new Error(`${name} returned ${String(result)}.`)
  return result
}

/** The texts of a result, joined by line feeds. */
export function textOf(result: Pick<ToolResult, 'content'>): string {
  return result.content.map((block) => (block.type === 'text' ? block.text : `[${mediaTypeOf(block)}]`)).join('\n')
}

async function validated(tool: Tool, given: unknown): Promise<unknown> {
  const { input } = tool
  const standard = '~standard' in input ? input['~standard'] : undefined
  if (typeof standard !== 'object' || standard === null || !('validate' in standard)) throw new Error('No schema.')
  if (typeof standard.validate !== 'function') throw new Error('No schema.')
  const checked: unknown = await standard.validate(given)
  if (typeof checked !== 'object' || checked === null || !('value' in checked)) {
    throw new Error(`Invalid arguments: ${JSON.stringify(checked)}`)
  }
  return checked.value
}

function isToolResult(value: unknown): value is ToolResult {
  return typeof value === 'object' && value !== null && 'content' in value
}

/** A context of a first performance. */
export function contextFor(toolName: string, { signal, progress, update }: CallOptions = {}): ToolContext {
  return {
    runId: 'run-1',
    run: { id: 'run-1', subject: 'run-1', labels: {} },
    callId: 'call-1',
    toolName,
    attempt: 1,
    fence: 1,
    idempotencyKey: `run-1/${toolName}/1`,
    signal: signal ?? new AbortController().signal,
    state: null,
    patch: () => {},
    step: async (_, perform) => perform(),
    suspend: (ticket = {}) => new Suspended(ticket),
    progress: progress ?? (() => {}),
    update: update ?? (() => {}),
  }
}
