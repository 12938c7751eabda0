import type {
  Response as WireResponse,
  ResponseOutputItem,
  ResponseOutputMessage,
  ResponseReasoningItem,
  ResponseStreamEvent,
  ResponseUsage,
} from 'openai/resources/responses/responses'
import { isRecord, type Json } from '../../../core/domain/text/json.ts'
import type { AssistantMessage } from '../../../core/domain/message.ts'
import { noUsage, type Usage } from '../../../core/domain/usage.ts'
import type { ModelEvent } from '../../../core/ports/model.ts'
import type { Answer } from '../wire/answer-stream.ts'
import { outage, streamedFailure } from '../wire/failure.ts'
import { endingFor } from '../wire/finish-reasons.ts'
import { answerMessage, finishedBlocks, finishedCall, refused } from '../wire/finished-answer.ts'
import {
  argumentsIn,
  countIn,
  jsonIn,
  optionalRecord,
  optionalText,
  placeIn,
  recordIn,
  recordsIn,
  textIn,
} from '../wire/read-field.ts'
import type { WireTarget } from '../wire/history.ts'
import { summaryBlock } from '../wire/own-summary.ts'

/** The events of an answer, without those of tools that the server runs itself, which we never request. */
type ReadEvent = Extract<ResponseStreamEvent, { readonly type: (typeof readTypeNames)[number] }>

const readTypeNames = [
  'response.created',
  'response.output_item.added',
  'response.output_text.delta',
  'response.output_text.done',
  'response.refusal.delta',
  'response.reasoning_summary_part.added',
  'response.reasoning_summary_text.delta',
  'response.reasoning_text.delta',
  'response.function_call_arguments.delta',
  'response.output_item.done',
  'response.completed',
  'response.incomplete',
  'response.failed',
] as const

const readTypes: ReadonlySet<string> = new Set(readTypeNames)

const blockTypes: ReadonlyMap<string, Block['type']> = new Map([
  ['message', 'text'],
  ['reasoning', 'thinking'],
  ['function_call', 'toolCall'],
  ['compaction', 'summary'],
])

type Block =
  | { readonly type: 'text'; text: string; phase: string | undefined }
  | { readonly type: 'thinking'; text: string; sealed: Sealed | undefined }
  | { readonly type: 'toolCall'; readonly id: string; readonly name: string; text: string }
  | { readonly type: 'summary'; readonly item: Readonly<Record<string, Json>>; text: string }

/** The data of a thought that the wire needs back. */
type Sealed = { readonly id: string; readonly encrypted: string; readonly summary: readonly string[] }

/** Builds a message from the events of the Responses wire. */
export class ResponsesAnswer implements Answer<ResponseStreamEvent> {
  readonly terminal = 'response.completed'
  complete = false
  readonly #target: WireTarget
  readonly #blocks = new Map<number, Block>()
  #model: string
  #refusal = ''
  #usage: Usage = noUsage
  #reason = 'completed'

  constructor(target: WireTarget) {
    this.#target = target
    this.#model = target.model
  }

  take(event: ResponseStreamEvent): readonly ModelEvent[] {
    if (!isRead(event) || this.complete) return []
    switch (event.type) {
      case 'response.created':
        this.#model = optionalText(event.response.model, 'model') || this.#model
        return []
      case 'response.output_item.added':
        return this.#begin(placeIn(event.output_index, 'output_index'), recordIn(event.item, 'item'))
      case 'response.output_text.delta':
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        this.#open(placeIn(event.output_index, 'output_index'), event.type)
        return this.#extend(placeIn(event.output_index, 'output_index'), textIn(event.delta, 'delta'))
      case 'response.function_call_arguments.delta':
        return this.#extend(placeIn(event.output_index, 'output_index'), textIn(event.delta, 'delta'))
      case 'response.output_text.done':
        this.#open(placeIn(event.output_index, 'output_index'), event.type)
        return this.#complete(placeIn(event.output_index, 'output_index'), optionalText(event.text, 'text') ?? '')
      case 'response.reasoning_summary_part.added':
        return placeIn(event.summary_index, 'summary_index') === 0
          ? []
          : this.#extend(placeIn(event.output_index, 'output_index'), '\n\n')
      case 'response.refusal.delta':
        this.#refusal += textIn(event.delta, 'delta')
        return []
      case 'response.output_item.done':
        return this.#finish(placeIn(event.output_index, 'output_index'), recordIn(event.item, 'item'))
      case 'response.completed':
      case 'response.incomplete':
        return this.#end(recordIn(event.response, 'response'))
      case 'response.failed':
        throw event.response.error ? streamedFailure(event.response.error) : outage('failed')
      default:
        return event satisfies never
    }
  }

