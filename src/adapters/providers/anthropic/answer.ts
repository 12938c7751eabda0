import type {
  MessageDeltaUsage,
  RawContentBlockDeltaEvent,
  RawContentBlockStartEvent,
  RawMessageDeltaEvent,
  RawMessageStreamEvent,
  Usage as WireUsage,
} from '@anthropic-ai/sdk/resources/messages/messages'
import type { AssistantMessage, ProviderData } from '../../../core/domain/message.ts'
import type { Json } from '../../../core/domain/text/json.ts'
import type { Usage } from '../../../core/domain/usage.ts'
import type { ModelEvent } from '../../../core/ports/model.ts'
import type { Answer } from '../wire/answer-stream.ts'
import { endingFor } from '../wire/finish-reasons.ts'
import { answerMessage, finishedBlocks, finishedCall } from '../wire/finished-answer.ts'
import { summaryBlock } from '../wire/own-summary.ts'
import {
  argumentsIn,
  jsonIn,
  largerCount,
  optionalRecord,
  optionalText,
  placeIn,
  recordIn,
  textIn,
} from '../wire/read-field.ts'

type Block =
  | { readonly type: 'text'; text: string }
  | { readonly type: 'thinking'; text: string; signature: string }
  | { readonly type: 'redacted'; readonly data: string }
  | { readonly type: 'toolCall'; readonly id: string; readonly name: string; readonly atStart: string; text: string }
  | { readonly type: 'compaction'; readonly block: Record<string, Json> }
  | { readonly type: 'unread' }

type Contents = AssistantMessage['content'][number]

/**
 * Builds a message from the Messages stream. Its thinking is stored with `prefix`, and is sent back only after the same
 * prefix.
 */
export class AnthropicAnswer implements Answer<RawMessageStreamEvent> {
  readonly terminal = 'message_stop'
  complete = false
  #model: string
  readonly #askedModel: string
  readonly #prefix: string
  readonly #blocks = new Map<number, Block>()
  #usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
  #reason = 'end_turn'
  /** The provider's explanation of its reason. */
  #explanation: string | undefined

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
        this.#end(recordIn(event.delta, 'delta'))
        return []
      case 'message_stop':
        this.complete = true
        return []
      case 'content_block_stop':
        return this.#close(placeIn(event.index, 'index'))
      default:
        return unknownEvent(event)
    }
  }

  message(timestamp: number): AssistantMessage {
    const ending = endingFor('anthropic', this.#reason, this.#explanation)
    const content = finishedBlocks(this.#blocks, ending, (block, cutOff) => this.#finished(block, cutOff))
    const facts = { model: this.#model, provider: 'anthropic', usage: this.#totals(), timestamp }
    return answerMessage(ending, content, facts)
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
    if ((block.type as string) === 'compaction') this.#blocks.set(index, { type: 'compaction', block: jsonIn(block) })
    if (block.type === 'redacted_thinking') {
      this.#blocks.set(index, { type: 'redacted', data: textIn(block.data, 'data') })
    }
    if (block.type !== 'tool_use') {
      if (!this.#blocks.has(index)) this.#blocks.set(index, { type: 'unread' })
      return []
    }
    const id = optionalText(block.id, 'id') || `call_${index}`
    const name = optionalText(block.name, 'name') ?? ''
    this.#blocks.set(index, { type: 'toolCall', id, name, atStart: argumentsAtStart(block.input), text: '' })
    return [{ type: 'toolCall', id, name, delta: '' }]
  }

  #extend(event: RawContentBlockDeltaEvent): readonly ModelEvent[] {
    const index = placeIn(event.index, 'index')
    const delta = recordIn(event.delta, 'delta')
    const block = this.#blocks.get(index) ?? blockFor(delta)
    if (block !== undefined) this.#blocks.set(index, block)
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
    if (block?.type === 'compaction' && (delta.type as string) === 'compaction_delta') {
      const { type: _, ...final } = jsonIn(delta)
      Object.assign(block.block, final)
    }
    if (block?.type === 'toolCall' && delta.type === 'input_json_delta') {
      const text = textIn(delta.partial_json, 'partial_json')
      block.text += text
      return [{ type: 'toolCall', id: block.id, name: block.name, delta: text }]
    }
    return []
  }

  /** Some servers send the whole input with the start of a call; if deltas follow, they hold it again. */
  #close(index: number): readonly ModelEvent[] {
    const block = this.#blocks.get(index)
    if (block?.type !== 'toolCall' || block.text !== '' || block.atStart === '') return []
    block.text = block.atStart
    return [{ type: 'toolCall', id: block.id, name: block.name, delta: block.text }]
  }

  /** Compatible servers leave the reason out as long as it is not known. */
  #end({ stop_reason: given, stop_details: details }: RawMessageDeltaEvent.Delta): void {
    const reason = optionalText(given, 'stop_reason')
    if (!reason) return
    this.#reason = reason
    this.#explanation = optionalText(details?.explanation, 'explanation') ?? optionalText(details?.category, 'category')
  }

  /** Counts are cumulative. */
  #count(given: WireUsage | MessageDeltaUsage | undefined): void {
    const usage = optionalRecord(given, 'usage')
    const { input, output, cacheRead, cacheWrite } = this.#usage
    this.#usage = {
      input: largerCount(input, usage?.input_tokens, 'input_tokens'),
      output: largerCount(output, usage?.output_tokens, 'output_tokens'),
      cacheRead: largerCount(cacheRead, usage?.cache_read_input_tokens, 'cache_read_input_tokens'),
      cacheWrite: largerCount(cacheWrite, usage?.cache_creation_input_tokens, 'cache_creation_input_tokens'),
    }
  }

  #totals(): Usage {
    const { input, output, cacheRead, cacheWrite } = this.#usage
    return { ...this.#usage, totalTokens: input + output + cacheRead + cacheWrite }
  }

  #finished(block: Block, cutOff: boolean): readonly Contents[] {
    switch (block.type) {
      case 'text':
        return block.text === '' ? [] : [{ type: 'text', text: block.text }]
      case 'thinking':
        return [this.#thinking(block.text, block.signature)]
      case 'redacted':
        return [{ type: 'thinking', thinking: '', providerData: this.#origin({ redacted: block.data }) }]
      case 'toolCall':
        return [finishedCall({ ...block, text: block.text || block.atStart, cutOff })]
      case 'compaction': {
        const { content } = block.block
        if (typeof content !== 'string' || content === '') return []
        return [summaryBlock(block.block, content, { provider: 'anthropic', model: this.#askedModel })]
      }
      case 'unread':
        return []
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

/** The provider itself starts a call with `{}` and sends deltas. */
function argumentsAtStart(input: unknown): string {
  const text = Array.isArray(input) ? JSON.stringify(input) : argumentsIn(input, 'input')
  return text === '{}' ? '' : text
}

/** Returns the block of a delta without a block start; a call without a start has no name. */
function blockFor(delta: RawContentBlockDeltaEvent['delta']): Block | undefined {
  if (delta.type === 'text_delta') return { type: 'text', text: '' }
  if (delta.type === 'thinking_delta') return { type: 'thinking', text: '', signature: '' }
  if (delta.type !== 'input_json_delta') return undefined
  throw new TypeError('The input of a call came without its start.')
}

/** A later version of the wire may send events we do not know; they carry nothing we promise. */
function unknownEvent(_event: never): readonly ModelEvent[] {
  return []
}
