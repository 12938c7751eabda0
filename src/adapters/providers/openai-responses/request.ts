import type {
  FunctionTool,
  ResponseCreateParamsStreaming,
  ToolChoiceFunction,
  ToolChoiceOptions,
} from 'openai/resources/responses/responses'
import type {
  ModelRequest,
  OutputFormat,
  RequestOption,
  ThinkingLevel,
  ToolDefinition,
} from '../../../core/ports/model.ts'
import { effortFor, isStrictSchema, reasons, refusesTemperature } from '../openai-client.ts'
import { accepted } from '../wire/accepted.ts'
import { isSendable, sendableText } from '../wire/history.ts'
import { legalRequest } from '../wire/legal-request.ts'
import { askedFor } from '../wire/model-options.ts'
import { responseItems, type ResponsesTarget } from './items.ts'

/** What a model's options say of every request. */
export interface ResponsesSettings extends ResponsesTarget {
  /** The model's own name, where `model` names a deployment of it. */
  readonly family: string
  readonly maxTokens: number | undefined
  readonly thinking: ThinkingLevel | undefined
}

/** A body to send, and what the request asked for that the wire has no place for. */
export interface ResponsesRequest {
  readonly body: ResponseCreateParamsStreaming
  readonly leftOut: readonly RequestOption[]
}

/** The body of a Responses request. Nothing is kept at the server: reasoning comes back encrypted and is sent again. */
export function responsesRequest(given: ModelRequest, settings: ResponsesSettings): ResponsesRequest {
  const request = legalRequest(given, accepted['openai-responses'])
  const { model, family } = settings
  const maxTokens = request.maxTokens ?? settings.maxTokens
  const tools = request.tools.map(toolOf)
  const choice = tools.length > 0 ? choiceOf(request) : undefined
  const isReasoning = reasons(family)
  const effort = isReasoning ? effortFor(family, request.thinking ?? settings.thinking) : undefined
  const isFixed = refusesTemperature(family, effort)
  const body: ResponseCreateParamsStreaming = {
    model,
    input: responseItems(request.messages, settings),
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
  const missing: readonly RequestOption[] = [
    'cache',
    ...(isFixed ? (['temperature'] as const) : []),
    ...(isReasoning ? [] : (['thinking'] as const)),
    ...(choice === undefined || choice === 'none' ? (['requiredCall'] as const) : []),
  ]
  return { body, leftOut: askedFor(request, missing) }
}

/** This wire takes a tool for strict unless it is told otherwise. */
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
