import type {
  CacheControlEphemeral,
  MessageCreateParamsStreaming,
  TextBlockParam,
  Tool,
} from '@anthropic-ai/sdk/resources/messages/messages'
import type { ModelRequest, ToolDefinition } from '../../ports/model.ts'
import { anthropicHistory, type AnthropicMessage } from './messages.ts'
import { budgetOf, thinkingPlan, type ThinkingPlan } from './thinking.ts'
import type { CacheMarks, ThinkingLevel } from '../wire/model-options.ts'
import { isSendable, sendableText } from '../wire/history.ts'

/** What a model's options say of every request. */
export interface AnthropicSettings {
  readonly model: string
  /** Tokens of the answer, a thinking budget not counted. */
  readonly maxTokens: number
  readonly thinking: ThinkingLevel | undefined
  readonly cache: CacheMarks
}

/** A body to send, and the mark its answer's thinking is kept with. */
export interface AnthropicRequest {
  readonly body: MessageCreateParamsStreaming
  readonly prefix: string
}

/** The body of a Messages request. The wire knows no temperature any more, so a request's is left out. */
export function anthropicRequest(request: ModelRequest, settings: AnthropicSettings): AnthropicRequest {
  const { model, cache } = settings
  const system = isSendable(request.system) ? [textOf(request.system)] : []
  const tools = request.tools.map(toolOf)
  const { messages, prefix } = anthropicHistory(request.messages, model, JSON.stringify([system, tools]))
  const plan = feasible(thinkingPlan(model, settings.thinking), messages)
  const body: MessageCreateParamsStreaming = {
    model,
    max_tokens: budgetOf(plan) + (request.maxTokens ?? settings.maxTokens),
    ...(system.length > 0 ? { system: cache.system ? markLast(system) : system } : {}),
    messages: cache.messages ? markSecondToLastUser(messages) : messages,
    ...(tools.length > 0 ? { tools: cache.tools ? markLast(tools) : tools } : {}),
    ...(tools.length > 0 && request.toolChoice === 'none' ? { tool_choice: { type: 'none' } } : {}),
    ...plan,
    stream: true,
  }
  return { body, prefix }
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
