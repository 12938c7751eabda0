import type {
  MessageDeltaUsage,
  RawContentBlockDeltaEvent,
  RawContentBlockStartEvent,
  RawMessageDeltaEvent,
  RawMessageStreamEvent,
  Usage as WireUsage,
} from '@anthropic-ai/sdk/resources/messages/messages'
import type { AssistantMessage, ProviderData } from '../../domain/message.ts'
import type { Usage } from '../../domain/usage.ts'
import type { ModelEvent } from '../../ports/model.ts'
import type { Answer } from '../wire/answer-stream.ts'
import { type Ending, endingOf, refused, unknownEnding, finishedCall } from '../wire/finished-answer.ts'

type Block =
  | { readonly type: 'text'; text: string }
  | { readonly type: 'thinking'; text: string; signature: string }
  | { readonly type: 'redacted'; readonly data: string }
  | { readonly type: 'toolCall'; readonly id: string; readonly name: string; text: string }

type Contents = AssistantMessage['content'][number]

/** Builds a message from the Messages stream; its thinking is kept with `prefix` and sent back only after the same. */
export class AnthropicAnswer implements Answer<RawMessageStreamEvent> {
  readonly terminal = 'message_stop'
  complete = false
  #model: string
  readonly #askedModel: string
  readonly #prefix: string
  readonly #blocks = new Map<number, Block>()
  #usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
  #ending: Ending = { stopReason: 'stop' }

  constructor(model: string, prefix: string) {
    this.#model = model
    this.#askedModel = model
    this.#prefix = prefix
  }

  take(event: RawMessageStreamEvent): readonly ModelEvent[] {
    if (this.complete) return []
    switch (event.type) {
      case 'message_start':
        this.#model = event.message.model || this.#model
        this.#count(event.message.usage)
        return []
      case 'content_block_start':
        return this.#begin(event)
      case 'content_block_delta':
        return this.#extend(event)
      case 'message_delta':
        this.#count(event.usage)
        this.#ending = endingIn(event.delta) ?? this.#ending
        return []
      case 'message_stop':
        this.complete = true
        return []
      case 'content_block_stop':
        return []
      default:
        return unknownEvent(event)
    }
  }

  message(timestamp: number): AssistantMessage {
    const content = this.#content()
    return {
      role: 'assistant',
      content,
      ...endingOf(this.#ending, content),
      model: this.#model,
      provider: 'anthropic',
      usage: this.#totals(),
      timestamp,
    }
  }

  /** Blocks of server tools are left out: no request of ours offers such tools. */
  #begin({ index, content_block: block }: RawContentBlockStartEvent): readonly ModelEvent[] {
    if (block.type === 'text') {
      this.#blocks.set(index, { type: 'text', text: block.text })
      return block.text === '' ? [] : [{ type: 'text', delta: block.text }]
    }
    if (block.type === 'thinking') {
      this.#blocks.set(index, { type: 'thinking', text: block.thinking, signature: block.signature ?? '' })
      return block.thinking === '' ? [] : [{ type: 'thinking', delta: block.thinking }]
    }
    if (block.type === 'redacted_thinking') this.#blocks.set(index, { type: 'redacted', data: block.data })
    if (block.type !== 'tool_use') return []
    const { id: given, name } = block
    const id = given || `call_${index}`
    const text = argumentsAtStart(block.input)
    this.#blocks.set(index, { type: 'toolCall', id, name, text })
    return [{ type: 'toolCall', id, name, delta: text }]
  }

  #extend({ index, delta }: RawContentBlockDeltaEvent): readonly ModelEvent[] {
    const block = this.#blocks.get(index)
    if (block?.type === 'text' && delta.type === 'text_delta') {
      block.text += delta.text
      return [{ type: 'text', delta: delta.text }]
    }
    if (block?.type === 'thinking' && delta.type === 'thinking_delta') {
      block.text += delta.thinking
      return [{ type: 'thinking', delta: delta.thinking }]
    }
    if (block?.type === 'thinking' && delta.type === 'signature_delta') block.signature += delta.signature
    if (block?.type === 'toolCall' && delta.type === 'input_json_delta') {
      block.text += delta.partial_json
      return [{ type: 'toolCall', id: block.id, name: block.name, delta: delta.partial_json }]
    }
    return []
  }

  /** Counts are cumulative: what is given replaces what was. */
  #count(usage: WireUsage | MessageDeltaUsage | undefined): void {
    if (usage === undefined) return
    const { input, output, cacheRead, cacheWrite } = this.#usage
    this.#usage = {
      input: usage.input_tokens ?? input,
      output: usage.output_tokens ?? output,
      cacheRead: usage.cache_read_input_tokens ?? cacheRead,
      cacheWrite: usage.cache_creation_input_tokens ?? cacheWrite,
    }
  }

  #totals(): Usage {
    const { input, output, cacheRead, cacheWrite } = this.#usage
    return { ...this.#usage, totalTokens: input + output + cacheRead + cacheWrite }
  }

  #content(): readonly Contents[] {
    const indexes = [...this.#blocks.keys()].sort((left, right) => left - right)
    return indexes.flatMap((index, place) => {
      const block = this.#blocks.get(index)
      const isLast = place === indexes.length - 1
      return block === undefined ? [] : this.#finished(block, isLast)
    })
  }

  #finished(block: Block, isLast: boolean): readonly Contents[] {
    const { stopReason } = this.#ending
    switch (block.type) {
      case 'text':
        return block.text === '' ? [] : [{ type: 'text', text: block.text }]
      case 'thinking':
        return [this.#thinking(block.text, block.signature)]
      case 'redacted':
        return [{ type: 'thinking', thinking: '', providerData: this.#origin({ redacted: block.data }) }]
      case 'toolCall':
        return [finishedCall({ ...block, cutOff: isLast && (stopReason === 'length' || stopReason === 'error') })]
      default:
        return block satisfies never
    }
  }

  #thinking(thinking: string, signature: string): Contents {
    return {
      type: 'thinking',
      thinking,
      ...(signature === '' ? {} : { signature }),
      providerData: this.#origin({}),
    }
  }

  #origin(data: { readonly redacted?: string }): ProviderData {
    return { provider: 'anthropic', model: this.#askedModel, data: { ...data, prefix: this.#prefix } }
  }
}

/** Compatible servers may send the whole input at once; the provider itself starts with `{}` and sends deltas. */
function argumentsAtStart(input: unknown): string {
  const isEmpty = typeof input !== 'object' || input === null || Object.keys(input).length === 0
  return isEmpty ? '' : JSON.stringify(input)
}

/** A later version of the wire may send events we do not know; they carry nothing we promise. */
function unknownEvent(_event: never): readonly ModelEvent[] {
  return []
}

function endingIn({ stop_reason: reason, stop_details: details }: RawMessageDeltaEvent.Delta): Ending | undefined {
  // Compatible servers leave it out where it is not known yet.
  if (!reason) return undefined
  switch (reason) {
    case 'end_turn':
    case 'stop_sequence':
    case 'tool_use':
      return { stopReason: 'stop' }
    case 'max_tokens':
    case 'model_context_window_exceeded':
    case 'pause_turn':
      // All three end in the middle: the answer is to be continued.
      return { stopReason: 'length' }
    case 'refusal':
      return refused(details?.explanation ?? details?.category ?? 'no explanation was given.')
    default:
      return unknownEnding('anthropic', reason)
  }
}
