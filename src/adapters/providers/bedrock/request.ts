import type {
  ContentBlock,
  ConverseStreamCommandInput,
  Message,
  OutputConfig,
  Tool,
  ToolChoice,
  ToolConfiguration,
} from '@aws-sdk/client-bedrock-runtime'
import type { ModelRequest, ToolDefinition } from '../../../core/ports/model.ts'
import { budgetOf, mayBeForced, thinkingPlan, type ThinkingPlan, thinksAdaptively } from '../anthropic/thinking.ts'
import { accepted } from '../wire/accepted.ts'
import { isSendable, sendableText } from '../wire/history.ts'
import { legalRequest } from '../wire/legal-request.ts'
import { askedFor, cacheMarks, type ModelSettings } from '../wire/model-options.ts'
import { bedrockHistory, wireJson } from './messages.ts'

/**
 * Returns the input of a ConverseStream command. Only Claude supports thinking here, and only Claude and Nova support
 * cache points.
 */
export function bedrockRequest(given: ModelRequest, settings: ModelSettings) {
  const request = legalRequest(given, accepted['bedrock-converse'])
  const { model } = settings
  const isClaude = model.includes('claude')
  const marks = cacheMarks(request.cache ?? settings.cache ?? 'auto')
  const caches = isClaude || model.includes('nova')
  const head = JSON.stringify([request.system, request.tools])
  const { messages, prefix } = bedrockHistory(request.messages, model, head)
  const wanted = isClaude ? thinkingPlan(model, request.thinking ?? settings.thinking) : {}
  const plan = isFeasible(wanted, messages) ? wanted : {}
  const choice = choiceOf(request, model, plan)
  const system = isSendable(request.system) ? [{ text: sendableText(request.system) }] : []
  const input: ConverseStreamCommandInput = {
    modelId: model,
    messages: caches && marks.messages ? markSecondToLastUser(messages) : messages,
    ...(system.length > 0 ? { system: caches && marks.system ? [...system, cachePoint] : system } : {}),
    ...inferenceOf(request, settings, plan),
    ...toolConfig(request, messages, choice, isClaude && marks.tools),
    ...(plan.thinking === undefined ? {} : { additionalModelRequestFields: wireJson({ thinking: plan.thinking }) }),
    ...outputOf(request, plan),
  }
  const leftOut = askedFor(request, {
    temperature: isClaude && thinksAdaptively(model),
    thinking: !isClaude,
    cache: !caches,
    requiredCall: choice === undefined,
    toolChoice: request.toolChoice === 'none',
  })
  return { input, prefix, leftOut }
}

const cachePoint = { cachePoint: { type: 'default' as const } }

/** With a budget, a round that began without thinking cannot continue with it. */
function isFeasible({ thinking }: ThinkingPlan, messages: readonly Message[]): boolean {
  if (thinking?.type !== 'enabled') return true
  const [calling, results] = messages.slice(-2)
  const isMidRound = results?.content?.some((block) => block.toolResult !== undefined) ?? false
  return !isMidRound || (calling?.content?.some((block) => block.reasoningContent !== undefined) ?? false)
}

function inferenceOf(
  request: ModelRequest,
  { model, maxTokens }: ModelSettings,
  plan: ThinkingPlan,
): Pick<ConverseStreamCommandInput, 'inferenceConfig'> {
  const most = request.maxTokens ?? maxTokens
  const { temperature } = request
  const config = {
    ...(most === undefined ? {} : { maxTokens: most + budgetOf(plan) }),
    ...(temperature === undefined || thinksAdaptively(model) ? {} : { temperature }),
  }
  return Object.keys(config).length === 0 ? {} : { inferenceConfig: config }
}

/**
 * The wire refuses a transcript with calls but without definitions, so the names of the calls replace missing
 * definitions.
 */
function toolConfig(
  request: ModelRequest,
  messages: readonly Message[],
  toolChoice: ToolChoice | undefined,
  isMarked: boolean,
): { readonly toolConfig?: ToolConfiguration } {
  const defined = request.tools.length > 0 ? request.tools.map(toolOf) : namesCalled(messages).map(lostTool)
  if (defined.length === 0) return {}
  const tools = isMarked ? [...defined, cachePoint] : defined
  return { toolConfig: { tools, ...(toolChoice === undefined ? {} : { toolChoice }) } }
}

function toolOf({ name, description, parameters }: ToolDefinition): Tool {
  const inputSchema = { json: wireJson({ ...parameters, type: 'object' }) }
  return { toolSpec: { name, ...(isSendable(description) ? { description } : {}), inputSchema } }
}

function lostTool(name: string): Tool {
  return { toolSpec: { name, inputSchema: { json: { type: 'object' } } } }
}

function namesCalled(messages: readonly Message[]): readonly string[] {
  const names = messages.flatMap(({ content = [] }) => content.flatMap((block) => block.toolUse?.name ?? []))
  return [...new Set(names)]
}

/** The wire cannot forbid calls. */
function choiceOf(
  { tools, toolChoice, requiredCall }: ModelRequest,
  model: string,
  plan: ThinkingPlan,
): ToolChoice | undefined {
  if (tools.length === 0 || toolChoice === 'none' || requiredCall === undefined) return undefined
  if (model.includes('claude') && !mayBeForced(model, plan)) return undefined
  return requiredCall === true ? { any: {} } : { tool: { name: requiredCall } }
}

function outputOf(
  { output }: ModelRequest,
  { output_config: thinking }: ThinkingPlan,
): { outputConfig?: OutputConfig } {
  const config: OutputConfig = {
    ...(thinking?.effort ? { effort: thinking.effort } : {}),
    ...(output === undefined
      ? {}
      : {
          textFormat: {
            type: 'json_schema',
            structure: { jsonSchema: { name: output.name, schema: JSON.stringify(output.schema) } },
          },
        }),
  }
  return Object.keys(config).length === 0 ? {} : { outputConfig: config }
}

function markSecondToLastUser(messages: readonly Message[]): Message[] {
  const marked = messages.filter(({ role }) => role === 'user').at(-2)
  return messages.map((message) => {
    if (message !== marked) return message
    const content: ContentBlock[] = [...(message.content ?? []), cachePoint]
    return { ...message, content }
  })
}
