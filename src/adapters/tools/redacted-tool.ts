import { isRecord, type Json } from '../../core/domain/text/json.ts'
import type { Redactor } from '../../core/domain/text/redactor.ts'
import type { SuspensionTicket } from '../../core/domain/suspension.ts'
import { thrownText } from '../../core/domain/text/thrown-text.ts'
import { Suspended, type Tool, type ToolContext, type ToolResult, type ToolReturn } from '../../core/ports/tool.ts'

/** Returns a copy of a tool with secrets masked in its results, exceptions, reports and questions. */
export function redactedTool(tool: Tool, redactor: Redactor): Tool {
  const { preview } = tool
  return {
    ...tool,
    ...(preview === undefined
      ? {}
      : { preview: (input, context) => maskedPreview(async () => preview(input, context), redactor) }),
    execute: async (input, context) => {
      const run = async () => tool.execute(input, maskContext(context, redactor))
      return maskReturn(await run().catch((error: unknown) => rethrowMasked(error, redactor)), redactor)
    },
  }
}

async function maskedPreview(preview: () => Promise<Json | undefined>, redactor: Redactor): Promise<Json | undefined> {
  const shown = await preview().catch((error: unknown) => rethrowMasked(error, redactor))
  return shown === undefined ? undefined : redactor.json(shown)
}

/** Rethrows without a cause, which would contain what is masked. */
function rethrowMasked(error: unknown, redactor: Redactor): never {
  throw new Error(redactor.text(thrownText(error)))
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
    return new Suspended(maskTicket(returned.ticket, redactor))
  }
  return isResult(returned) ? maskResult(returned, redactor) : redactor.json(returned)
}

function maskTicket(ticket: SuspensionTicket, redactor: Redactor): SuspensionTicket {
  const { message, parameters, preview } = ticket
  return {
    ...ticket,
    ...(message === undefined ? {} : { message: redactor.text(message) }),
    ...(parameters === undefined ? {} : { parameters: redactor.json(parameters) }),
    ...(preview === undefined ? {} : { preview: redactor.json(preview) }),
  }
}

function isResult(returned: Json | ToolResult): returned is ToolResult {
  return isRecord(returned) && Array.isArray(returned['content'])
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
