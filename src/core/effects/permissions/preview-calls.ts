import { copyJson } from '../../domain/text/json-copy.ts'
import { maxPreviewBytes } from '../../domain/text/json-limits.ts'
import { nextLoopTurn } from '../../domain/text/platform.ts'
import type { Json } from '../../domain/text/json.ts'
import { toolCallsOf } from '../../domain/message.ts'
import { thrownText } from '../../domain/text/thrown-text.ts'
import type { EffectContext } from '../../ports/effect-handler.ts'
import type { Plugin } from '../../ports/plugin.ts'
import type { Tool } from '../../ports/tool.ts'
import type { AgentParts } from '../agent-parts.ts'
import { inHookTime } from '../ask-code.ts'
import { checkValue } from '../tools/check-value.ts'
import type { PlannedAnswer, PlanParts } from './plan-calls.ts'
import { askOnToolValue } from '../plugins/ask-on-tool-value.ts'

type PlannedRecord = PlannedAnswer['records'][number]

type PreviewParts = Pick<PlanParts, 'tools'> & Pick<AgentParts, 'pluginTimeoutMs' | 'plugins'>

/**
 * Returns the records of an answer's calls, with the suspension of those whose tool makes a preview. Previews begin one
 * after another with timers between them, and none waits for the previous one.
 */
export async function previewCalls(
  { tools, pluginTimeoutMs, plugins }: PreviewParts,
  { message, plans, records }: PlannedAnswer,
  context: EffectContext,
): Promise<PlannedAnswer['records']> {
  const calls = toolCallsOf(message)
  const asked: Promise<PlannedRecord>[] = []
  let isLater = false
  for (const [index, record] of records.entries()) {
    const [call, plan, tool] = [calls[index], plans[index], tools.get(record.toolName)]
    if (call === undefined || plan?.verdict.kind !== 'suspended' || tool?.preview === undefined) {
      asked.push(Promise.resolve(record))
      continue
    }
    if (isLater) await nextLoopTurn()
    isLater = true
    const { suspension } = plan.verdict
    const previewed = previewOf(tool, plan.callId, call.arguments, { ...context, pluginTimeoutMs })
    asked.push(
      previewed.then((preview) => {
        const { definition, ...rest } = record
        const bound = rest.suspension ?? (definition === undefined ? suspension : { ...suspension, definition })
        return preview === undefined ? record : { ...rest, suspension: { ...bound, preview } }
      }),
    )
  }
  return (await Promise.all(asked)).map((record) => askedOnPreview(plugins, record))
}

function askedOnPreview(plugins: readonly Plugin[], record: PlannedRecord): PlannedRecord {
  const { preview: given, ...suspension } = record.suspension ?? {}
  if (given === undefined || record.suspension === undefined) return record
  const { id, reason } = record.suspension
  const { preview } = askOnToolValue(plugins, record, 'question', { preview: given })
  return { ...record, suspension: { ...suspension, id, reason, ...(preview === undefined ? {} : { preview }) } }
}

/** Returns the tool's preview of a call. A failed preview becomes a text, because it must not prevent the question. */
export async function previewOf(
  tool: Tool,
  callId: string,
  given: Json,
  context: EffectContext & Pick<AgentParts, 'pluginTimeoutMs'>,
): Promise<Json | undefined> {
  const { runId, run, view } = context
  try {
    const { value } = await checkedInput(tool, given)
    const about = { runId, run, callId, toolName: tool.name, state: view.state }
    const preview = await inHookTime(context, async (signal) => tool.preview?.(value as never, { ...about, signal }))
    if (preview === undefined) return undefined
    const copied = copyJson(preview, { mostBytes: maxPreviewBytes })
    return copied.problem === undefined ? copied.value : `[No preview: the one of this tool ${copied.problem}.]`
  } catch (error) {
    return `[No preview: it failed: ${thrownText(error).slice(0, 1_000).toWellFormed()}]`
  }
}

async function checkedInput(tool: Tool, given: Json): Promise<{ readonly value: unknown }> {
  const checked = await checkValue(tool.input, given, tool.formats)
  if (checked.issues !== undefined) throw new TypeError(checked.issues)
  return checked
}
