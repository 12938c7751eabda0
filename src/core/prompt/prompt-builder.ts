import { isCompactionWish } from '../domain/compaction-wish.ts'
import { type RefusedMedia, refusedBy, withoutRefused } from '../domain/media-refusal.ts'
import { KeptStarts } from '../domain/kept-starts.ts'
import {
  type AssistantMessage,
  isFailure,
  type Message,
  type ModelMessage,
  type ToolCallContent,
  toolCallsOf,
  type ToolResultMessage,
  type UserMessage,
} from '../domain/message.ts'

/** The result for the first messages of a transcript, which need not be processed again. */
interface Settled {
  readonly index: number
  readonly length: number
  readonly wishes: number
  readonly answers: number
  readonly refused: RefusedMedia
}

const nothingSettled: Settled = { index: 0, length: 0, wishes: 0, answers: 0, refused: new Map() }

const missingText = '[Tool execution was interrupted before producing a result.]'

/**
 * Builds a prompt from one run's transcript, without app-only messages, failed answers and details of results. Exactly
 * one result follows each call, whatever the transcript contains. Messages shared with the last transcript are not
 * processed again.
 */
export class PromptBuilder {
  /** The unchanged starts of the prompt. */
  readonly starts = new KeptStarts()
  /** The last transcript. */
  messages: readonly Message[] = []
  /** The number of its messages that ask for a smaller prompt. */
  wishes = 0
  /** The number of answers in the prompt. */
  answers = 0
  #prompt: ModelMessage[] = []
  /** Media that models refused. The refusals follow their media in the transcript, so they are read first. */
  #refused: RefusedMedia = nothingSettled.refused
  /** The last answer of the transcript and its place in the prompt; everything before it is settled. */
  #settled = nothingSettled

  /** `kept` is the number of first messages shared with the last transcript, if known. */
  build(messages: readonly Message[], kept?: number): readonly ModelMessage[] {
    const known = this.#startsLike(messages, kept) ? this.#settled : nothingSettled
    this.#refused = refusedIn(messages, known)
    const settled = this.#refused === known.refused ? known : nothingSettled
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
      if (message?.role === 'user') prompt.push(this.#shown(message))
      if (message?.role === 'extension' && isCompactionWish(message)) this.wishes++
      if (message?.role !== 'assistant' || isFailure(message)) continue
      if (results === undefined) {
        const { wishes, answers: count } = this
        this.#settled = { index, length: prompt.length, wishes, answers: count, refused: this.#refused }
      }
      prompt.push(message)
      this.answers++
      for (const [position, call] of toolCallsOf(message).entries()) {
        const next = messages[index + 1 + position]
        const result = answers(next, call)
          ? next
          : ((results ??= resultsByCall(messages)).get(callIdOf(call)) ?? missingResult(call, message))
        const isBare = result.details === undefined && result.childRunId === undefined
        prompt.push(this.#shown(isBare ? result : withoutDetails(result)))
      }
    }
  }

  #shown(message: UserMessage | ToolResultMessage): ModelMessage {
    return this.#refused.size === 0 ? message : withoutRefused(message, this.#refused)
  }
}

/** Returns the media that a transcript refuses: the same map if nothing was added. */
function refusedIn(messages: readonly Message[], { index, refused }: Settled): RefusedMedia {
  let all = refused
  for (let place = index; place < messages.length; place++) {
    const message = messages[place]
    const more = message === undefined ? undefined : refusedBy(message)
    if (more !== undefined && [...more.keys()].some((key) => !all.has(key))) all = new Map([...all, ...more])
  }
  return all
}

/** In the engine's transcripts each result follows its call; only damaged or imported ones must be searched. */
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
