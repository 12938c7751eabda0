import type {
  ChatCompletionCreateParamsStreaming,
  ChatCompletionFunctionTool,
  ChatCompletionMessageParam,
  ChatCompletionToolChoiceOption,
} from 'openai/resources/chat/completions'
import type { ModelRequest, OutputFormat, ToolDefinition } from '../../../core/ports/model.ts'
import { effortFor, isStrictSchema, refusesTemperature } from '../openai-client.ts'
import { isSendable, sendableText } from '../wire/history.ts'
import { legalRequest } from '../wire/legal-request.ts'
import { askedFor, type ModelSettings } from '../wire/model-options.ts'
import { chatMessages } from './messages.ts'
import { chatAccepted, type OpenAICompat } from './compat.ts'

/** The settings of every request. */
export interface ChatSettings extends ModelSettings {
  /** The model's own name, if `model` names a deployment. */
  readonly family: string
  readonly compat: OpenAICompat
}

/** The body of a Chat Completions request. The wire caches by itself, so marks are left out. */
export function chatRequest(given: ModelRequest, settings: ChatSettings) {
  const request = legalRequest(given, chatAccepted(settings.compat))
  const { model, family, compat } = settings
  const maxTokens = request.maxTokens ?? settings.maxTokens
  const tools = request.tools.map((tool) => toolOf(tool, compat))
  const choice = tools.length > 0 ? choiceOf(request, compat) : undefined
  const effort = compat.reasoningEffort ? effortFor(family, request.thinking ?? settings.thinking) : undefined
  const isFixed = compat.ownModels && refusesTemperature(family, effort)
  const format = compat.jsonSchema && request.output !== undefined ? formatOf(request.output) : undefined
  const body: ChatCompletionCreateParamsStreaming = {
    model,
    messages: [...instructions(request.system, compat), ...chatMessages(request.messages, settings, compat)],
    ...(tools.length > 0 ? { tools } : {}),
    ...(choice === undefined ? {} : { tool_choice: choice }),
    ...(maxTokens === undefined ? {} : { [compat.maxTokensField]: maxTokens }),
    ...(request.temperature === undefined || isFixed ? {} : { temperature: request.temperature }),
    ...(effort === undefined ? {} : { reasoning_effort: effort }),
    ...(format === undefined ? {} : { response_format: format }),
    stream: true,
    ...(compat.streamUsage ? { stream_options: { include_usage: true } } : {}),
  }
  const leftOut = askedFor(request, {
    cache: true,
    thinking: !compat.reasoningEffort,
    output: !compat.jsonSchema,
    requiredCall: choice === undefined || choice === 'none',
    temperature: isFixed,
  })
  return { body, leftOut }
}

function choiceOf(
  { toolChoice, requiredCall }: ModelRequest,
  { requiredCalls }: OpenAICompat,
): ChatCompletionToolChoiceOption | undefined {
  if (toolChoice === 'none') return 'none'
  if (requiredCall === undefined || !requiredCalls) return undefined
  return requiredCall === true ? 'required' : { type: 'function', function: { name: requiredCall } }
}

function formatOf({ name, schema }: OutputFormat) {
  return { type: 'json_schema' as const, json_schema: { name, schema, strict: isStrictSchema(schema) } }
}

function instructions(system: string, compat: OpenAICompat): ChatCompletionMessageParam[] {
  if (!isSendable(system)) return []
  return [{ role: compat.developerRole ? 'developer' : 'system', content: sendableText(system) }]
}

function toolOf(
  { name, description, parameters }: ToolDefinition,
  { strictTools }: OpenAICompat,
): ChatCompletionFunctionTool {
  const strict = strictTools && isStrictSchema(parameters) ? { strict: true } : {}
  return { type: 'function', function: { name, description, parameters, ...strict } }
}
