import { defined, isRecord, type Json } from '../../core/domain/text/json.ts'
import type { AssistantMessage, StopReason, ToolCallContent } from '../../core/domain/message.ts'
import { ModelError, type ModelErrorKind } from '../../core/domain/model-error.ts'
import * as is from '../../core/domain/text/option-shape.ts'
import type { Usage } from '../../core/domain/usage.ts'
import type { Model, ModelEvent, ModelRequest } from '../../core/ports/model.ts'
import { cancelled, orStopped, throwIfCancelled } from './wire/stop-early.ts'

/** A tool call of a scripted reply; a missing id becomes `scripted-<reply>-<call>`, both counted from 0. */
export interface ScriptedToolCall {
  readonly id?: string
  readonly name: string
  readonly arguments: Json
  readonly malformed?: string
  readonly truncated?: boolean
}

/** A failure as data, which becomes a `ModelError` when it is played. */
export interface ScriptedError {
  readonly kind: ModelErrorKind
  readonly message: string
  readonly status?: number
  /** Milliseconds. */
  readonly retryAfterMs?: number
}

/** One answer. Its blocks are streamed as thinking, text and tool calls; with `error` the stream then fails. */
export interface ScriptedAnswer {
  readonly text?: string
  readonly thinking?: string
  readonly toolCalls?: readonly ScriptedToolCall[]
  /** Default `toolUse` with tool calls, else `stop`. */
  readonly stopReason?: StopReason
  readonly errorMessage?: string
  /** Missing counts are 0; a missing total is their sum. */
  readonly usage?: Partial<Usage>
  readonly executionUnits?: number
  /** The number of deltas of the text. Default 3. */
  readonly chunks?: number
  readonly error?: ModelError | ScriptedError
}

/** A text, an answer, or a function of the request that returns one. */
export type ScriptedReply = string | ScriptedAnswer | ReplyFunction

/** Computes an answer from the request; an exception fails the call. */
export type ReplyFunction = (request: ModelRequest) => string | ScriptedAnswer | Promise<string | ScriptedAnswer>

/** Options of `scripted`. All are optional. */
export interface ScriptedOptions {
  /** The model's name. Default `scripted`. */
  readonly id?: string
  /**
   * The selection of the reply. `messages` (default): by the number of answers in the conversation, including those
   * that compaction has removed from the request, so that a restarted process continues in the right place. `calls`: by
   * the number of earlier calls of this model object, including failed ones.
   */
  readonly by?: 'messages' | 'calls'
  /** Output tokens, as other models state them. */
  readonly maxTokens?: number
  /** Unix milliseconds for the messages' timestamps. Default `Date.now`. */
  readonly now?: () => number
}

const shape: is.OptionShape<ScriptedOptions> = {
  id: is.optional(is.filledText),
  by: is.optional(is.oneOf('messages', 'calls')),
  maxTokens: is.optional(is.number('a whole number of 1 or more', (value) => Number.isInteger(value) && value >= 1)),
  now: is.optional(is.callback),
}

/**
 * Returns a model that plays replies in order, for tests and for first steps without a key. A single reply instead of a
 * list answers every request. Throws a `UsageError` `bad_option` for invalid replies or options.
 *
 * @example
 * scripted([{ toolCalls: [{ name: 'weather', arguments: { city: 'Oslo' } }] }, 'It rains.'])
 */
export function scripted(replies: readonly ScriptedReply[] | ScriptedReply, options: ScriptedOptions = {}): Model {
  checkReplies(replies)
  is.checkOptions('scripted', options, shape)
  const { id = 'scripted', by = 'messages', maxTokens, now = Date.now } = options
  let calls = 0
  return {
    provider: 'scripted',
    id,
    ...(maxTokens === undefined ? {} : { maxTokens }),
    async *stream(request) {
      const { answers = request.messages.filter(({ role }) => role === 'assistant').length } = request
      const index = by === 'calls' ? calls++ : answers
      throwIfCancelled(request.signal)
      const answer = await replyAt(replies, index, request)
      for (const event of deltasOf(answer, index)) {
        yield event
        throwIfCancelled(request.signal)
      }
      if (answer.error !== undefined) throw asModelError(answer.error)
      yield { type: 'finished', message: messageOf(answer, index, id, now()) }
    },
  }
}