  message(timestamp: number): AssistantMessage {
    const ending = this.#refusal === '' ? endingFor(this.#target.provider, this.#reason) : refused(this.#refusal)
    const content = finishedBlocks(this.#blocks, ending, (block, cutOff) => this.#finished(block, cutOff))
    const facts = { model: this.#model, provider: this.#target.provider, usage: this.#usage, timestamp }
    return answerMessage(ending, content, facts)
  }

  #begin(index: number, item: ResponseOutputItem): readonly ModelEvent[] {
    if (item.type === 'message') this.#blocks.set(index, { type: 'text', text: '', phase: undefined })
    if (item.type === 'reasoning') this.#blocks.set(index, { type: 'thinking', text: '', sealed: undefined })
    if (item.type !== 'function_call') return []
    const id = optionalText(item.call_id, 'call_id') || `call_${index}`
    const name = optionalText(item.name, 'name') ?? ''
    this.#blocks.set(index, { type: 'toolCall', id, name, text: '' })
    return [{ type: 'toolCall', id, name, delta: '' }]
  }

  /** Some gateways send the deltas of an item that they have not announced. */
  #open(index: number, type: ReadEvent['type']): void {
    if (this.#blocks.has(index)) return
    const isText = type.startsWith('response.output_text')
    this.#blocks.set(
      index,
      isText ? { type: 'text', text: '', phase: undefined } : { type: 'thinking', text: '', sealed: undefined },
    )
  }

  /** Adds the missing part of a text after its deltas; a block of several parts is complete only with its item. */
  #complete(index: number, text: string): readonly ModelEvent[] {
    const block = this.#blocks.get(index)
    return block?.text === '' ? this.#extend(index, text) : []
  }

  #extend(index: number, delta: string): readonly ModelEvent[] {
    const block = this.#blocks.get(index)
    if (block === undefined || block.type === 'summary' || delta === '') return []
    block.text += delta
    if (block.type === 'toolCall') return [{ type: 'toolCall', id: block.id, name: block.name, delta }]
    return [{ type: block.type, delta }]
  }

  /**
   * Text that arrived in no delta arrives with the finished item; servers other than the provider's send no deltas at
   * all. If the two differ, the item is the answer. Deltas of thinking differ from the summary in their item.
   */
  #finish(index: number, item: ResponseOutputItem): readonly ModelEvent[] {
    if (item.type === 'compaction') {
      const text = wholeText(item)
      if (text !== '') this.#blocks.set(index, { type: 'summary', item: jsonIn(item), text })
      return []
    }
    const begun = this.#blocks.has(index) ? [] : this.#begin(index, item)
    const block = this.#blocks.get(index)
    const isSent = block !== undefined && block.text !== ''
    // Arguments that come as an object repeat the deltas, in other spacing.
    const text = item.type === 'function_call' && isSent && isRecord(item.arguments) ? '' : wholeText(item)
    if (block?.type === 'thinking' && item.type === 'reasoning') block.sealed = sealedIn(item)
    if (block?.type === 'text' && item.type === 'message') {
      block.phase = optionalText(item.phase, 'phase')
      this.#refusal ||= refusalIn(item)
    }
    if (block === undefined || text === '' || (block.type === 'thinking' && block.text !== '')) return begun
    if (text.startsWith(block.text)) return [...begun, ...this.#extend(index, text.slice(block.text.length))]
    block.text = text
    return begun
  }

  /** Takes the items of the final response that have not come before, which are all of them on some gateways. */
  #takeUnsent(output: readonly ResponseOutputItem[]): readonly ModelEvent[] {
    return output.flatMap((item, index) => {
      const type = blockTypes.get(item.type)
      if (type === undefined || this.#hasTaken(item)) return []
      const isOwnPlace = (this.#blocks.get(index)?.type ?? type) === type
      return this.#finish(isOwnPlace ? index : Math.max(...this.#blocks.keys()) + 1, item)
    })
  }

  #hasTaken(item: ResponseOutputItem): boolean {
    const text = wholeText(item)
    return [...this.#blocks.values()].some((block) => {
      if (block.type === 'toolCall') return item.type === 'function_call' && block.id === item.call_id
      return block.type === blockTypes.get(item.type) && block.text !== '' && block.text.includes(text)
    })
  }

  #end(response: WireResponse): readonly ModelEvent[] {
    const { error, incomplete_details: details } = response
    const status = optionalText(response.status, 'status')
    if (status === 'failed') throw error ? streamedFailure(error) : outage('failed')
    const usage = optionalRecord(response.usage, 'usage')
    if (usage !== undefined) this.#usage = usageOf(usage)
    const reason = optionalText(details?.reason, 'incomplete_details.reason') ?? 'incomplete'
    if (status === 'incomplete') this.#reason = reason
    this.complete = true
    return this.#takeUnsent(recordsIn(response.output, 'output'))
  }

  #finished(block: Block, cutOff: boolean): AssistantMessage['content'] {
    const { provider, model } = this.#target
    if (block.type === 'toolCall') return [finishedCall({ ...block, cutOff })]
    if (block.type === 'summary') return [summaryBlock(block.item, '', this.#target)]
    if (block.type === 'text') {
      if (block.text === '') return []
      const origin = { providerData: { provider, model, data: { phase: block.phase ?? null } } }
      return [{ type: 'text', text: block.text, ...(block.phase === undefined ? {} : origin) }]
    }
    const { sealed: data } = block
    if (data === undefined) return block.text === '' ? [] : [{ type: 'thinking', thinking: block.text }]
    return [{ type: 'thinking', thinking: block.text, providerData: { provider, model, data } }]
  }
}

