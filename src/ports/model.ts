import type { JsonObject } from '../domain/json.ts'
import type { AssistantMessage, ModelMessage } from '../domain/message.ts'

/** What the model is told of a tool. */
export interface ToolDefinition {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly parameters: JsonObject
}

/** What one model call is made with. */
export interface ModelRequest {
  readonly system: string
  readonly messages: readonly ModelMessage[]
  readonly tools: readonly ToolDefinition[]
  /** `none` forbids tool calls while the definitions stay. Default `auto`. */
  readonly toolChoice?: 'auto' | 'none'
  readonly maxTokens?: number
  readonly temperature?: number
  readonly signal: AbortSignal
}

/** What a stream yields: deltas, then exactly one `finished`, only after the wire's terminal event. */
export type ModelEvent =
  | { readonly type: 'text'; readonly delta: string }
  | { readonly type: 'thinking'; readonly delta: string }
  | { readonly type: 'toolCall'; readonly id: string; readonly name: string; readonly delta: string }
  | { readonly type: 'finished'; readonly message: AssistantMessage }

/**
 * One model at one provider. `stream` throws a `ModelError` for every failure of the wire, and must not
 * end without `finished` or a throw. It never retries: retries belong to the model-call machine.
 */
export interface Model {
  /** Stable lower-case provider id, e.g. `anthropic`. */
  readonly provider: string
  /** The provider's name of the model. */
  readonly id: string
  /** Output tokens, where known; bounds the prompt budget. */
  readonly maxTokens?: number
  stream(request: ModelRequest): AsyncIterable<ModelEvent>
}
