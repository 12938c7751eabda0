import type { ChatCompletionChunk } from 'openai/resources/chat/completions'
import type { CompletionUsage } from 'openai/resources/completions'
import type { AssistantMessage } from '../../domain/message.ts'
import { noUsage, type Usage } from '../../domain/usage.ts'
import type { ModelEvent } from '../../ports/model.ts'
import type { Answer } from '../wire/answer-stream.ts'
import { endingOf, refused, unknownEnding, type Ending, finishedCall } from '../wire/finished-answer.ts'
import type { OpenAICompat } from './compat.ts'
import type { ChatTarget } from './messages.ts'

type Delta = ChatCompletionChunk.Choice.Delta
type CallPart = ChatCompletionChunk.Choice.Delta.ToolCall

interface Call {
  readonly index: number
  readonly id: string
  name: string
  text: string
}

/** Builds a message from the chunks of Chat Completions. */
export class ChatAnswer implements Answer<ChatCompletionChunk> {
  readonly terminal = 'a finish_reason'
  complete = false
  readonly #target: ChatTarget
  readonly #compat: Pick<OpenAICompat, 'indexlessCalls' | 'reasoningField'>
  #model: string
  #text = ''
  #refusal = ''
  #thinking = ''
  #thinkingField = ''
  readonly #calls: Call[] = []
  #usage: Usage = noUsage
  #finishReason = ''

  constructor(target: ChatTarget, compat: Pick<OpenAICompat, 'indexlessCalls' | 'reasoningField'>) {
    this.#target = target
    this.#compat = compat
    this.#model = target.model
  }

  take(chunk: ChatCompletionChunk): readonly ModelEvent[] {
    this.#model = chunk.model || this.#model
    if (chunk.usage) this.#usage = usageOf(chunk.usage)
    const choice = chunk.choices?.[0]
    if (choice === undefined || this.complete) return []
    const events = choice.delta ? this.#deltas(choice.delta) : []
    if (choice.finish_reason) {
      this.#finishReason = choice.finish_reason
      this.complete = true
    }
    return events
  }

  message(timestamp: number): AssistantMessage {
    const ending = this.#ending()
    const content = this.#content(ending)
    return {
      role: 'assistant',
      content,
      ...endingOf(ending, content),
      model: this.#model,
      provider: this.#target.provider,
      usage: this.#usage,
      timestamp,
    }
  }

  #deltas(delta: Delta): readonly ModelEvent[] {
    const events: ModelEvent[] = []
    const field = fieldIn(delta, this.#compat.reasoningField)
    if (field !== undefined) events.push(this.#think(field, String(Reflect.get(delta, field))))
    if (delta.content) {
      this.#text += delta.content
      events.push({ type: 'text', delta: delta.content })
    }
    if (delta.refusal) this.#refusal += delta.refusal
    if (delta.tool_calls) for (const part of delta.tool_calls) events.push(this.#extendCall(part))
    return events
  }

  #think(field: string, delta: string): ModelEvent {
    this.#thinking += delta
    this.#thinkingField = field
    return { type: 'thinking', delta }
  }

  /** Chunks of parallel calls may come interleaved; some servers give every call index 0 and an id of its own. */
  #extendCall(part: CallPart): ModelEvent {
    const open = this.#openedBefore(part)
    const isNew = open === undefined || (Boolean(part.id) && part.id !== open.id)
    const call = isNew ? this.#openCall(part) : open
    const delta = part.function?.arguments ?? ''
    if (call.name === '') call.name = part.function?.name ?? ''
    call.text += delta
    return { type: 'toolCall', id: call.id, name: call.name, delta }
  }

  #openedBefore({ index, function: asked }: CallPart): Call | undefined {
    if (!this.#compat.indexlessCalls) return this.#calls.findLast((call) => call.index === (index ?? 0))
    const last = this.#calls.at(-1)
    return asked?.name && last?.name !== '' ? undefined : last
  }

  #openCall(part: CallPart): Call {
    const id = part.id || `call_${this.#calls.length}`
    const call: Call = { index: part.index ?? 0, id, name: '', text: '' }
    this.#calls.push(call)
    return call
  }

  #ending(): Ending {
    return this.#refusal === '' ? endingFor(this.#target.provider, this.#finishReason) : refused(this.#refusal)
  }

  #content({ stopReason }: Ending): AssistantMessage['content'] {
    const isCut = stopReason === 'length' || stopReason === 'error'
    const { provider, model } = this.#target
    const providerData = { provider, model, data: this.#thinkingField }
    return [
      ...(this.#thinking === '' ? [] : [{ type: 'thinking' as const, thinking: this.#thinking, providerData }]),
      ...(this.#text === '' ? [] : [{ type: 'text' as const, text: this.#text }]),
      ...this.#calls.map((call, place) => finishedCall({ ...call, cutOff: isCut && place === this.#calls.length - 1 })),
    ]
  }
}

/** Two fields outside the wire's definition, by which compatible servers tell what a model thinks. */
function fieldIn(delta: Delta, wanted: OpenAICompat['reasoningField']): string | undefined {
  if (wanted !== 'either') return isTold(delta, wanted) ? wanted : undefined
  if (isTold(delta, 'reasoning_content')) return 'reasoning_content'
  return isTold(delta, 'reasoning') ? 'reasoning' : undefined
}

function isTold(delta: Delta, field: string): boolean {
  const text: unknown = Reflect.get(delta, field)
  return typeof text === 'string' && text !== ''
}

/** The wire counts cached tokens as part of the prompt; here they are apart. */
function usageOf(usage: CompletionUsage): Usage {
  const cacheRead = usage.prompt_tokens_details?.cached_tokens ?? 0
  const cacheWrite = usage.prompt_tokens_details?.cache_write_tokens ?? 0
  return {
    input: Math.max(0, usage.prompt_tokens - cacheRead - cacheWrite),
    output: usage.completion_tokens,
    cacheRead,
    cacheWrite,
    totalTokens: usage.total_tokens ?? usage.prompt_tokens + usage.completion_tokens,
  }
}

/** The wire names five reasons; `model_length` is what one compatible server says for `length`. */
function endingFor(provider: string, reason: string): Ending {
  switch (reason) {
    case 'stop':
    case 'tool_calls':
    case 'function_call':
      return { stopReason: 'stop' }
    case 'length':
    case 'model_length':
    case 'model_context_window_exceeded':
      return { stopReason: 'length' }
    case 'content_filter':
      return refused('its content filter stopped the answer.')
    default:
      return unknownEnding(provider, reason)
  }
}
