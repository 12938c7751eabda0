import type {
  LanguageModelV3StreamPart,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
  SharedV4Warning,
} from '@ai-sdk/provider'
import { toPlainJson } from '../../../core/domain/text/json.ts'
import type { AssistantMessage, ProviderData } from '../../../core/domain/message.ts'
import { noUsage, type Usage } from '../../../core/domain/usage.ts'
import type { ModelEvent, RequestOption } from '../../../core/ports/model.ts'
import type { Answer } from '../wire/answer-stream.ts'
import { streamedFailure } from '../wire/failure.ts'
import { endingFor } from '../wire/finish-reasons.ts'
import { type Ending, answerMessage, finishedCall, mayBeCut } from '../wire/finished-answer.ts'
import { argumentsIn, countIn, optionalText, recordIn, recordsIn, textIn } from '../wire/read-field.ts'

interface Block {
  readonly type: 'text' | 'thinking' | 'toolCall'
  readonly id: string
  readonly name: string
  text: string
  data: SharedV4ProviderMetadata
}

/** A part of a stream, in either version of the specification. */
export type StreamPart = LanguageModelV3StreamPart | LanguageModelV4StreamPart

/** Builds a message from the parts of a language model's stream. */
export class AiSdkAnswer implements Answer<StreamPart> {
  readonly terminal = 'its finish part'
  readonly leftOut: RequestOption[] = []
  complete = false
  readonly #provider: string
  readonly #askedModel: string
  #model: string
  /** In the order of their beginning; kinds may use the same ids. */
  readonly #blocks = new Map<string, Block>()
  #usage: Usage = noUsage
  #reason = 'stop'

  constructor(provider: string, model: string) {
    this.#provider = provider
    this.#askedModel = model
    this.#model = model
  }

  /** Files, sources and tools that the provider runs itself are left out, because we never request them. */
  take(part: StreamPart): readonly ModelEvent[] {
    if (this.complete) return []
    if (part.type === 'text-start' || part.type === 'text-delta' || part.type === 'text-end') {
      return this.#extend('text', part.id, deltaIn(part), part.providerMetadata)
    }
    if (part.type === 'reasoning-start' || part.type === 'reasoning-delta' || part.type === 'reasoning-end') {
      return this.#extend('thinking', part.id, deltaIn(part), part.providerMetadata)
    }
    if (part.type === 'tool-input-start' && part.providerExecuted !== true) {
      return this.#extend('toolCall', part.id, '', part.providerMetadata, textIn(part.toolName, 'toolName'))
    }
    if (part.type === 'tool-input-delta' && this.#blocks.has(`toolCall ${part.id}`)) {
      return this.#extend('toolCall', part.id, deltaIn(part), part.providerMetadata)
    }
    if (part.type === 'tool-call' && part.providerExecuted !== true) return this.#finishCall(part)
    if (part.type === 'error') throw failureIn(part.error)
    if (part.type === 'stream-start') this.leftOut.push(...recordsIn(part.warnings, 'warnings').flatMap(optionIn))
    if (part.type === 'response-metadata') this.#model = optionalText(part.modelId, 'modelId') ?? this.#model
    if (part.type === 'finish') this.#end(recordIn(part.finishReason, 'finishReason'), recordIn(part.usage, 'usage'))
    return []
  }

  message(timestamp: number): AssistantMessage {
    const ending = endingFor(this.#provider, this.#reason)
    const content = this.#content(ending)
    const facts = { model: this.#model, provider: this.#provider, usage: this.#usage, timestamp }
    return answerMessage(ending, content, facts)
  }

  #extend(
    type: Block['type'],
    id: string,
    delta: string,
    data: SharedV4ProviderMetadata | undefined,
    name = '',
  ): readonly ModelEvent[] {
    const key = `${type} ${textIn(id, 'id')}`
    const isNew = !this.#blocks.has(key)
    const block = this.#blocks.get(key) ?? { type, id, name, text: '', data: {} }
    this.#blocks.set(key, block)
    block.text += delta
    block.data = { ...block.data, ...data }
    if (delta === '' && (type !== 'toolCall' || !isNew)) return []
    return [type === 'toolCall' ? { type, id, name: block.name, delta } : { type, delta }]
  }

  /** The finished call precedes its parts, which may be missing. */
  #finishCall(part: Extract<StreamPart, { type: 'tool-call' }>): readonly ModelEvent[] {
    const { toolCallId: id, providerMetadata } = part
    const [toolName, input] = [textIn(part.toolName, 'toolName'), argumentsIn(part.input, 'input')]
    const known = this.#blocks.get(`toolCall ${id}`)
    const rest = known !== undefined && input.startsWith(known.text) ? input.slice(known.text.length) : ''
    return this.#extend('toolCall', id, known === undefined ? input : rest, providerMetadata, toolName)
  }

