import type { JsonObject } from '../domain/text/json.ts'
import type { AssistantMessage, ModelMessage } from '../domain/message.ts'
import type { ThinkingLevel } from '../domain/request-plan.ts'

export type { ThinkingLevel } from '../domain/request-plan.ts'

/** What the model is told of a tool. */
export interface ToolDefinition {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly parameters: JsonObject
}

/** Which parts of the prompt are marked for the provider's cache. */
export interface CacheMarks {
  readonly system: boolean
  readonly tools: boolean
  /** The second-to-last user message, so that the last one may still change. */
  readonly messages: boolean
}

/** What is cached: with `auto` all that a wire can mark, with an object only what it names. */
export type CacheStrategy = 'auto' | 'disabled' | Partial<CacheMarks>

/** The form that the text of an answer must have. */
export interface OutputFormat {
  /** Letters, digits, `_` and `-`, at most 64 characters. */
  readonly name: string
  /** JSON Schema of the answer. */
  readonly schema: JsonObject
}

/**
 * Why a model is asked: for something new to answer, for the results of its calls, for an answer that did not fit
 * the output contract, or for a summary of what was said, which is no answer of the run's.
 */
export type RequestLifecycle = 'init' | 'tool_result' | 'output_error_feedback' | 'summary'

/** What one model call is made with. */
export interface ModelRequest {
  readonly system: string
  readonly messages: readonly ModelMessage[]
  /**
   * For each message, how many answers of a model have come since the message entered; an answer counts itself, so that
   * its count begins at 1. Derived anew for each request, and stored nowhere.
   */
  readonly seen?: readonly number[]
  /**
   * How many answers of a model the conversation has, those that were taken out of the messages included: the place of
   * the answer that is asked for. Absent where no conversation is asked about, as for a summary.
   */
  readonly answers?: number
  readonly tools: readonly ToolDefinition[]
  /** With `none` the model calls no tool, while the definitions stay. Default `auto`. */
  readonly toolChoice?: 'auto' | 'none'
  /** True demands a call of some tool; a name demands a call of that tool. `toolChoice: 'none'` wins over it. */
  readonly requiredCall?: true | string
  readonly maxTokens?: number
  readonly temperature?: number
  /** Wins over the value the model was made with, as `cache` does. */
  readonly thinking?: ThinkingLevel
  readonly cache?: CacheStrategy
  readonly output?: OutputFormat
  /** Why the model is asked, for adapters that need to know. */
  readonly lifecycle?: RequestLifecycle
  readonly signal: AbortSignal
}

/** A part of a request that some wires have no place for. */
export type RequestOption =
  | 'toolChoice'
  | 'requiredCall'
  | 'maxTokens'
  | 'temperature'
  | 'thinking'
  | 'cache'
  | 'output'

/** What a stream yields: deltas, then exactly one `finished`, which comes only after the wire's terminal event. */
export type ModelEvent =
  | { readonly type: 'text'; readonly delta: string }
  | { readonly type: 'thinking'; readonly delta: string }
  | { readonly type: 'toolCall'; readonly id: string; readonly name: string; readonly delta: string }
  | {
      readonly type: 'finished'
      readonly message: AssistantMessage
      /** What the request asked for although the wire has no place for it; absent where nothing was left out. */
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
 * `finished` or a throw. It never retries, because retries belong to the model-call machine.
 */
export interface Model {
  /** Stable lower-case provider id, e.g. `anthropic`. */
  readonly provider: string
  /** The name that the provider gives the model. */
  readonly id: string
  /** The wire it speaks, e.g. `anthropic-messages`; told in `run.started`. */
  readonly wire?: string
  /** Where it is reached; told in `run.started`, without user info, query and fragment. Reading it must not throw. */
  readonly baseUrl?: string | undefined
  /** How much it thinks where a request does not say; told in `run.started`. */
  readonly thinking?: ThinkingLevel | undefined
  /** Output tokens, where known. The number bounds the prompt budget. */
  readonly maxTokens?: number
  /** Tokens of prompt and answer together, where known. */
  readonly contextWindow?: number
  readonly prices?: Prices
  /** True where the wire refuses an answer from which a call was taken out. Such calls stay and are answered. */
  readonly bindsCallsToReasoning?: boolean
  /** Gets new credentials after a refusal, where the model was given a way to get them. The next call uses them. */
  readonly refreshCredentials?: () => Promise<void>
  stream(request: ModelRequest): AsyncIterable<ModelEvent>
}
