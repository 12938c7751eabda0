import type { Json } from '../domain/json.ts'
import type { Redactor } from '../domain/redactor.ts'
import { Suspended, type Tool, type ToolContext, type ToolResult, type ToolReturn } from '../ports/tool.ts'

/** The same tool, with secrets masked in what it returns, reports and asks. */
export function redactedTool(tool: Tool, redactor: Redactor): Tool {
  return {
    ...tool,
    execute: async (input, context) => maskReturn(await tool.execute(input, maskContext(context, redactor)), redactor),
  }
}

function maskContext(context: ToolContext, redactor: Redactor): ToolContext {
  return {
    ...context,
    progress: (text) => context.progress(redactor.text(text)),
    update: (partial) => context.update(maskReturn(partial, redactor)),
  }
}

function maskReturn(returned: ToolReturn, redactor: Redactor): ToolReturn {
  if (returned === undefined) return undefined
  if (returned instanceof Suspended) {
    const { message } = returned.ticket
    return message === undefined ? returned : new Suspended({ ...returned.ticket, message: redactor.text(message) })
  }
  return isResult(returned) ? maskResult(returned, redactor) : redactor.json(returned)
}

function isResult(returned: Json | ToolResult): returned is ToolResult {
  return typeof returned === 'object' && returned !== null && 'content' in returned && Array.isArray(returned.content)
}

function maskResult(result: ToolResult, redactor: Redactor): ToolResult {
  const { details } = result
  return {
    ...result,
    content: result.content.map((block) =>
      block.type === 'text' ? { ...block, text: redactor.text(block.text) } : block,
    ),
    ...(details === undefined ? {} : { details: redactor.json(details) }),
  }
}
