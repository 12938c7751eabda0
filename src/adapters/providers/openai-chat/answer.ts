import type { ChatCompletionChunk } from 'openai/resources/chat/completions'
import type { CompletionUsage } from 'openai/resources/completions'
import { isRecord } from '../../../core/domain/text/json.ts'
import type { AssistantMessage } from '../../../core/domain/message.ts'
import type { Usage } from '../../../core/domain/usage.ts'
import type { ModelEvent } from '../../../core/ports/model.ts'
import type { Answer } from '../wire/answer-stream.ts'
import { outage } from '../wire/failure.ts'
import { endingFor } from '../wire/finish-reasons.ts'
import { answerMessage, refused, type Ending, finishedCall, mayBeCut } from '../wire/finished-answer.ts'
import { argumentsIn, largerCount, optionalRecord, optionalText, placeIn, recordsIn } from '../wire/read-field.ts'
import type { OpenAICompat } from './compat.ts'
import { contentParts } from './content-parts.ts'
import type { WireTarget } from '../wire/history.ts'

type Delta = ChatCompletionChunk.Choice.Delta
type CallPart = ChatCompletionChunk.Choice.Delta.ToolCall

interface Call {
  readonly index: number
  readonly id: string
  name: string
  text: string
  /** True if the server sent the arguments as an object. */
  isWhole?: boolean
}

/**
 * Builds a message from the chunks of Chat Completions. Gateways send a finish reason with every chunk; the last one
 * counts.
 */
export class ChatAnswer implements Answer<ChatCompletionChunk> {
  readonly terminal = 'a finish_reason'
  complete = false
  hasGoneOn = false
  readonly #target: WireTarget
  readonly #compat: Pick<OpenAICompat, 'indexlessCalls' | 'reasoningField'>
  #model: string
  #text = ''
  #refusal = ''
  #thinking = ''
  #thinkingField = ''
  #signature = ''
  readonly #calls: Call[] = []
  #counts = noCounts
  #finishReason = ''

  constructor(target: WireTarget, compat: Pick<OpenAICompat, 'indexlessCalls' | 'reasoningField'>) {
    this.#target = target
    this.#compat = compat
    this.#model = target.model
  }

  take(chunk: ChatCompletionChunk): readonly ModelEvent[] {
    this.#model = optionalText(chunk.model, 'model') || this.#model
    const usage = optionalRecord(chunk.usage, 'usage')
    if (usage !== undefined) this.#counts = countsIn(usage, this.#counts)
    const [choice] = recordsIn(chunk.choices, 'choices')
    if (choice === undefined) return []
    const failure: unknown = Reflect.get(choice, 'error') ?? undefined
    if (failure !== undefined) throw outage(failure)
    const delta = optionalRecord(choice.delta, 'delta')
    const events = delta === undefined ? [] : this.#deltas(delta)
    if (this.complete && events.length > 0) this.hasGoneOn = true
    this.#finishReason = reasonIn(choice) || this.#finishReason
    this.complete = this.#finishReason !== ''
    return events
  }

  message(timestamp: number): AssistantMessage {
    const ending = this.#ending()
    const content = this.#content(ending)
    const facts = { model: this.#model, provider: this.#target.provider, usage: usageOf(this.#counts), timestamp }
    return answerMessage(ending, content, facts)
  }

  #deltas(delta: Delta): readonly ModelEvent[] {
    const events: ModelEvent[] = []
    const thought = thoughtIn(delta, this.#compat.reasoningField)
    if (thought !== undefined) events.push(this.#think(thought.field, thought.text))
    for (const { type, text, signature } of contentParts(delta.content)) {
      if (signature !== undefined) this.#signature = signature
      if (text !== '') events.push(type === 'text' ? this.#say(text) : this.#think('content', text))
    }
    this.#refusal += optionalText(delta.refusal, 'delta.refusal') ?? ''
    for (const part of recordsIn(delta.tool_calls, 'delta.tool_calls')) events.push(this.#extendCall(part))
    return events
  }

  #say(delta: string): ModelEvent {
    this.#text += delta
    return { type: 'text', delta }
  }

  #think(field: string, delta: string): ModelEvent {
    this.#thinking += delta
    this.#thinkingField = field
    return { type: 'thinking', delta }
  }

  /** Chunks of parallel calls may be interleaved; some servers send index 0 and a separate id for each call. */
  #extendCall(part: CallPart): ModelEvent {
    const asked = optionalRecord(part.function, 'function')
    const given = {
      index: placeIn(part.index, 'index'),
      id: optionalText(part.id, 'id') ?? '',
      name: optionalText(asked?.name, 'function.name') ?? '',
    }
    const open = this.#openedBefore(given)
    const isNew = open === undefined || (given.id !== '' && given.id !== open.id)
    const call = isNew ? this.#openCall(given) : open
    const delta = argumentsIn(asked?.arguments, 'function.arguments')
    if (delta !== '' && call.text !== '' && (call.isWhole || isRecord(asked?.arguments))) {
      throw new TypeError('The arguments of a call came as an object and in pieces.')
    }
    if (isRecord(asked?.arguments)) call.isWhole = true
    if (call.name === '') call.name = given.name
    call.text += delta
    return { type: 'toolCall', id: call.id, name: call.name, delta }
  }

  #openedBefore({ index, name }: Omit<Call, 'text'>): Call | undefined {
    if (!this.#compat.indexlessCalls) return this.#calls.findLast((call) => call.index === index)
    const last = this.#calls.at(-1)
    return name !== '' && last?.name !== '' ? undefined : last
  }

  #openCall({ index, id }: Omit<Call, 'text'>): Call {
    const call: Call = { index, id: id || `call_${this.#calls.length}`, name: '', text: '' }
    this.#calls.push(call)
    return call
  }

