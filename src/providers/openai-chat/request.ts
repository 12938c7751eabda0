import type {
  ChatCompletionCreateParamsStreaming,
  ChatCompletionFunctionTool,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions'
import type { ReasoningEffort } from 'openai/resources/shared'
import type { ModelRequest, ToolDefinition } from '../../ports/model.ts'
import { chatMessages, type ChatTarget } from './messages.ts'
import type { OpenAICompat } from './compat.ts'
import { isSendable, sendableText } from '../wire/history.ts'
import type { ThinkingLevel } from '../wire/model-options.ts'

/** What a model's options say of every request. */
export interface ChatSettings extends ChatTarget {
  readonly maxTokens: number | undefined
  readonly thinking: ThinkingLevel | undefined
  readonly compat: OpenAICompat
}

/** The body of a Chat Completions request. */
export function chatRequest(request: ModelRequest, settings: ChatSettings): ChatCompletionCreateParamsStreaming {
  const { model, compat } = settings
  const maxTokens = request.maxTokens ?? settings.maxTokens
  const tools = request.tools.map(toolOf)
  return {
    model,
    messages: [...instructions(request.system, compat), ...chatMessages(request.messages, settings)],
    ...(tools.length > 0 ? { tools } : {}),
    ...(tools.length > 0 && request.toolChoice === 'none' ? { tool_choice: 'none' } : {}),
    ...(maxTokens === undefined ? {} : { [compat.maxTokensField]: maxTokens }),
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    ...(compat.reasoningEffort ? effort(model, settings.thinking) : {}),
    stream: true,
    ...(compat.streamUsage ? { stream_options: { include_usage: true } } : {}),
  }
}

function instructions(system: string, compat: OpenAICompat): ChatCompletionMessageParam[] {
  if (!isSendable(system)) return []
  return [{ role: compat.developerRole ? 'developer' : 'system', content: sendableText(system) }]
}

function toolOf({ name, description, parameters }: ToolDefinition): ChatCompletionFunctionTool {
  return { type: 'function', function: { name, description, parameters } }
}

/** `off` is `none` where models know it (from gpt-5.1 on) and left out elsewhere; no model refuses `low`. */
function effort(
  model: string,
  level: ThinkingLevel | undefined,
): { readonly reasoning_effort?: NonNullable<ReasoningEffort> } {
  if (level === undefined) return {}
  if (level === 'off') return knowsNone(model) ? { reasoning_effort: 'none' } : {}
  return { reasoning_effort: level === 'minimal' ? 'low' : level }
}

function knowsNone(model: string): boolean {
  const match = /^gpt-(\d+)(?:\.(\d+))?/.exec(model)
  return match !== null && Number(match[1]) * 100 + Number(match[2] ?? 0) > 500
}
