import type {
  FunctionCall,
  GenerateContentResponse,
  GenerateContentResponseUsageMetadata,
  Part,
} from '@google/genai/web'
import type { Json, JsonObject } from '../../../core/domain/text/json.ts'
import type { AssistantMessage, ProviderData, ToolCallContent } from '../../../core/domain/message.ts'
import { ModelError } from '../../../core/domain/model-error.ts'
import type { Usage } from '../../../core/domain/usage.ts'
import type { ModelEvent } from '../../../core/ports/model.ts'
import type { Answer } from '../wire/answer-stream.ts'
import { endingFor } from '../wire/finish-reasons.ts'
import { answerMessage, finishedCall, refused } from '../wire/finished-answer.ts'
import { largerCount, optionalRecord, optionalText, recordsIn } from '../wire/read-field.ts'
import type { WireTarget } from '../wire/history.ts'

type Block =
  | { readonly type: 'text' | 'thinking'; text: string; data: JsonObject; isClosed: boolean }
  | { readonly type: 'toolCall'; readonly call: ToolCallContent }

/**
 * Builds a message from the chunks of generateContent. A call arrives complete, in one part. Servers other than
 * Google's send a finish reason before the end; the last one counts.
 */
export class GoogleAnswer implements Answer<GenerateContentResponse> {
  readonly terminal = 'a finishReason'
  complete = false
  hasGoneOn = false
  readonly #target: WireTarget
  readonly #idPrefix: string
  readonly #blocks: Block[] = []
  #calls = 0
  #model: string
  #counts = noCounts
  #reason = 'STOP'
  /** The provider's explanation of its reason. */
  #explanation: string | undefined
  #blocked: string | undefined

  /** `idPrefix` begins the ids of calls that come without one, e.g. `google-fc`. */
  constructor(target: WireTarget, idPrefix: string) {
    this.#target = target
    this.#model = target.model
    this.#idPrefix = idPrefix
  }

  take(chunk: GenerateContentResponse): readonly ModelEvent[] {
    this.#model = optionalText(chunk.modelVersion, 'modelVersion') ?? this.#model
    const usage = optionalRecord(chunk.usageMetadata, 'usageMetadata')
    if (usage !== undefined) this.#counts = countsIn(usage, this.#counts)
    this.#blocked = optionalText(chunk.promptFeedback?.blockReason, 'blockReason') ?? this.#blocked
    if (this.#blocked !== undefined) this.complete = true
    const [candidate] = recordsIn(chunk.candidates, 'candidates')
    if (candidate === undefined) return []
    const events: ModelEvent[] = []
    const content = optionalRecord(candidate.content, 'content')
    for (const part of recordsIn(content?.parts, 'parts')) events.push(...this.#takePart(part))
    if (this.complete && events.length > 0) this.hasGoneOn = true
    const reason = optionalText(candidate.finishReason, 'finishReason')
    if (reason) {
      this.#reason = reason
      this.#explanation = optionalText(candidate.finishMessage, 'finishMessage')
      this.complete = true
    }
    return events
  }

  message(timestamp: number): AssistantMessage {
    const content = this.#blocks.flatMap((block) => this.#finished(block))
    const facts = { model: this.#model, provider: this.#target.provider, usage: usageOf(this.#counts), timestamp }
    return answerMessage(this.#ending(), content, facts)
  }

  #ending() {
    if (this.#blocked !== undefined) return refused(`the prompt was blocked (${this.#blocked}).`)
    return endingFor(this.#target.provider, this.#reason, this.#explanation)
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

  /** A signature ends its part; later content starts another one. */
  #openBlock(type: 'text' | 'thinking') {
    const last = this.#blocks.at(-1)
    if (last !== undefined && last.type === type && !last.isClosed) return last
    const block = { type, text: '', data: {}, isClosed: false } satisfies Block
    this.#blocks.push(block)
    return block
  }

  #takeCall(asked: FunctionCall, thoughtSignature: string | undefined): readonly ModelEvent[] {
    if (asked.willContinue === true || (asked.partialArgs ?? undefined) !== undefined) throw this.#inPieces()
    const ownId = optionalText(asked.id, 'functionCall.id')
    const name = optionalText(asked.name, 'functionCall.name') ?? ''
    const id = ownId || `${this.#idPrefix}-${this.#calls}`
    this.#calls++
    const given: unknown = asked.args ?? {}
    const text = typeof given === 'string' ? given : JSON.stringify(given)
    const data = { ...(ownId ? { id: ownId } : {}), ...(thoughtSignature === undefined ? {} : { thoughtSignature }) }
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

/** The counts of the wire, the largest of each. */
const noCounts = {
  promptTokenCount: 0,
  cachedContentTokenCount: 0,
  toolUsePromptTokenCount: 0,
  candidatesTokenCount: 0,
  thoughtsTokenCount: 0,
}

function countsIn(usage: GenerateContentResponseUsageMetadata, before: typeof noCounts): typeof noCounts {
  const counts = { ...before }
  for (const name of countNames) counts[name] = largerCount(before[name], usage[name], name)
  return counts
}

const countNames = [
  'promptTokenCount',
  'cachedContentTokenCount',
  'toolUsePromptTokenCount',
  'candidatesTokenCount',
  'thoughtsTokenCount',
] as const

/** Counts are cumulative. The prompt's count includes cached tokens; thoughts are not part of the answer's count. */
function usageOf(counts: typeof noCounts): Usage {
  const cacheRead = counts.cachedContentTokenCount
  const input = Math.max(0, counts.promptTokenCount - cacheRead) + counts.toolUsePromptTokenCount
  const output = counts.candidatesTokenCount + counts.thoughtsTokenCount
  return { input, output, cacheRead, cacheWrite: 0, totalTokens: input + output + cacheRead }
}
