import type {
  CacheControlEphemeral,
  MessageCreateParamsStreaming,
  TextBlockParam,
  Tool,
  ToolChoice,
} from '@anthropic-ai/sdk/resources/messages/messages'
import type { ModelRequest, OutputFormat, ToolDefinition } from '../../../core/ports/model.ts'
import { anthropicHistory, type AnthropicMessage } from './messages.ts'
import { budgetOf, knowsFormats, mayBeForced, thinkingPlan, type ThinkingPlan } from './thinking.ts'
import { accepted } from '../wire/accepted.ts'
import { isSendable, sendableText } from '../wire/history.ts'
import { legalRequest } from '../wire/legal-request.ts'
import { askedFor, cacheMarks, type ModelSettings } from '../wire/model-options.ts'
import { asksForSummary } from '../wire/own-summary.ts'

/** Returns the body of a Messages request. A temperature is left out, because the API no longer accepts one. */
export function anthropicRequest(given: ModelRequest, settings: ModelSettings) {
  const request = legalRequest(given, accepted['anthropic-messages'])
  const { model } = settings
  const cache = cacheMarks(request.cache ?? settings.cache ?? 'auto')
  const system = isSendable(request.system) ? [textOf(request.system)] : []
  const tools = request.tools.map(toolOf)
  const { messages, prefix } = anthropicHistory(request.messages, settings, JSON.stringify([system, tools]))
  const plan = feasible(thinkingPlan(model, request.thinking ?? settings.thinking), messages)
  const choice = tools.length > 0 ? choiceOf(request, model, plan) : undefined
  const body: MessageCreateParamsStreaming & Compacting = {
    model,
    max_tokens: budgetOf(plan) + (request.maxTokens ?? settings.maxTokens ?? 0),
    ...(system.length > 0 ? { system: cache.system ? markLast(system) : system } : {}),
    messages: cache.messages ? markSecondToLastUser(messages) : messages,
    ...(tools.length > 0 ? { tools: cache.tools ? markLast(tools) : tools } : {}),
    ...(choice === undefined ? {} : { tool_choice: choice }),
    ...withFormat(plan, request.output, model),
    ...(asksForSummary(request, settings) ? { compaction: { type: 'summarize' } } : {}),
    stream: true,
  }
  const isUnmet = choice?.type !== 'any' && choice?.type !== 'tool'
  const leftOut = askedFor(request, { temperature: true, output: !knowsFormats(model), requiredCall: isUnmet })
  return { body, prefix, leftOut }
}

/** A request for a block that replaces all messages of the request. */
interface Compacting {
  readonly compaction?: { readonly type: 'summarize' }
}

/** Models that think by themselves refuse a forced call. */
function choiceOf(
  { toolChoice, requiredCall }: ModelRequest,
  model: string,
  plan: ThinkingPlan,
): ToolChoice | undefined {
  if (toolChoice === 'none') return { type: 'none' }
  if (requiredCall === undefined || !mayBeForced(model, plan)) return undefined
  return requiredCall === true ? { type: 'any' } : { type: 'tool', name: requiredCall }
}

function withFormat(plan: ThinkingPlan, output: OutputFormat | undefined, model: string): ThinkingPlan {
  if (output === undefined || !knowsFormats(model)) return plan
  return { ...plan, output_config: { ...plan.output_config, format: { type: 'json_schema', schema: output.schema } } }
}

function textOf(text: string): TextBlockParam {
  return { type: 'text', text: sendableText(text) }
}

function toolOf({ name, description, parameters }: ToolDefinition): Tool {
  return { name, description, input_schema: { ...parameters, type: 'object' } }
}

/**
 * With a budget the wire refuses to go on after tool results whose calls came without thinking, as another
 * model's do: that request goes without.
 */
function feasible(plan: ThinkingPlan, messages: readonly AnthropicMessage[]): ThinkingPlan {
  if (plan.thinking?.type !== 'enabled') return plan
  const [calling, results] = messages.slice(-2)
  const midRound = hasBlock(results, 'tool_result')
  return midRound && !hasBlock(calling, 'thinking') && !hasBlock(calling, 'redacted_thinking') ? {} : plan
}

function hasBlock(message: AnthropicMessage | undefined, type: string): boolean {
  return message !== undefined && message.content.some((block) => block.type === type)
}

const mark: { readonly cache_control: CacheControlEphemeral } = { cache_control: { type: 'ephemeral' } }

function markLast<T extends object>(blocks: readonly T[]): T[] {
  return blocks.map((block, index) => (index === blocks.length - 1 ? { ...block, ...mark } : block))
}

function markSecondToLastUser(messages: readonly AnthropicMessage[]): AnthropicMessage[] {
  const marked = messages.filter(({ role }) => role === 'user').at(-2)
  return messages.map((message) =>
    message === marked ? { role: 'user', content: markLast(message.content) } : message,
  )
}
