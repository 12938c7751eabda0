import type {
  Candidate,
  FunctionCall,
  GenerateContentResponse,
  GenerateContentResponseUsageMetadata,
  Part,
} from '@google/genai/web'
import type { Json, JsonObject } from '../../../core/domain/text/json.ts'
import type { AssistantMessage, ProviderData, ToolCallContent } from '../../../core/domain/message.ts'
import { ModelError } from '../../../core/domain/model-error.ts'
import { noUsage, type Usage } from '../../../core/domain/usage.ts'
import type { ModelEvent } from '../../../core/ports/model.ts'
import type { Answer } from '../wire/answer-stream.ts'
import { type Ending, endingOf, finishedCall, refused, unknownEnding } from '../wire/finished-answer.ts'
import { countIn, optionalRecord, optionalText, recordsIn } from '../wire/read-field.ts'
import type { GoogleTarget } from './contents.ts'

type Block =
  | { readonly type: 'text' | 'thinking'; text: string; data: JsonObject; isClosed: boolean }
  | { readonly type: 'toolCall'; readonly call: ToolCallContent }

/** Builds a message from the chunks of generateContent. A call comes whole, in one part. */
export class GoogleAnswer implements Answer<GenerateContentResponse> {
  readonly terminal = 'a finishReason'
  complete = false
  readonly #target: GoogleTarget
  readonly #idPrefix: string
  readonly #blocks: Block[] = []
  #calls = 0
  #model: string
  #usage: Usage = noUsage
  #ending: Ending = { stopReason: 'stop' }

  /** `idPrefix` begins the ids of calls that come without one, e.g. `google-fc`. */
  constructor(target: GoogleTarget, idPrefix: string) {
    this.#target = target
    this.#model = target.model
    this.#idPrefix = idPrefix
  }

  take(chunk: GenerateContentResponse): readonly ModelEvent[] {
    this.#model = optionalText(chunk.modelVersion, 'modelVersion') ?? this.#model
    const usage = optionalRecord(chunk.usageMetadata, 'usageMetadata')
    if (usage !== undefined) this.#usage = usageOf(usage)
    const blocked = optionalText(chunk.promptFeedback?.blockReason, 'blockReason')
    if (blocked !== undefined) this.#end(refused(`the prompt was blocked (${blocked}).`))
    const [candidate] = recordsIn(chunk.candidates, 'candidates')
    if (candidate === undefined || this.complete) return []
    const events: ModelEvent[] = []
    const content = optionalRecord(candidate.content, 'content')
    for (const part of recordsIn(content?.parts, 'parts')) events.push(...this.#takePart(part))
    const reason = optionalText(candidate.finishReason, 'finishReason')
    if (reason) this.#end(endingFor(this.#target.provider, reason, candidate))
    return events
  }

  message(timestamp: number): AssistantMessage {
    const content = this.#blocks.flatMap((block) => this.#finished(block))
    return {
      role: 'assistant',
      content,
      ...endingOf(this.#ending, content),
      model: this.#model,
      provider: this.#target.provider,
      usage: this.#usage,
      timestamp,
    }
  }

  #end(ending: Ending): void {
    this.#ending = ending
    this.complete = true
  }

  /** Parts of kinds we do not ask for, such as executed code, are left out. */
  #takePart(part: Part): readonly ModelEvent[] {
    const thoughtSignature = optionalText(part.thoughtSignature, 'thoughtSignature')
    const call = optionalRecord(part.functionCall, 'functionCall')
    if (call !== undefined) return this.#takeCall(call, thoughtSignature)
    const text = optionalText(part.text, 'text')
    if (text === undefined) return []
    const block = this.#openBlock(part.thought === true ? 'thinking' : 'text')
    block.text += text
    if (thoughtSignature !== undefined) {
      block.data = { thoughtSignature }
      block.isClosed = true
    }
    return text === '' ? [] : [{ type: block.type, delta: text }]
  }

  /** A signature ends its part: what follows is a part of its own. */
  #openBlock(type: 'text' | 'thinking') {
    const last = this.#blocks.at(-1)
    if (last !== undefined && last.type === type && !last.isClosed) return last
    const block = { type, text: '', data: {}, isClosed: false } satisfies Block
    this.#blocks.push(block)
    return block
  }

  #takeCall(asked: FunctionCall, thoughtSignature: string | undefined): readonly ModelEvent[] {
    if (asked.willContinue === true || (asked.partialArgs ?? undefined) !== undefined) throw this.#inPieces()
    const given = optionalText(asked.id, 'functionCall.id')
    const name = optionalText(asked.name, 'functionCall.name') ?? ''
    const id = given || `${this.#idPrefix}-${this.#calls}`
    this.#calls++
    const text = JSON.stringify(asked.args ?? {})
    const data = { ...(given ? { id: given } : {}), ...(thoughtSignature === undefined ? {} : { thoughtSignature }) }
    const call = finishedCall({ id, name, text, cutOff: false })
    this.#blocks.push({ type: 'toolCall', call: { ...call, providerData: this.#origin(data) } })
    return [{ type: 'toolCall', id, name, delta: text }]
  }

  /** No request of ours asks for it. */
  #inPieces(): ModelError {
    const found = `${this.#target.provider} sent the arguments of a call in pieces, which are not read.`
    return new ModelError('api', `${found} Switch streamFunctionCallArguments off at the server.`)
  }

  #finished(block: Block): AssistantMessage['content'] {
    if (block.type === 'toolCall') return [block.call]
    const isSigned = Object.keys(block.data).length > 0
    if (block.text === '' && !isSigned) return []
    const providerData = this.#origin(block.data)
    if (block.type === 'thinking') return [{ type: 'thinking', thinking: block.text, providerData }]
    return [{ type: 'text', text: block.text, ...(isSigned ? { providerData } : {}) }]
  }

  #origin(data: Json): ProviderData {
    return { provider: this.#target.provider, model: this.#target.model, data }
  }
}

/** Counts are cumulative. The prompt's holds the cached ones; thoughts are apart from the answer. */
function usageOf(usage: GenerateContentResponseUsageMetadata): Usage {
  const count = (name: keyof GenerateContentResponseUsageMetadata) => countIn(usage[name], name) ?? 0
  const cacheRead = count('cachedContentTokenCount')
  const input = Math.max(0, count('promptTokenCount') - cacheRead) + count('toolUsePromptTokenCount')
  const output = count('candidatesTokenCount') + count('thoughtsTokenCount')
  return { input, output, cacheRead, cacheWrite: 0, totalTokens: input + output + cacheRead }
}

/** One server beside the provider's own ends a call with a reason that the wire does not name. */
function endingFor(provider: string, reason: string, { finishMessage }: Candidate): Ending {
  if (reason === 'STOP' || reason === 'FUNCTION_CALL') return { stopReason: 'stop' }
  if (reason === 'MAX_TOKENS' || reason === 'CONTINUATION') return { stopReason: 'length' }
  if (malformations.has(reason)) {
    return { stopReason: 'error', errorMessage: `The model made a call that cannot be read (${reason}).` }
  }
  if (refusals.has(reason))
    return refused(optionalText(finishMessage, 'finishMessage') ?? `the answer was stopped (${reason}).`)
  return unknownEnding(provider, reason)
}

const malformations = new Set(['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'MALFORMED_RESPONSE'])

const refusals = new Set([
  'SAFETY',
  'RECITATION',
  'LANGUAGE',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'IMAGE_SAFETY',
  'IMAGE_PROHIBITED_CONTENT',
  'IMAGE_RECITATION',
])
