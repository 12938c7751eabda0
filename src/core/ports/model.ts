import type { AcceptedMedia } from '../domain/media.ts'
import type { JsonObject } from '../domain/text/json.ts'
import type { AssistantMessage, ModelMessage } from '../domain/message.ts'
import type { ThinkingLevel } from '../domain/request-plan.ts'

export type { ThinkingLevel } from '../domain/request-plan.ts'

/** A tool's definition for a model. */
export interface ToolDefinition {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly parameters: JsonObject
}

/** The parts of the prompt that are marked for the provider's cache. */
export interface CacheMarks {
  readonly system: boolean
  readonly tools: boolean
  /** The mark at the second-to-last user message, so that the last one may still change. */
  readonly messages: boolean
}

/** The cached parts: with `auto` all that a wire can mark, with an object only the named ones. */
export type CacheStrategy = 'auto' | 'disabled' | Partial<CacheMarks>

/** The required format of an answer's text. */
export interface OutputFormat {
  /** Letters, digits, `_` and `-`, at most 64 characters. */
  readonly name: string
  /** JSON Schema of the answer. */
  readonly schema: JsonObject
}

/**
 * The reason of a model call: new input, the results of its calls, an answer that did not fit the output contract, or a
 * summary, which is not an answer of the run.
 */
export type RequestLifecycle = 'init' | 'tool_result' | 'output_error_feedback' | 'summary'

/** The request of one model call. */
export interface ModelRequest {
  readonly system: string
  readonly messages: readonly ModelMessage[]
  /**
   * For each message, the number of model answers since the message was added; an answer counts itself, so that its
   * count begins at 1. Computed for each request and never stored.
   */
  readonly seen?: readonly number[]
  /**
   * The number of model answers in the conversation, including answers that were removed from the messages: the
   * position of the requested answer. Absent without a conversation, as for a summary.
   */
  readonly answers?: number
  readonly tools: readonly ToolDefinition[]
  /** With `none` the model must not call a tool, but still receives the definitions. Default `auto`. */
  readonly toolChoice?: 'auto' | 'none'
  /** True requires a call of any tool; a name requires a call of that tool. `toolChoice: 'none'` overrides it. */
  readonly requiredCall?: true | string
  readonly maxTokens?: number
  readonly temperature?: number
  /** Overrides the value that the model was created with, as `cache` does. */
  readonly thinking?: ThinkingLevel
  readonly cache?: CacheStrategy
  readonly output?: OutputFormat
  /** The reason of the call, for adapters that need it. */
  readonly lifecycle?: RequestLifecycle
  readonly signal: AbortSignal
}

/** The parts of a request that some wires do not support. */
export const requestOptions = [
  'toolChoice',
  'requiredCall',
  'maxTokens',
  'temperature',
  'thinking',
  'cache',
  'output',
] as const

/** A part of a request that some wires do not support. */
export type RequestOption = (typeof requestOptions)[number]

/** An event of a model's stream: deltas, then exactly one `finished`, sent only after the wire's terminal event. */
export type ModelEvent =
  | { readonly type: 'text'; readonly delta: string }
  | { readonly type: 'thinking'; readonly delta: string }
  | { readonly type: 'toolCall'; readonly id: string; readonly name: string; readonly delta: string }
  | {
      readonly type: 'finished'
      readonly message: AssistantMessage
      /** Options of the request that the wire does not support; absent if there are none. */
      readonly leftOut?: readonly RequestOption[]
    }

/** US dollars for a million tokens of each kind. */
export interface Prices {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

/** Prices by `provider/model`, e.g. `anthropic/claude-opus-5`. */
export interface PriceTable {
  readonly [model: string]: Prices
}

/**
 * One model at one provider. `stream` throws a `ModelError` for every failure of the wire, and must not end without
 * `finished` or a throw. It never retries, because the model-call machine retries.
 */
export interface Model {
  /** A stable lower-case id of the provider, e.g. `anthropic`. */
  readonly provider: string
  /** The provider's name for the model. */
  readonly id: string
  /** The model's wire, e.g. `anthropic-messages`; reported in `run.started`. */
  readonly wire?: string
  /** The model's address; reported in `run.started` without user info, query and fragment. Reading must not throw. */
  readonly baseUrl?: string | undefined
  /** The default thinking level; reported in `run.started`. */
  readonly thinking?: ThinkingLevel | undefined
  /** The maximum output tokens, if known. The number limits the prompt's budget. */
  readonly maxTokens?: number
  /** The maximum tokens of prompt and answer together, if known. */
  readonly contextWindow?: number
  readonly prices?: Prices
  /** True if each answer has its `cost`, which then counts in place of the prices. For what is paid elsewhere. */
  readonly statesCost?: boolean
  /**
   * The pictures and files that the model accepts; absent if unknown. A prompt with other media is rejected before it is
   * stored.
   */
  readonly media?: AcceptedMedia
  /** True if the wire rejects an answer from which a call was removed. Such calls stay and receive results. */
  readonly bindsCallsToReasoning?: boolean
  /**
   * True if the provider summarizes a conversation itself. A request with the lifecycle `summary` then has the messages
   * instead of a text about them. The summary is the text in the answer whose provider data has a "compaction", and the
   * data is sent back with it. If the text is empty, other models read the shortened messages.
   */
  readonly compacts?: boolean
  /** Gets new credentials after a rejection, if the model was given a way to get them. The next call uses them. */
  readonly refreshCredentials?: () => Promise<void>
  stream(request: ModelRequest): AsyncIterable<ModelEvent>
}
