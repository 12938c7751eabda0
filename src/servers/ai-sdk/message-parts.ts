import type { UIMessageChunk } from 'ai'

/** A part of a message, as clients of the AI SDK keep it. */
export type MessagePart = { readonly type: string; readonly [field: string]: unknown }

interface KeptPart {
  part: MessagePart
  readonly step: number
}

/**
 * Joins the chunks of one message to the parts that a client has after reading them. The work is proportional to the
 * number of chunks.
 */
export class MessageParts {
  metadata: Readonly<Record<string, unknown>> = {}
  #parts: KeptPart[] = []
  #step = 0
  /** The parts by id: texts and thoughts, calls by the call and by the approval that they wait for, and data. */
  readonly #known = new Map<string, KeptPart>()

  get parts(): readonly MessagePart[] {
    return this.#parts.map(({ part }) => part)
  }

  add(chunk: UIMessageChunk): void {
    switch (chunk.type) {
      case 'start':
      case 'finish':
      case 'message-metadata':
        if (typeof chunk.messageMetadata === 'object') this.metadata = { ...this.metadata, ...chunk.messageMetadata }
        return
      case 'start-step':
        this.#step++
        return this.#push({ type: 'step-start' })
      case 'reset-step':
        return this.#reset()
      case 'text-start':
        return this.#push({ type: 'text', text: '', state: 'streaming' }, chunk.id)
      case 'reasoning-start':
        return this.#push({ type: 'reasoning', id: chunk.id, text: '', state: 'streaming' }, chunk.id)
      case 'text-delta':
      case 'reasoning-delta':
        return this.#change(chunk.id, ({ text }) => ({ text: `${String(text)}${chunk.delta}` }))
      case 'text-end':
      case 'reasoning-end':
        return this.#change(chunk.id, () => ({ state: 'done' }))
      case 'tool-input-start':
        return this.#call(chunk, { state: 'input-streaming' })
      case 'tool-input-available':
        return this.#call(chunk, { state: 'input-available', input: chunk.input })
      case 'tool-output-available': {
        const { toolCallId, output, preliminary } = chunk
        return this.#change(toolCallId, () => ({
          state: 'output-available',
          output,
          errorText: undefined,
          preliminary,
        }))
      }
      case 'tool-output-error': {
        const { toolCallId, errorText } = chunk
        return this.#change(toolCallId, () => ({
          state: 'output-error',
          errorText,
          output: undefined,
          preliminary: undefined,
        }))
      }
      case 'tool-output-denied':
        return this.#change(chunk.toolCallId, () => ({ state: 'output-denied' }))
      case 'tool-approval-request': {
        const { toolCallId, approvalId: id, approvalDescriptor: descriptor, reason: requestReason } = chunk
        const approval = { id, descriptor, ...(requestReason === undefined ? {} : { requestReason }) }
        this.#change(toolCallId, () => ({ state: 'approval-requested', approval }))
        const asked = this.#known.get(toolCallId)
        if (asked !== undefined) this.#known.set(id, asked)
        return
      }
      case 'tool-approval-response': {
        const { approvalId: id, approved, reason } = chunk
        const answer = { id, approved, ...(reason === undefined ? {} : { reason }) }
        this.#change(id, ({ approval }) => ({
          state: 'approval-responded',
          approval: { ...(typeof approval === 'object' ? approval : {}), ...answer },
        }))
        return
      }
      // These chunks leave no part, or no stored event has them.
      case 'finish-step':
      case 'error':
      case 'abort':
      case 'tool-input-delta':
      case 'tool-input-error':
      case 'custom':
      case 'file':
      case 'reasoning-file':
      case 'source-url':
      case 'source-document':
      case 'steering-message':
        return
      default:
        if ('data' in chunk && chunk.transient !== true) this.#push({ ...chunk }, chunk.id)
    }
  }

  #push(part: MessagePart, id?: string): void {
    const kept = { part, step: this.#step }
    this.#parts.push(kept)
    if (id !== undefined) this.#known.set(id, kept)
  }

  #change(id: string, changed: (part: MessagePart) => Readonly<Record<string, unknown>>): void {
    const known = this.#known.get(id)
    if (known !== undefined) known.part = { ...known.part, ...changed(known.part) }
  }

  /** A repeated call in its step is the same part; in another step it is a new one. */
  #call(
    { toolCallId, toolName }: { readonly toolCallId: string; readonly toolName: string },
    state: Readonly<Record<string, unknown>>,
  ): void {
    const cleared = { output: undefined, errorText: undefined, preliminary: undefined }
    if (this.#known.get(toolCallId)?.step === this.#step) this.#change(toolCallId, () => ({ ...state, ...cleared }))
    else this.#push({ type: 'dynamic-tool', toolName, toolCallId, ...state }, toolCallId)
  }

  #reset(): void {
    const first = this.#parts.findLastIndex(({ part }) => part.type === 'step-start')
    this.#parts = this.#parts.slice(0, first + 1)
  }
}
