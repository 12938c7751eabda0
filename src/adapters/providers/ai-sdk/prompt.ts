import type {
  LanguageModelV3CallOptions,
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4ReasoningPart,
  LanguageModelV4TextPart,
  LanguageModelV4ToolCallPart,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider'
import { mediaTypeOf } from '../../../core/domain/media.ts'
import { defined, isRecord } from '../../../core/domain/text/json.ts'
import type {
  AssistantMessage,
  FileContent,
  ImageContent,
  ModelMessage,
  ShownContent,
  ToolResultMessage,
} from '../../../core/domain/message.ts'
import type { ModelRequest, ToolDefinition } from '../../../core/ports/model.ts'
import { accepted } from '../wire/accepted.ts'
import type { ModelSettings } from '../wire/model-options.ts'
import { legalRequest } from '../wire/legal-request.ts'
import {
  isSendable,
  originOf,
  resultText,
  sendableText,
  sentName,
  shownBehind,
  wireCallIds,
  type WireCallIds,
} from '../wire/history.ts'

/** Returns a request in the form for a language model of specification v4. */
export function callOptions(request: ModelRequest, settings: ModelSettings): LanguageModelV4CallOptions {
  const thinking = request.thinking ?? settings.thinking
  return {
    ...commonOptions(request, settings, (block) => ({
      ...fileHead(block),
      data: { type: 'data' as const, data: block.data },
    })),
    ...(thinking === undefined ? {} : { reasoning: thinking === 'off' ? 'none' : thinking }),
  }
}

/** Returns a request for specification v3, which has no thinking level and another form of files. */
export function olderCallOptions(request: ModelRequest, settings: ModelSettings): LanguageModelV3CallOptions {
  return commonOptions(request, settings, (block) => ({ ...fileHead(block), data: block.data }))
}

function fileHead(block: ImageContent | FileContent) {
  const mediaType = mediaTypeOf(block)
  return { type: 'file' as const, mediaType, ...(block.type === 'file' ? { filename: sentName(block) } : {}) }
}

/** The form of a picture or a file in a version of the specification. */
type FileOf<File> = (block: ImageContent | FileContent) => File

function commonOptions<File>(given: ModelRequest, settings: ModelSettings, fileOf: FileOf<File>) {
  const request = legalRequest(given, accepted['ai-sdk'])
  const maxOutputTokens = request.maxTokens ?? settings.maxTokens
  const tools = request.tools.map(toolOf)
  return {
    prompt: promptOf(request, settings, fileOf),
    ...defined({ maxOutputTokens, temperature: request.temperature }),
    ...(tools.length > 0 ? { tools, toolChoice: choiceOf(request) } : {}),
    ...(request.output === undefined ? {} : { responseFormat: formatOf(request.output) }),
  }
}

function formatOf({ name, schema }: NonNullable<ModelRequest['output']>) {
  return { type: 'json' as const, name, schema: schemaOf(schema) }
}

function toolOf({ name, description, parameters }: ToolDefinition): LanguageModelV4FunctionTool {
  return { type: 'function', name, description, inputSchema: schemaOf(parameters) }
}

type Schema = LanguageModelV4FunctionTool['inputSchema']

function schemaOf(schema: object): Schema {
  return schema
}

function choiceOf({ toolChoice, requiredCall }: ModelRequest): NonNullable<LanguageModelV4CallOptions['toolChoice']> {
  if (toolChoice === 'none') return { type: 'none' }
  if (requiredCall === undefined) return { type: 'auto' }
  return requiredCall === true ? { type: 'required' } : { type: 'tool', toolName: requiredCall }
}

type Shown<File> = LanguageModelV4TextPart | File
type Spoken = LanguageModelV4TextPart | LanguageModelV4ReasoningPart | LanguageModelV4ToolCallPart
type Message<File> =
  | { role: 'system'; content: string }
  | { role: 'user'; content: Shown<File>[] }
  | { role: 'assistant'; content: Spoken[] }
  | { role: 'tool'; content: ReturnType<typeof resultPart>[] }

/** Models of the package differ in what a result may hold, so its pictures and files follow as a user message. */
function promptOf<File>(
  { system, messages }: ModelRequest,
  settings: ModelSettings,
  fileOf: FileOf<File>,
): Message<File>[] {
  const ids = wireCallIds(messages, settings.provider)
  const prompt: Message<File>[] = []
  let behind: Shown<File>[] = []
  const showBehind = () => {
    if (behind.length > 0) prompt.push({ role: 'user', content: behind })
    behind = []
  }
  if (isSendable(system)) prompt.push({ role: 'system', content: sendableText(system) })
  for (const message of messages) {
    if (message.role === 'toolResult') {
      const last = prompt.at(-1)
      if (last?.role === 'tool') last.content.push(resultPart(message, ids))
      else prompt.push({ role: 'tool', content: [resultPart(message, ids)] })
      behind.push(...shownBehind(message, (block) => shownPart(block, fileOf)))
      continue
    }
    showBehind()
    const wire = messageOf(message, ids, settings, fileOf)
    if (wire.content.length === 0) continue
    prompt.push(wire)
  }
  showBehind()
  return prompt
}

function messageOf<File>(
  message: Exclude<ModelMessage, ToolResultMessage>,
  ids: WireCallIds,
  settings: ModelSettings,
  fileOf: FileOf<File>,
): Message<File> {
  if (message.role === 'assistant') return { role: 'assistant', content: spokenParts(message, ids, settings) }
  return { role: 'user', content: message.content.flatMap((block) => shownPart(block, fileOf)) }
}

function shownPart<File>(block: ShownContent, fileOf: FileOf<File>): Shown<File>[] {
  if (block.type !== 'text') return [fileOf(block)]
  return isSendable(block.text) ? [{ type: 'text', text: sendableText(block.text) }] : []
}

function resultPart(message: ToolResultMessage, ids: WireCallIds) {
  const value = resultText(message)
  const output = message.isError ? { type: 'error-text' as const, value } : { type: 'text' as const, value }
  return { type: 'tool-result' as const, toolCallId: ids.ofResult(message), toolName: message.toolName, output }
}

function spokenParts({ content }: AssistantMessage, ids: WireCallIds, settings: ModelSettings): Spoken[] {
  return content.flatMap((block): Spoken[] => {
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
  })
}

function optionsOf(
  block: AssistantMessage['content'][number],
  settings: ModelSettings,
): SharedV4ProviderOptions | undefined {
  const origin = originOf(block, settings)
  if (origin === undefined) return undefined
  const options: SharedV4ProviderOptions = {}
  for (const [name, value] of Object.entries(origin)) if (isOptions(value)) options[name] = value
  return options
}

function isOptions(value: unknown): value is SharedV4ProviderOptions[string] {
  return isRecord(value)
}
