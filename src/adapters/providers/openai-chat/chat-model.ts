import type { Model, ModelRequest, OutputFormat, ToolDefinition } from '../../../core/ports/model.ts'
import { effortFor, isStrictSchema, openaiClient, type OpenAIServer, refusesTemperature } from '../openai-client.ts'
import { knownAddress } from '../wire/base-address.ts'
import { askedFor, type ModelOptions, type ModelSettings } from '../wire/model-options.ts'
import { wireModel } from '../wire/wire-model.ts'
import { ChatAnswer } from './answer.ts'
import { chatAccepted, compatFor, type OpenAICompat } from './compat.ts'
import type {
  ChatCompletionCreateParamsStreaming,
  ChatCompletionFunctionTool,
  ChatCompletionMessageParam,
  ChatCompletionToolChoiceOption,
} from 'openai/resources/chat/completions'
import { isSendable, sendableText } from '../wire/history.ts'
import { legalRequest } from '../wire/legal-request.ts'
import { chatMessages } from './messages.ts'

/** Options of `openaiChat`. All are optional. The default key is OPENAI_API_KEY; a local server accepts any text. */
export interface OpenAIChatOptions extends ModelOptions {
  /** Provider id in messages, e.g. `groq` for that server. Default `openai`. */
  readonly provider?: string
  /** Default: OPENAI_BASE_URL, else the provider's own. */
  readonly baseURL?: string
  /** The features of the server. Default: by base URL. */
  readonly compat?: Partial<OpenAICompat>
}

/** Returns a model on a server of the Chat Completions wire; `family` is its own name if `id` names a deployment. */
export function chatModel(id: string, options: OpenAIChatOptions, server: OpenAIServer, family: string = id): Model {
  const { provider = 'openai', maxTokens, thinking } = options
  const { variable } = server
  const address = () => server.address().baseURL
  return wireModel({
    ...{ provider, id, wire: 'openai-chat', family, options, variable, address },
    media: () => chatAccepted(compatFor(knownAddress(address) ?? '', options.compat)),
    prepare: (request) => {
      const compat = compatFor(address(), options.compat)
      const { body, leftOut } = chatRequest(request, { provider, model: id, family, maxTokens, thinking, compat })
      return {
        leftOut,
        answer: new ChatAnswer({ provider, model: id }, compat),
        open: async (line, keys) => {
          const client = await openaiClient(server, await keys.key(), options.headers, line)
          return await client.chat.completions.create(body, { signal: line.signal })
        },
      }
    },
  })
}

/** The settings of every request. */
export interface ChatSettings extends ModelSettings {
  /** The model's own name, if `model` names a deployment. */
  readonly family: string
  readonly compat: OpenAICompat
}

/** Returns the body of a Chat Completions request. Cache marks are left out, because the server caches by itself. */
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