/** `Array.isArray` with a type for read-only lists. */
function isList(replies: readonly ScriptedReply[] | ScriptedReply): replies is readonly ScriptedReply[] {
  return Array.isArray(replies)
}

function checkReplies(replies: unknown): void {
  const given: readonly unknown[] = Array.isArray(replies) ? replies : [replies]
  for (const [index, reply] of given.entries()) {
    if (typeof reply === 'string' || typeof reply === 'function') continue
    const field = Array.isArray(replies) ? `replies[${index}]` : 'replies'
    const wish = 'Expected texts, answers such as { text, toolCalls }, or functions that return one.'
    if (!isRecord(reply)) throw is.badOption({ field, owner: 'scripted' }, reply, wish)
    is.checkOptions(`scripted in ${field}`, reply, answerShape, {
      calls: 'toolCalls',
      content: 'text',
      usages: 'usage',
    })
  }
}

/** The fields of a reply are checked when the reply is played. */
const answerShape = is.unchecked<ScriptedAnswer>(
  ...(['text', 'thinking', 'toolCalls', 'stopReason', 'errorMessage'] as const),
  ...(['usage', 'executionUnits', 'chunks', 'error'] as const),
)

async function replyAt(
  replies: readonly ScriptedReply[] | ScriptedReply,
  index: number,
  request: ModelRequest,
): Promise<ScriptedAnswer> {
  const reply = isList(replies) ? replies[index] : replies
  if (reply === undefined) throw outOfReplies(isList(replies) ? replies.length : 1, index)
  const given = typeof reply === 'function' ? await settled(reply, request) : reply
  return typeof given === 'string' ? { text: given } : given
}

function settled(reply: ReplyFunction, request: ModelRequest): Promise<string | ScriptedAnswer> {
  const { signal } = request
  return orStopped((async () => reply(request))(), signal, () => cancelled(signal))
}

function outOfReplies(count: number, index: number): ModelError {
  return new ModelError(
    'api',
    `The scripted model has ${count} ${count === 1 ? 'reply' : 'replies'} and was asked for number ${index + 1}. Add a reply, or end the run earlier.`,
  )
}

function* deltasOf(answer: ScriptedAnswer, index: number): Iterable<ModelEvent> {
  if (answer.thinking) yield { type: 'thinking', delta: answer.thinking }
  for (const delta of split(answer.text ?? '', answer.chunks ?? 3)) yield { type: 'text', delta }
  for (const { id, name, arguments: given } of toolCalls(answer, index)) {
    yield { type: 'toolCall', id, name, delta: JSON.stringify(given) }
  }
}

/** Splits by code points, so that no character is cut in half. */
function split(text: string, count: number): readonly string[] {
  const characters = [...text]
  const size = Math.max(1, Math.ceil(characters.length / Math.max(1, count)))
  const starts = Array.from({ length: Math.ceil(characters.length / size) }, (_, part) => part * size)
  return starts.map((start) => characters.slice(start, start + size).join(''))
}

function toolCalls(answer: ScriptedAnswer, index: number): readonly ToolCallContent[] {
  return (answer.toolCalls ?? []).map((call, position) => ({
    ...call,
    type: 'toolCall',
    id: call.id ?? `scripted-${index}-${position}`,
  }))
}

function asModelError(error: ModelError | ScriptedError): ModelError {
  return error instanceof ModelError ? error : new ModelError(error.kind, error.message, error)
}

function messageOf(answer: ScriptedAnswer, index: number, model: string, timestamp: number): AssistantMessage {
  const calls = toolCalls(answer, index)
  return {
    role: 'assistant',
    content: [
      ...(answer.thinking ? [{ type: 'thinking' as const, thinking: answer.thinking }] : []),
      ...(answer.text ? [{ type: 'text' as const, text: answer.text }] : []),
      ...calls,
    ],
    stopReason: answer.stopReason ?? (calls.length > 0 ? 'toolUse' : 'stop'),
    model,
    provider: 'scripted',
    usage: usageOf(answer.usage ?? {}),
    timestamp,
    ...defined({ executionUnits: answer.executionUnits, errorMessage: answer.errorMessage }),
  }
}

function usageOf({ input = 0, output = 0, cacheRead = 0, cacheWrite = 0, totalTokens }: Partial<Usage>): Usage {
  return {
    input,
    output,
    cacheRead,
    cacheWrite,
    totalTokens: totalTokens ?? input + output + cacheRead + cacheWrite,
  }
}
