import type { Json } from './text/json.ts'
import type { Usage } from './usage.ts'

/** Opaque data that a provider needs back unchanged. It is dropped when the provider or the model changes. */
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

/** A block with a file that is neither text nor a picture, such as a PDF. A text file enters a transcript as text. */
export interface FileContent {
  readonly type: 'file'
  /** Base64 bytes. */
  readonly data: string
  readonly mediaType: string
  /** Without folders. */
  readonly name?: string
}

/** A block that a user's message or a result may contain. */
export type ShownContent = TextContent | ImageContent | FileContent

/**
 * A picture or a file as callers may pass it: as base64, as a `data:` address or as bytes. `readBlock` determines its
 * type.
 */
export interface GivenMedia {
  readonly type: 'image' | 'file'
  readonly data?: string | Uint8Array
  /** The AI SDK's word for `data` of an image. */
  readonly image?: string | Uint8Array
  /** A `data:` address; what lies elsewhere is not fetched. */
  readonly url?: string
  /** Default: the type of the first bytes, or else of the name. */
  readonly mediaType?: string
  readonly mimeType?: string
  readonly name?: string
  readonly filename?: string
}

/** A model's thinking before its answer, as far as its provider shows it. */
export interface ThinkingContent {
  readonly type: 'thinking'
  readonly thinking: string
  readonly signature?: string
  readonly providerData?: ProviderData
}

/** A request of the model to run a tool. */
export interface ToolCallContent {
  readonly type: 'toolCall'
  /** The provider's id; may repeat between turns. */
  readonly id: string
  /**
   * Our id, unique in the transcript: turn and provider id. The numbers of turns continue those of the continued run.
   * Absent until the answer is processed.
   */
  readonly callId?: string
  readonly name: string
  readonly arguments: Json
  /** The parse error, if the provider sent arguments that are not JSON. */
  readonly malformed?: string
  /** True for a call that the answer's token limit truncated. */
  readonly truncated?: boolean
  readonly providerData?: ProviderData
}

/** Any block of a message. */
export type Content = ShownContent | ThinkingContent | ToolCallContent

/** The reason for which the model stopped: its end, the token limit (`length`), calls, a failure, or a cancel. */
export type StopReason = 'stop' | 'length' | 'toolUse' | 'error' | 'aborted'

/** A person's message. The engine also writes its notes as messages of this kind. */
export interface UserMessage {
  readonly role: 'user'
  readonly content: readonly ShownContent[]
  /** Unix milliseconds. */
  readonly timestamp: number
  /** The background work whose result the message brings: its call, and the run that did it. No user wrote the message. */
  readonly background?: { readonly callId: string; readonly childRunId: string }
}

/** One answer of a model; `timestamp` in Unix milliseconds. */
export interface AssistantMessage {
  readonly role: 'assistant'
  readonly content: readonly (TextContent | ThinkingContent | ToolCallContent)[]
  readonly stopReason: StopReason
  readonly model: string
  readonly provider: string
  readonly usage: Usage
  /** US dollars by the engine's prices, or as a model with `statesCost` says; absent if the model has no price. */
  readonly cost?: number
  /** The cost of the answer in the adapter's own units. */
  readonly executionUnits?: number
  readonly timestamp: number
  /** The error, if `stopReason` is `error`; otherwise a warning that the answer may be incomplete. */
  readonly errorMessage?: string
}

/** The status of a result. A `warning` is a success that needs attention; the model can correct an `error`. */
export type ToolResultStatus = 'success' | 'warning' | 'error'

/**
 * The reason of a failed call: the tool is unknown, the arguments did not fit, the tool failed or reported a failure,
 * or it took too long.
 */
export type ToolErrorCode = 'unknown_tool' | 'bad_arguments' | 'failed' | 'timed_out'

/** The one result of a call; `isError` is true if `status` is `error`. `timestamp` is in Unix milliseconds. */
export interface ToolResultMessage {
  readonly role: 'toolResult'
  /** Our call id. */
  readonly callId: string
  /** The provider's id of the call. */
  readonly toolCallId: string
  readonly toolName: string
  readonly content: readonly ShownContent[]
  readonly isError: boolean
  readonly status: ToolResultStatus
  /** The code of an error; absent if the call was not executed for another reason, such as a denial or a cancel. */
  readonly code?: ToolErrorCode
  /** Kept in the transcript and never sent to the model. */
  readonly details?: Json
  /** The run that did the work, if the tool delegated it. Kept in the transcript and never sent to the model. */
  readonly childRunId?: string
  readonly timestamp: number
}

/** The application's own data in the transcript, never sent to a model. */
export interface ExtensionMessage {
  readonly role: 'extension'
  readonly kind: string
  readonly data: Json
  readonly timestamp: number
}

/** The input of a run: a person's message, or the application's data. */
export type InputMessage = UserMessage | ExtensionMessage

/**
 * A person's message as callers may pass it. Its content may be a text. The default `timestamp` is the current time.
 */
export interface PromptMessage {
  readonly role: 'user'
  readonly content: string | readonly (TextContent | GivenMedia)[]
  /** Unix milliseconds. */
  readonly timestamp?: number
}

/** The input of a message: a text, a message, or a list of user messages and extension messages. */
export type Said = string | PromptMessage | readonly (InputMessage | PromptMessage)[]

/** One message of a transcript. */
export type Message = UserMessage | AssistantMessage | ToolResultMessage | ExtensionMessage

/** A message that may be sent to a model. */
export type ModelMessage = UserMessage | AssistantMessage | ToolResultMessage

/** Returns a user message with one text. The default timestamp is the current time, in Unix milliseconds. */
export function userMessage(text: string, timestamp: number = Date.now()): UserMessage {
  return { role: 'user', content: [{ type: 'text', text }], timestamp }
}

/** Returns the joined text blocks of a message. */
export function textOf(message: Message): string {
  if (message.role === 'extension') return ''
  return message.content.map((block) => (block.type === 'text' ? block.text : '')).join('')
}

/** Returns the tool calls of an assistant message, in the model's order. */
export function toolCallsOf(message: AssistantMessage): readonly ToolCallContent[] {
  return message.content.filter((block) => block.type === 'toolCall')
}

/** Returns true for an answer that failed or was cancelled: it is not sent to a model and answers nothing. */
export function isFailure({ stopReason }: AssistantMessage): boolean {
  return stopReason === 'error' || stopReason === 'aborted'
}

/** Returns true for an answer that did not fail, so that its model has read the prompt. */
export function isAnswer(message: Message): boolean {
  return message.role === 'assistant' && !isFailure(message)
}
