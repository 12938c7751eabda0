import type { Model, ModelRequest, OutputFormat, ToolDefinition } from '../../../core/ports/model.ts'
import {
  effortFor,
  isStrictSchema,
  openaiClient,
  type OpenAIServer,
  reasons,
  refusesTemperature,
} from '../openai-client.ts'
import { accepted } from '../wire/accepted.ts'
import { askedFor, type ModelOptions, type ModelSettings } from '../wire/model-options.ts'
import { asksForSummary } from '../wire/own-summary.ts'
import { wireModel } from '../wire/wire-model.ts'
import { ResponsesAnswer } from './answer.ts'
import type {
  FunctionTool,
  ResponseCreateParamsStreaming,
  ToolChoiceFunction,
  ToolChoiceOptions,
} from 'openai/resources/responses/responses'
import { isSendable, sendableText } from '../wire/history.ts'
import { legalRequest } from '../wire/legal-request.ts'
import { responseItems } from './items.ts'

/** Options of `openaiResponses`. All are optional. The default key is OPENAI_API_KEY. */
export interface OpenAIResponsesOptions extends ModelOptions {
  /** Provider id in messages. Default `openai`. */
  readonly provider?: string
  /** Default: OPENAI_BASE_URL, else the provider's own. */
  readonly baseURL?: string
  /**
   * True to let OpenAI make the summaries that `compaction.summaries` asks for, by an item `compaction_trigger`. Its
   * encrypted item is sent back as it came; other models read the shortened conversation. Default false.
   */
  readonly compaction?: boolean
}

/** Returns a model on a server of the Responses wire; `family` is its own name if `id` names a deployment. */
export function responsesModel(
  id: string,
  family: string,
  options: OpenAIResponsesOptions,
  server: OpenAIServer,
): Model {
  const { provider = 'openai', maxTokens, thinking, compaction: compacts } = options
  return wireModel({
    ...{ provider, id, wire: 'openai-responses', family, options, variable: server.variable },
    media: () => accepted['openai-responses'],
    address: () => server.address().baseURL,
    facts: { bindsCallsToReasoning: true, ...(compacts === true ? { compacts } : {}) },
    prepare: (request) => {
      const { body, leftOut } = responsesRequest(request, {
        provider,
        model: id,
        family,
        maxTokens,
        thinking,
        compacts,
      })
      return {
        leftOut,
        answer: new ResponsesAnswer({ provider, model: id }),
        open: async (line, keys) => {
          const client = await openaiClient(server, await keys.key(), options.headers, line)
          return await client.responses.create(body, { signal: line.signal })
        },
      }
    },
  })
}

/** The settings of every request. */
export interface ResponsesSettings extends ModelSettings {
  /** The model's own name, if `model` names a deployment. */
  readonly family: string
}

/**
 * Returns the body of a Responses request. The server stores nothing: reasoning arrives encrypted and is sent again.
 */
export function responsesRequest(given: ModelRequest, settings: ResponsesSettings) {
  const request = legalRequest(given, accepted['openai-responses'])
  const { model, family } = settings
  const isCompacting = asksForSummary(request, settings)
  // Only the provider knows the minimum size of its item.
  const maxTokens = isCompacting ? undefined : (request.maxTokens ?? settings.maxTokens)
  const tools = request.tools.map(toolOf)
  const choice = tools.length > 0 ? choiceOf(request) : undefined
  const isReasoning = reasons(family)
  const effort = isReasoning ? effortFor(family, request.thinking ?? settings.thinking) : undefined
  const isFixed = refusesTemperature(family, effort)
  const body: ResponseCreateParamsStreaming = {
    model,
    input: [...responseItems(request.messages, settings), ...(isCompacting ? [trigger] : [])],
    ...(isSendable(request.system) ? { instructions: sendableText(request.system) } : {}),
    ...(tools.length > 0 ? { tools } : {}),
    ...(choice === undefined ? {} : { tool_choice: choice }),
    ...(maxTokens === undefined ? {} : { max_output_tokens: maxTokens }),
    ...(request.temperature === undefined || isFixed ? {} : { temperature: request.temperature }),
    ...(effort === undefined ? {} : { reasoning: effort === 'none' ? { effort } : { effort, summary: 'auto' } }),
    ...(isReasoning ? { include: ['reasoning.encrypted_content'] } : {}),
    ...(request.output === undefined ? {} : { text: { format: formatOf(request.output) } }),
    store: false,
    stream: true,
  }
  const leftOut = askedFor(request, {
    cache: true,
    temperature: isFixed,
    thinking: !isReasoning,
    requiredCall: choice === undefined || choice === 'none',
  })
  return { body, leftOut }
}

/** Has the provider compact all items before it. */
const trigger = { type: 'compaction_trigger' } as const

/** On this wire a tool is strict by default. */
function toolOf({ name, description, parameters }: ToolDefinition): FunctionTool {
  return { type: 'function', name, description, parameters, strict: isStrictSchema(parameters) }
}

function choiceOf({ toolChoice, requiredCall }: ModelRequest): ToolChoiceOptions | ToolChoiceFunction | undefined {
  if (toolChoice === 'none') return 'none'
  if (requiredCall === undefined) return undefined
  return requiredCall === true ? 'required' : { type: 'function', name: requiredCall }
}

function formatOf({ name, schema }: OutputFormat) {
  return { type: 'json_schema' as const, name, schema, strict: isStrictSchema(schema) }
}
