import type {
  ContentBlockDelta,
  ConverseStreamOutput,
  ReasoningContentBlockDelta,
  TokenUsage,
} from '@aws-sdk/client-bedrock-runtime'
import { isRecord } from '../../../core/domain/text/json.ts'
import type { AssistantMessage, ProviderData } from '../../../core/domain/message.ts'
import { noUsage, type Usage } from '../../../core/domain/usage.ts'
import type { ModelEvent } from '../../../core/ports/model.ts'
import type { Answer } from '../wire/answer-stream.ts'
import { endingFor } from '../wire/finish-reasons.ts'
import { answerMessage, finishedBlocks, finishedCall } from '../wire/finished-answer.ts'
import { countIn, optionalRecord, optionalText, placeIn, textIn } from '../wire/read-field.ts'

type Block =
  | { readonly type: 'text'; text: string }
  | { readonly type: 'thinking'; text: string; signature: string; redacted: readonly Uint8Array[] }
  | { readonly type: 'toolCall'; readonly id: string; readonly name: string; text: string }

/** Builds a message from the frames of ConverseStream, which sends the usage after the message's stop. */
export class BedrockAnswer implements Answer<ConverseStreamOutput> {
  readonly terminal = 'its metadata'
  #isCounted = false
  readonly #model: string
  readonly #prefix: string
  readonly #blocks = new Map<number, Block>()
  #reason: string | undefined
  #usage: Usage = noUsage

  constructor(model: string, prefix: string) {
    this.#model = model
    this.#prefix = prefix
  }

  /** True once stop and metadata have come, in whatever order. */
  get complete(): boolean {
    return this.#isCounted && this.#reason !== undefined
  }

  take(event: ConverseStreamOutput): readonly ModelEvent[] {
    if (this.complete) return []
    if (event.contentBlockStart !== undefined) {
      const { contentBlockIndex, start } = event.contentBlockStart
      const use = optionalRecord(start?.toolUse, 'toolUse')
      return use === undefined ? [] : this.#beginCall(placeIn(contentBlockIndex, 'contentBlockIndex'), use)
    }
    if (event.contentBlockDelta !== undefined) {
      const { contentBlockIndex, delta } = event.contentBlockDelta
      if (delta === undefined) throw new TypeError('A delta is empty.')
      return this.#extend(placeIn(contentBlockIndex, 'contentBlockIndex'), delta)
    }
    if (event.messageStop !== undefined) {
      this.#reason = optionalText(event.messageStop.stopReason, 'stopReason') ?? 'none'
    }
    if (event.metadata !== undefined) {
      const usage = optionalRecord(event.metadata.usage, 'usage')
      if (usage !== undefined) this.#usage = usageOf(usage)
      this.#isCounted = true
    }
    return []
  }

  message(timestamp: number): AssistantMessage {
    const ending = endingFor('bedrock', this.#reason ?? 'none')
    const content = finishedBlocks(this.#blocks, ending, (block, cutOff) => this.#finished(block, cutOff))
    const facts = { model: this.#model, provider: 'bedrock', usage: this.#usage, timestamp }
    return answerMessage(ending, content, facts)
  }

  #beginCall(index: number, use: { toolUseId?: string | undefined; name?: string | undefined }): readonly ModelEvent[] {
    const id = optionalText(use.toolUseId, 'toolUseId') || `call_${index}`
    const call = { type: 'toolCall' as const, id, name: optionalText(use.name, 'name') ?? '' }
    this.#blocks.set(index, { ...call, text: '' })
    return [{ ...call, delta: '' }]
  }

  #extend(index: number, delta: ContentBlockDelta): readonly ModelEvent[] {
    if (delta.text !== undefined) return this.#extendText(index, textIn(delta.text, 'text'))
    if (delta.reasoningContent !== undefined) return this.#extendThinking(index, delta.reasoningContent)
    if (!isRecord(delta) || Object.keys(delta).length === 0) throw new TypeError('A delta is empty.')
    const block = this.#blocks.get(index)
    if (delta.toolUse === undefined || block?.type !== 'toolCall') return []
    const text = optionalText(delta.toolUse.input, 'input') ?? ''
    block.text += text
    return [{ type: 'toolCall', id: block.id, name: block.name, delta: text }]
  }

  #extendText(index: number, text: string): readonly ModelEvent[] {
    const block = this.#blocks.get(index) ?? { type: 'text', text: '' }
    if (block.type !== 'text') throw new TypeError('A delta is not of its block.')
    block.text += text
    this.#blocks.set(index, block)
    return text === '' ? [] : [{ type: 'text', delta: text }]
  }

  #extendThinking(index: number, delta: ReasoningContentBlockDelta): readonly ModelEvent[] {
    const block = this.#blocks.get(index) ?? { type: 'thinking', text: '', signature: '', redacted: [] }
    if (block.type !== 'thinking') throw new TypeError('A delta is not of its block.')
    const text = optionalText(delta.text, 'text') ?? ''
    block.text += text
    block.signature += optionalText(delta.signature, 'signature') ?? ''
    if (delta.redactedContent !== undefined) block.redacted = [...block.redacted, delta.redactedContent]
    this.#blocks.set(index, block)
    return text === '' ? [] : [{ type: 'thinking', delta: text }]
  }

  #finished(block: Block, cutOff: boolean): AssistantMessage['content'] {
    if (block.type === 'toolCall') return [finishedCall({ ...block, cutOff })]
    if (block.type === 'text') return block.text === '' ? [] : [{ type: 'text', text: block.text }]
    const { text: thinking, signature, redacted } = block
    const hidden = redacted.length === 0 ? {} : { redacted: Buffer.concat(redacted).toString('base64') }
    const signed = signature === '' ? {} : { signature }
    return [{ type: 'thinking', thinking, ...signed, providerData: this.#origin(hidden) }]
  }

  #origin(data: { readonly redacted?: string }): ProviderData {
    return { provider: 'bedrock', model: this.#model, data: { ...data, prefix: this.#prefix } }
  }
}

/** The wire counts cached tokens apart from the input. */
function usageOf(usage: TokenUsage): Usage {
  const count = (name: 'inputTokens' | 'outputTokens' | 'cacheReadInputTokens' | 'cacheWriteInputTokens') =>
    countIn(usage[name], name) ?? 0
  const [input, output] = [count('inputTokens'), count('outputTokens')]
  const [cacheRead, cacheWrite] = [count('cacheReadInputTokens'), count('cacheWriteInputTokens')]
  return { input, output, cacheRead, cacheWrite, totalTokens: input + output + cacheRead + cacheWrite }
}
