import type { Json } from './text/json.ts'
import type { Usage } from './usage.ts'

/** Opaque data that a provider needs back verbatim. It is dropped when provider or model changes. */
export interface ProviderData {
  readonly provider: string
  readonly model: string
  readonly data: Json
}

/** A block of text. */
export interface TextContent {
  readonly type: 'text'
  readonly text: string
  readonly providerData?: ProviderData
}

/** A block with a picture. */
export interface ImageContent {
  readonly type: 'image'
  /** Base64 bytes. */
  readonly data: string
  readonly mimeType: string
  readonly providerData?: ProviderData
}

/** What a model thought before it answered, as far as its provider shows it. */
export interface ThinkingContent {
  readonly type: 'thinking'
  readonly thinking: string
  readonly signature?: string
  readonly providerData?: ProviderData
}

/** A request of the model to run a tool. */
export interface ToolCallContent {
  readonly type: 'toolCall'
  /** The id the provider gave; may repeat between turns. */
  readonly id: string
  /**
   * Our id, unique in the transcript: turn and provider id. Turns count on from those of a run that this one goes on
   * from. Absent until the turn is taken in.
   */
  readonly callId?: string
  readonly name: string
  readonly arguments: Json
  /** The parse error, where the provider sent arguments that are not JSON. */
  readonly malformed?: string
  /** True for a call the answer's token limit cut off. */
  readonly truncated?: boolean
  readonly providerData?: ProviderData
}

/** Any block of a message. */
export type Content = TextContent | ImageContent | ThinkingContent | ToolCallContent

/**
 * Why the model stopped: it came to its end, it reached the token limit (`length`), it wants calls, it failed, or it
 * was cancelled.
 */
export type StopReason = 'stop' | 'length' | 'toolUse' | 'error' | 'aborted'

/** What a person says. The engine puts its notes in messages of this kind too. */
export interface UserMessage {
  readonly role: 'user'
  readonly content: readonly (TextContent | ImageContent)[]
  /** Unix milliseconds. */
  readonly timestamp: number
}

/** One answer of a model; `timestamp` in Unix milliseconds. */
export interface AssistantMessage {
  readonly role: 'assistant'
  readonly content: readonly (TextContent | ThinkingContent | ToolCallContent)[]
  readonly stopReason: StopReason
  readonly model: string
  readonly provider: string
  readonly usage: Usage
  /**
   * US dollars by the prices that the engine was given; absent where the model has no price. A value that an adapter
   * sets here is ignored.
   */
  readonly cost?: number
  /** What an adapter says the answer took in units of its own. */
  readonly executionUnits?: number
  readonly timestamp: number
  /** The failure, if `stopReason` is `error`; else a warning: the answer is kept although its end is not known. */
  readonly errorMessage?: string
}

/**
 * How a tool ended. A `warning` is a success with something to look at; an `error` is a result the model can correct.
 */
export type ToolResultStatus = 'success' | 'warning' | 'error'

/**
 * Why a call has failed: the model named a tool there is not, its arguments did not fit, the tool failed or said so, or it
 * took too long.
 */
export type ToolErrorCode = 'unknown_tool' | 'bad_arguments' | 'failed' | 'timed_out'

/** The one result of a call; `isError` where `status` is `error`. `timestamp` in Unix milliseconds. */
export interface ToolResultMessage {
  readonly role: 'toolResult'
  /** Our call id. */
  readonly callId: string
  /** The provider's id of the call this answers. */
  readonly toolCallId: string
  readonly toolName: string
  readonly content: readonly (TextContent | ImageContent)[]
  readonly isError: boolean
  readonly status: ToolResultStatus
  /** Of an error; absent where the call was not executed for another reason, such as a denial, a block or a cancel. */
  readonly code?: ToolErrorCode
  /** Kept in the transcript, never sent to the model. */
  readonly details?: Json
  /**
   * The run that did the work, where the tool let another run do it. Kept in the transcript, never sent to the model.
   */
  readonly childRunId?: string
  readonly timestamp: number
}

/** App-only data in the transcript, never sent to a model. */
export interface ExtensionMessage {
  readonly role: 'extension'
  readonly kind: string
  readonly data: Json
  readonly timestamp: number
}

/** What a run may be started with: what a person says, and what the application keeps beside it. */
export type InputMessage = UserMessage | ExtensionMessage

/**
 * What a person says, in the form that callers may hand in. Its content may be a text. Without a `timestamp` it counts
 * as said now.
 */
export interface PromptMessage {
  readonly role: 'user'
  readonly content: string | UserMessage['content']
  /** Unix milliseconds. */
  readonly timestamp?: number
}

/** What is said to a run: a text, a message, or messages of a user with extension messages between them. */
export type Said = string | PromptMessage | readonly (InputMessage | PromptMessage)[]

/** One message of a transcript. */
export type Message = UserMessage | AssistantMessage | ToolResultMessage | ExtensionMessage

/** Messages a model may be sent. */
export type ModelMessage = UserMessage | AssistantMessage | ToolResultMessage

/** A user message of one text. Without a time, in Unix milliseconds, it counts as said now. */
export function userMessage(text: string, timestamp: number = Date.now()): UserMessage {
  return { role: 'user', content: [{ type: 'text', text }], timestamp }
}

/** The text blocks of a message, joined. */
export function textOf(message: Message): string {
  if (message.role === 'extension') return ''
  return message.content.map((block) => (block.type === 'text' ? block.text : '')).join('')
}

/** The tool calls of an assistant message, in the model's order. */
export function toolCallsOf(message: AssistantMessage): readonly ToolCallContent[] {
  return message.content.filter((block) => block.type === 'toolCall')
}

/** True for an answer that failed or was cut off by a cancel: no model is sent it, and it answers nothing. */
export function isFailure({ stopReason }: AssistantMessage): boolean {
  return stopReason === 'error' || stopReason === 'aborted'
}
