import { isCompactionWish } from '../domain/compaction-wish.ts'
import { KeptStarts } from '../domain/kept-starts.ts'
import {
  type AssistantMessage,
  isFailure,
  type Message,
  type ModelMessage,
  type ToolCallContent,
  toolCallsOf,
  type ToolResultMessage,
} from '../domain/message.ts'

/** What of a transcript need not be gone through again: up to an index, with what of it is sent and asks for something. */
interface Settled {
  readonly index: number
  readonly length: number
  readonly wishes: number
  readonly answers: number
}

const nothingSettled: Settled = { index: 0, length: 0, wishes: 0, answers: 0 }

const missingText = '[Tool execution was interrupted before producing a result.]'

/**
 * Says what a model may be sent of one run's transcript: app-only messages, failed answers and details of
 * results left out, and every call followed by exactly one result, whatever the transcript holds. What a transcript has in common with
 * the one before is not gone through again.
 */
export class PromptBuilder {
  /** What the prompt has kept of its beginning. */
  readonly starts = new KeptStarts()
  /** The transcript that was gone through last. */
  messages: readonly Message[] = []
  /** How many of its messages ask for a smaller prompt. */
  wishes = 0
  /** How many answers the prompt has. */
  answers = 0
  #prompt: ModelMessage[] = []
  /** The last answer of the transcript and its place in the prompt; everything before it is settled. */
  #settled = nothingSettled

  /** `kept` is how many of the first messages are the same as in the list before, where that is known. */
  build(messages: readonly Message[], kept?: number): readonly ModelMessage[] {
    const settled = this.#startsLike(messages, kept) ? this.#settled : nothingSettled
    this.#prompt.length = settled.length
    this.starts.changed(settled.length)
    this.messages = messages
    this.#settled = settled
    this.wishes = settled.wishes
    this.answers = settled.answers
    this.#extend(settled.index)
    return this.#prompt
  }

  #startsLike(messages: readonly Message[], kept: number | undefined): boolean {
    if (kept !== undefined) return kept > this.#settled.index
    for (let index = 0; index <= this.#settled.index; index++) {
      if (messages[index] !== this.messages[index]) return false
    }
    return true
  }

  #extend(from: number): void {
    const messages = this.messages
    const prompt = this.#prompt
    let results: ReadonlyMap<string, ToolResultMessage> | undefined
    for (let index = from; index < messages.length; index++) {
      const message = messages[index]
      if (message?.role === 'user') prompt.push(message)
      if (message?.role === 'extension' && isCompactionWish(message)) this.wishes++
      if (message?.role !== 'assistant' || isFailure(message)) continue
      if (results === undefined) {
        this.#settled = { index, length: prompt.length, wishes: this.wishes, answers: this.answers }
      }
      prompt.push(message)
      this.answers++
      for (const [position, call] of toolCallsOf(message).entries()) {
        const next = messages[index + 1 + position]
        const result = answers(next, call)
          ? next
          : ((results ??= resultsByCall(messages)).get(callIdOf(call)) ?? missingResult(call, message))
        const isBare = result.details === undefined && result.childRunId === undefined
        prompt.push(isBare ? result : withoutDetails(result))
      }
    }
  }
}

/** In a transcript of ours each result follows its message; only a damaged or imported one is searched. */
function answers(message: Message | undefined, call: ToolCallContent): message is ToolResultMessage {
  return message?.role === 'toolResult' && message.callId === callIdOf(call)
}

/** Details and the id of a child run are for people and programs (requirement TOOL-01). */
function withoutDetails(message: ToolResultMessage): ToolResultMessage {
  const { details: _details, childRunId: _childRunId, ...rest } = message
  return rest
}

function callIdOf({ callId, id }: ToolCallContent): string {
  return callId ?? id
}

function resultsByCall(messages: readonly Message[]): ReadonlyMap<string, ToolResultMessage> {
  return new Map(messages.flatMap((message) => (message.role === 'toolResult' ? [[message.callId, message]] : [])))
}

function missingResult(call: ToolCallContent, { timestamp }: AssistantMessage): ToolResultMessage {
  return {
    role: 'toolResult',
    callId: callIdOf(call),
    toolCallId: call.id,
    toolName: call.name,
    content: [{ type: 'text', text: missingText }],
    isError: true,
    status: 'error',
    timestamp,
  }
}