  /**
   * A stream that was cut ends as `interrupted`, before v4 with `other` and no reason of the provider's own: no end. The
   * provider's own reason counts if the package does not know it.
   */
  #end({ unified, raw: given }: LanguageModelV4FinishReason, usage: LanguageModelV4Usage): void {
    const raw = optionalText(given, 'finishReason.raw')
    if (unified === 'interrupted' || (unified === 'other' && raw === undefined)) return
    this.#usage = usageOf(usage)
    this.#reason =
      unified === 'error' || unified === 'other' ? (raw ?? unified) : textIn(unified, 'finishReason.unified')
    this.complete = true
  }

  #content(ending: Ending): AssistantMessage['content'] {
    const isCut = mayBeCut(ending)
    const blocks = [...this.#blocks.values()]
    return blocks.flatMap((block, place): AssistantMessage['content'] => {
      const origin = Object.keys(block.data).length === 0 ? {} : { providerData: this.#origin(block.data) }
      if (block.type === 'toolCall') {
        return [{ ...finishedCall({ ...block, cutOff: isCut && place === blocks.length - 1 }), ...origin }]
      }
      if (block.type === 'thinking') return [{ type: 'thinking', thinking: block.text, ...origin }]
      return block.text === '' ? [] : [{ type: 'text', text: block.text, ...origin }]
    })
  }

  #origin(data: SharedV4ProviderMetadata): ProviderData {
    return { provider: this.#provider, model: this.#askedModel, data: toPlainJson(data) ?? {} }
  }
}

/** Rethrows errors of the model itself; errors of the server become failures of the call. */
function failureIn(error: unknown): unknown {
  if (!(error instanceof Error)) return streamedFailure(error)
  const { message } = error
  return 'statusCode' in error ? streamedFailure({ code: error.statusCode, message }) : error
}

/** Options a model says it does not know, under the names the package has for them. */
function optionIn(warning: SharedV4Warning): RequestOption[] {
  if (warning.type !== 'unsupported') return []
  const { feature } = warning
  if (feature === 'temperature') return ['temperature']
  if (feature === 'toolChoice') return ['requiredCall']
  if (feature === 'reasoning') return ['thinking']
  if (feature === 'responseFormat') return ['output']
  return feature === 'maxOutputTokens' ? ['maxTokens'] : []
}

/** Without separate parts, the total is the input. */
function usageOf(usage: LanguageModelV4Usage): Usage {
  const inputs = recordIn(usage.inputTokens, 'inputTokens')
  const outputs = recordIn(usage.outputTokens, 'outputTokens')
  const cacheRead = countIn(inputs.cacheRead, 'cacheRead') ?? 0
  const cacheWrite = countIn(inputs.cacheWrite, 'cacheWrite') ?? 0
  const total = countIn(inputs.total, 'inputTokens.total') ?? 0
  const input = countIn(inputs.noCache, 'noCache') ?? Math.max(0, total - cacheRead - cacheWrite)
  const parts = (countIn(outputs.text, 'outputTokens.text') ?? 0) + (countIn(outputs.reasoning, 'reasoning') ?? 0)
  const output = countIn(outputs.total, 'outputTokens.total') ?? parts
  return { input, output, cacheRead, cacheWrite, totalTokens: input + output + cacheRead + cacheWrite }
}

function deltaIn(part: StreamPart): string {
  return 'delta' in part ? textIn(part.delta, 'delta') : ''
}
