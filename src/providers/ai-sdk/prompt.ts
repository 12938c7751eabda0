import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FilePart,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultOutput,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider'
import { isRecord } from '../../domain/json.ts'
import {
  type AssistantMessage,
  type Content,
  type ImageContent,
  type ModelMessage,
  type TextContent,
  textOf,
  type ToolResultMessage,
} from '../../domain/message.ts'
import type { ModelRequest, ThinkingLevel, ToolDefinition } from '../../ports/model.ts'
import { isSendable, originOf, sendableText, wireCallIds, type WireCallIds } from '../wire/history.ts'

/** What a model's options say of every request. */
export interface AiSdkSettings {
  readonly provider: string
  readonly model: string
  readonly maxTokens: number | undefined
  readonly thinking: ThinkingLevel | undefined
}

/** A request as a language model of the AI SDK takes it. */
export function callOptions(request: ModelRequest, settings: AiSdkSettings): LanguageModelV4CallOptions {
  const maxOutputTokens = request.maxTokens ?? settings.maxTokens
  const thinking = request.thinking ?? settings.thinking
  const tools = request.tools.map(toolOf)
  return {
    prompt: promptOf(request, settings),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    ...(thinking === undefined ? {} : { reasoning: thinking === 'off' ? 'none' : thinking }),
    ...(tools.length > 0 ? { tools, toolChoice: choiceOf(request) } : {}),
    ...(request.output === undefined
      ? {}
      : { responseFormat: { type: 'json', name: request.output.name, schema: schemaOf(request.output.schema) } }),
  }
}

function toolOf({ name, description, parameters }: ToolDefinition): LanguageModelV4FunctionTool {
  return { type: 'function', name, description, inputSchema: schemaOf(parameters) }
}

type Schema = LanguageModelV4FunctionTool['inputSchema']

/** A JSON Schema is data to both; only the package gives it a type of its own. */
function schemaOf(schema: object): Schema {
  return schema
}

function choiceOf({ toolChoice, requiredCall }: ModelRequest): NonNullable<LanguageModelV4CallOptions['toolChoice']> {
  if (toolChoice === 'none') return { type: 'none' }
  if (requiredCall === undefined) return { type: 'auto' }
  return requiredCall === true ? { type: 'required' } : { type: 'tool', toolName: requiredCall }
}

/** Models behind the package differ in what a result may hold: its images follow as a user message. */
function promptOf({ system, messages }: ModelRequest, settings: AiSdkSettings): LanguageModelV4Prompt {
  const ids = wireCallIds(messages, settings.provider)
  const prompt: LanguageModelV4Message[] = []
  let images: Shown[] = []
  const showImages = () => {
    if (images.length > 0) prompt.push({ role: 'user', content: images })
    images = []
  }
  if (isSendable(system)) prompt.push({ role: 'system', content: sendableText(system) })
  for (const message of messages) {
    if (message.role === 'toolResult') {
      const last = prompt.at(-1)
      if (last?.role === 'tool') last.content.push(resultPart(message, ids))
      else prompt.push({ role: 'tool', content: [resultPart(message, ids)] })
      images.push(...imagesOf(message))
      continue
    }
    showImages()
    const wire = message.role === 'user' ? userMessage(message) : assistantMessage(message, ids, settings)
    if (wire.content.length > 0) prompt.push(wire)
  }
  showImages()
  return prompt
}

type Shown = LanguageModelV4TextPart | LanguageModelV4FilePart

function imagesOf({ toolName, content }: ToolResultMessage): Shown[] {
  const images = content.filter(({ type }) => type === 'image').flatMap(shownPart)
  return images.length === 0 ? [] : [{ type: 'text', text: `Images from the tool ${toolName}:` }, ...images]
}

function userMessage({ content }: Extract<ModelMessage, { role: 'user' }>): LanguageModelV4Message {
  return { role: 'user', content: content.flatMap(shownPart) }
}

function shownPart(block: TextContent | ImageContent): Shown[] {
  if (block.type === 'image') {
    return [{ type: 'file', mediaType: block.mimeType, data: { type: 'data', data: block.data } }]
  }
  return isSendable(block.text) ? [{ type: 'text', text: sendableText(block.text) }] : []
}

function resultPart(message: ToolResultMessage, ids: WireCallIds): LanguageModelV4ToolResultPart {
  const { toolName } = message
  return { type: 'tool-result', toolCallId: ids.ofResult(message), toolName, output: outputOf(message) }
}

function outputOf(message: ToolResultMessage): LanguageModelV4ToolResultOutput {
  const text = sendableText(textOf(message))
  const shown = message.content.some(({ type }) => type === 'image') ? '(see the image below)' : '(no output)'
  return { type: message.isError ? 'error-text' : 'text', value: isSendable(text) ? text : shown }
}

function assistantMessage(
  { content }: AssistantMessage,
  ids: WireCallIds,
  settings: AiSdkSettings,
): Extract<LanguageModelV4Message, { role: 'assistant' }> {
  return {
    role: 'assistant',
    content: content.flatMap((block): Extract<LanguageModelV4Message, { role: 'assistant' }>['content'] => {
      const providerOptions = optionsOf(block, settings)
      const kept = providerOptions === undefined ? {} : { providerOptions }
      if (block.type === 'text') {
        return isSendable(block.text) ? [{ type: 'text', text: sendableText(block.text), ...kept }] : []
      }
      if (block.type === 'toolCall') {
        const { name: toolName, arguments: input } = block
        return [{ type: 'tool-call', toolCallId: ids.ofCall(block), toolName, input, ...kept }]
      }
      return providerOptions === undefined ? [] : [{ type: 'reasoning', text: block.thinking, providerOptions }]
    }),
  }
}

/** What the model behind gave with a block goes back to it. */
function optionsOf(block: Content, settings: AiSdkSettings): SharedV4ProviderOptions | undefined {
  const origin = originOf(block, settings)
  if (origin === undefined) return undefined
  const options: SharedV4ProviderOptions = {}
  for (const [name, value] of Object.entries(origin)) if (isOptions(value)) options[name] = value
  return options
}

function isOptions(value: unknown): value is SharedV4ProviderOptions[string] {
  return isRecord(value)
}
