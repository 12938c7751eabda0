import type {
  MessageDeltaUsage,
  RawContentBlockDeltaEvent,
  RawContentBlockStartEvent,
  RawMessageDeltaEvent,
  RawMessageStreamEvent,
  Usage as WireUsage,
} from '@anthropic-ai/sdk/resources/messages/messages'
import type { AssistantMessage, ProviderData } from '../../../core/domain/message.ts'
import type { Usage } from '../../../core/domain/usage.ts'
import type { ModelEvent } from '../../../core/ports/model.ts'
import type { Answer } from '../wire/answer-stream.ts'
import { type Ending, endingOf, refused, unknownEnding, finishedCall } from '../wire/finished-answer.ts'
import { countIn, optionalRecord, optionalText, placeIn, recordIn, textIn } from '../wire/read-field.ts'

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
        this.#model = optionalText(event.message.model, 'model') || this.#model
        this.#count(event.message.usage)
        return []
      case 'content_block_start':
        return this.#begin(event)
      case 'content_block_delta':
        return this.#extend(event)
      case 'message_delta':
        this.#count(event.usage)
        this.#ending = endingIn(recordIn(event.delta, 'delta')) ?? this.#ending
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
  #begin(event: RawContentBlockStartEvent): readonly ModelEvent[] {
    const index = placeIn(event.index, 'index')
    const block = recordIn(event.content_block, 'content_block')
    if (block.type === 'text') {
      const text = optionalText(block.text, 'text') ?? ''
      this.#blocks.set(index, { type: 'text', text })
      return text === '' ? [] : [{ type: 'text', delta: text }]
    }
    if (block.type === 'thinking') {
      const text = optionalText(block.thinking, 'thinking') ?? ''
      this.#blocks.set(index, { type: 'thinking', text, signature: optionalText(block.signature, 'signature') ?? '' })
      return text === '' ? [] : [{ type: 'thinking', delta: text }]
    }
    if (block.type === 'redacted_thinking') {
      this.#blocks.set(index, { type: 'redacted', data: textIn(block.data, 'data') })
    }
    if (block.type !== 'tool_use') return []
    const id = optionalText(block.id, 'id') || `call_${index}`
    const name = optionalText(block.name, 'name') ?? ''
    const text = argumentsAtStart(block.input)
    this.#blocks.set(index, { type: 'toolCall', id, name, text })
    return [{ type: 'toolCall', id, name, delta: text }]
  }

  #extend(event: RawContentBlockDeltaEvent): readonly ModelEvent[] {
    const block = this.#blocks.get(placeIn(event.index, 'index'))
    const delta = recordIn(event.delta, 'delta')
    if (block?.type === 'text' && delta.type === 'text_delta') {
      const text = textIn(delta.text, 'text')
      block.text += text
      return [{ type: 'text', delta: text }]
    }
    if (block?.type === 'thinking' && delta.type === 'thinking_delta') {
      const text = textIn(delta.thinking, 'thinking')
      block.text += text
      return [{ type: 'thinking', delta: text }]
    }
    if (block?.type === 'thinking' && delta.type === 'signature_delta') {
      block.signature += textIn(delta.signature, 'signature')
    }
    if (block?.type === 'toolCall' && delta.type === 'input_json_delta') {
      const text = textIn(delta.partial_json, 'partial_json')
      block.text += text
      return [{ type: 'toolCall', id: block.id, name: block.name, delta: text }]
    }
    return []
  }

  /** Counts are cumulative: what is given replaces what was. */
  #count(given: WireUsage | MessageDeltaUsage | undefined): void {
    const usage = optionalRecord(given, 'usage')
    const { input, output, cacheRead, cacheWrite } = this.#usage
    this.#usage = {
      input: countIn(usage?.input_tokens, 'input_tokens') ?? input,
      output: countIn(usage?.output_tokens, 'output_tokens') ?? output,
      cacheRead: countIn(usage?.cache_read_input_tokens, 'cache_read_input_tokens') ?? cacheRead,
      cacheWrite: countIn(usage?.cache_creation_input_tokens, 'cache_creation_input_tokens') ?? cacheWrite,
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
  if (Array.isArray(input)) return JSON.stringify(input)
  const given = optionalRecord(input, 'input')
  return given === undefined || Object.keys(given).length === 0 ? '' : JSON.stringify(given)
}

/** A later version of the wire may send events we do not know; they carry nothing we promise. */
function unknownEvent(_event: never): readonly ModelEvent[] {
  return []
}

function endingIn({ stop_reason: given, stop_details: details }: RawMessageDeltaEvent.Delta): Ending | undefined {
  const reason = optionalText(given, 'stop_reason')
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
      return refused(
        optionalText(details?.explanation, 'explanation') ??
          optionalText(details?.category, 'category') ??
          'no explanation was given.',
      )
    default:
      return unknownEnding('anthropic', reason)
  }
}
