import type { JsonObject } from '../../core/domain/text/json.ts'
import type { ProbeAnswer, ProbeQuestion, ToolResult, ToolReturn } from '../../core/ports/tool.ts'

/**
 * Finds out what an earlier call of a foreign tool has done. `ask` performs another operation or tool of the same server,
 * which must only read, by its own name there; it resolves with the result, also with a failed one.
 */
export type ProbeBy = (
  question: ProbeQuestion<JsonObject>,
  ask: (name: string, given: JsonObject) => Promise<ToolResult | ToolReturn>,
) => ProbeAnswer | Promise<ProbeAnswer>