  #ending(): Ending {
    return this.#refusal === '' ? endingFor(this.#target.provider, this.#finishReason) : refused(this.#refusal)
  }

  #content(ending: Ending): AssistantMessage['content'] {
    const isCut = mayBeCut(ending)
    const { provider, model } = this.#target
    const providerData = { provider, model, data: this.#thinkingField }
    const signed = this.#signature === '' ? {} : { signature: this.#signature }
    return [
      ...(this.#thinking === ''
        ? []
        : [{ type: 'thinking' as const, thinking: this.#thinking, ...signed, providerData }]),
      ...(this.#text === '' ? [] : [{ type: 'text' as const, text: this.#text }]),
      ...this.#calls.map((call, place) => finishedCall({ ...call, cutOff: isCut && place === this.#calls.length - 1 })),
    ]
  }
}

/** Two fields outside the wire's definition, in which compatible servers send a model's thinking. */
function thoughtIn(delta: Delta, wanted: OpenAICompat['reasoningField']) {
  const fields = wanted === 'either' ? ['reasoning_content', 'reasoning'] : [wanted]
  for (const field of fields) {
    const text = optionalText(Reflect.get(delta, field), `delta.${field}`)
    if (text) return { field, text }
  }
  return undefined
}

/** A router reports a failed upstream server in a separate field, and otherwise ends the stream normally. */
function reasonIn(choice: ChatCompletionChunk.Choice): string {
  const reason = optionalText(choice.finish_reason, 'finish_reason') ?? ''
  const native: unknown = Reflect.get(choice, 'native_finish_reason')
  return typeof native === 'string' && /error/i.test(native) ? native : reason
}

/** The counts of the wire, the largest of each. */
const noCounts = { prompt: 0, completion: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0, total: 0 }

/** One server uses another field for cached tokens. */
function countsIn(usage: CompletionUsage, before: typeof noCounts): typeof noCounts {
  const details = optionalRecord(usage.prompt_tokens_details, 'prompt_tokens_details')
  const answered = optionalRecord(usage.completion_tokens_details, 'completion_tokens_details')
  const hits = largerCount(before.cacheRead, Reflect.get(usage, 'prompt_cache_hit_tokens'), 'prompt_cache_hit_tokens')
  return {
    prompt: largerCount(before.prompt, usage.prompt_tokens, 'prompt_tokens'),
    completion: largerCount(before.completion, usage.completion_tokens, 'completion_tokens'),
    cacheRead: largerCount(hits, details?.cached_tokens, 'cached_tokens'),
    cacheWrite: largerCount(before.cacheWrite, details?.cache_write_tokens, 'cache_write_tokens'),
    reasoning: largerCount(before.reasoning, answered?.reasoning_tokens, 'reasoning_tokens'),
    total: largerCount(before.total, usage.total_tokens, 'total_tokens'),
  }
}

/**
 * The wire counts cached tokens as part of the prompt; here they are separate. One server counts reasoning outside the
 * completion.
 */
function usageOf({ prompt, completion, cacheRead, cacheWrite, reasoning, total }: typeof noCounts): Usage {
  const output = total === prompt + completion + reasoning ? completion + reasoning : completion
  return {
    input: Math.max(0, prompt - cacheRead - cacheWrite),
    output,
    cacheRead,
    cacheWrite,
    totalTokens: total || prompt + output,
  }
}
