import { mediaTypeOf } from '../../src/core/domain/media.ts'
import type { Decision } from '../../src/core/domain/decision.ts'
import type { Suspension } from '../../src/core/domain/suspension.ts'
import { Suspended, type Tool, type ToolContext, type ToolResult, type ToolReturn } from '../../src/core/ports/tool.ts'

/** The context of a call outside of any run, beside its arguments. */
export interface PerformOptions {
  readonly callId?: string
  readonly signal?: AbortSignal
  readonly progress?: (text: string) => void
  readonly suspension?: Suspension
  readonly decision?: Pick<Decision, 'input' | 'result'>
}

/** Performs the tool of that name once; arguments are taken as they are. */
export async function performCall(
  tools: readonly Tool[],
  name: string,
  given: object,
  options: PerformOptions = {},
): Promise<ToolReturn> {
  const tool = tools.find((each) => each.name === name)
  if (tool === undefined) throw new Error(`No tool ${name} among ${tools.map((each) => each.name).join(', ')}.`)
  return await Reflect.apply(tool.execute, tool, [given, contextOf(name, options)])
}

/** The result of such a call; fails where it is suspended. */
export async function resultOf(
  tools: readonly Tool[],
  name: string,
  given: object,
  options: PerformOptions = {},
): Promise<ToolResult> {
  const returned = await performCall(tools, name, given, options)
  if (isResult(returned)) return returned
  throw new Error(`${name} returned ${JSON.stringify(returned)}.`)
}

/** The texts of a result, joined by line feeds. */
export function textIn({ content }: ToolResult): string {
  return content.map((block) => (block.type === 'text' ? block.text : `[${mediaTypeOf(block)}]`)).join('\n')
}

function isResult(returned: ToolReturn): returned is ToolResult {
  return typeof returned === 'object' && returned !== null && 'content' in returned && Array.isArray(returned.content)
}

function contextOf(
  toolName: string,
  { callId = '1.call', decision, suspension, ...rest }: PerformOptions,
): ToolContext {
  return {
    runId: 'run',
    run: { id: 'run', subject: 'run', labels: {} },
    callId,
    toolName,
    attempt: 1,
    idempotencyKey: `run:${callId}:0`,
    fence: 1,
    signal: rest.signal ?? new AbortController().signal,
    ...(suspension === undefined ? {} : { suspension }),
    ...(decision === undefined
      ? {}
      : {
          decision: {
            ...decision,
            action: 'resume' as const,
            target: callId,
            decisionId: 'd',
            callId,
            suspensionId: suspension?.id ?? null,
            at: 0,
          },
        }),
    state: null,
    patch: () => {},
    step: async (_, perform) => perform(),
    suspend: (ticket = {}) => new Suspended(ticket),
    progress: rest.progress ?? (() => {}),
    update: () => {},
  }
}