function isRead(event: ResponseStreamEvent): event is ReadEvent {
  return readTypes.has(event.type)
}

function wholeText(item: ResponseOutputItem): string {
  if (item.type === 'function_call') return argumentsIn(item.arguments, 'arguments')
  if (item.type === 'message') return messageText(item)
  if (item.type === 'compaction') return optionalText(item.encrypted_content, 'encrypted_content') ?? ''
  return item.type === 'reasoning' ? summaryOf(item).join('\n\n') : ''
}

function messageText({ content }: ResponseOutputMessage): string {
  const parts = recordsIn(content, 'content')
  return parts.map((part) => (part.type === 'output_text' ? textIn(part.text, 'content[].text') : '')).join('')
}

function refusalIn({ content }: ResponseOutputMessage): string {
  const parts = recordsIn(content, 'content')
  return parts.map((part) => (part.type === 'refusal' ? textIn(part.refusal, 'content[].refusal') : '')).join('')
}

function summaryOf({ summary }: ResponseReasoningItem): readonly string[] {
  return recordsIn(summary, 'summary').map(({ text }) => textIn(text, 'summary[].text'))
}

function sealedIn(item: ResponseReasoningItem): Sealed | undefined {
  const id = optionalText(item.id, 'id')
  const encrypted = optionalText(item.encrypted_content, 'encrypted_content')
  return id === undefined || !encrypted ? undefined : { id, encrypted, summary: summaryOf(item) }
}

/** The wire counts cached tokens as part of the input; here they are apart. Reasoning is part of the output. */
function usageOf(usage: ResponseUsage): Usage {
  const details = optionalRecord(usage.input_tokens_details, 'input_tokens_details')
  const cacheRead = countIn(details?.cached_tokens, 'cached_tokens') ?? 0
  const cacheWrite = countIn(details?.cache_write_tokens, 'cache_write_tokens') ?? 0
  const input = countIn(usage.input_tokens, 'input_tokens') ?? 0
  const output = countIn(usage.output_tokens, 'output_tokens') ?? 0
  return {
    input: Math.max(0, input - cacheRead - cacheWrite),
    output,
    cacheRead,
    cacheWrite,
    totalTokens: countIn(usage.total_tokens, 'total_tokens') ?? input + output,
  }
}
