import type { ModelMessage } from '../domain/message.ts'
import type { Model } from './model.ts'
import type { RequestContext } from './plugin.ts'

/** Counts the tokens of a text; it is handed at most 2,000 characters at a time. */
export type CountTokens = (text: string) => number

/** What a strategy is told beside the messages, which are frozen. */
export interface StrategyContext extends RequestContext {
  /** Tokens of the messages as they are sent now. */
  readonly tokens: number
  /** Tokens that the messages should have at most. */
  readonly target: number
  /** Tokens of one message. */
  count(message: ModelMessage): number
}

/**
 * Makes a prompt smaller in a way of its own (requirement CTX-02). It is asked where the prompt has outgrown its budget,
 * and what it gives is written to the log with the next answer: from then on it stands in the place of those messages. It
 * may leave messages out and put others in their place, but may not part a call from its result, and may not add a call.
 * Where it does, or throws, or does not end within `limits.pluginTimeoutMs`, the event `context.partFailed` says so, and the prompt
 * is compacted as if there were none.
 *
 * @example
 * const lastTwenty: PromptStrategy = (messages) => messages.slice(messages.findLastIndex(isQuestion, -20))
 */
export type PromptStrategy = (
  messages: readonly ModelMessage[],
  context: StrategyContext,
) => readonly ModelMessage[] | Promise<readonly ModelMessage[]>

/** How a model tells the old part of a prompt in short. */
export interface SummaryOptions {
  /** The model that is asked. Default: the model of the call whose prompt is too large. */
  readonly model?: Model
  /** What it is told, in the place of our instructions. */
  readonly instructions?: string
  /** Tokens that a summary may have. Default 2,000. */
  readonly maxTokens?: number
}

/** How a prompt is kept within its budget. */
export interface CompactionOptions {
  /**
   * Tokens of a prompt. Default 100,000. Never more than the window of the model that is asked, less the tokens of its
   * answer.
   */
  readonly budget?: number
  /** Tokens of the budget that the system prompt and the tools are left. Default 4,000, at most a quarter of the budget. */
  readonly systemTokens?: number
  /** Messages at the beginning that are never left out. Default 2. */
  readonly keepFirst?: number
  /** Messages at the end that are never left out, at least 1. Default 10. */
  readonly keepLast?: number
  /** Lines that an old tool output is cut to, at least 1. Default 50. */
  readonly outputLines?: number
  /** Takes the place of the estimate, four bytes a token. */
  readonly countTokens?: CountTokens
  /** Asked first; the tiers follow where what it gives is still too large. */
  readonly strategy?: PromptStrategy
  /**
   * Has a model tell old messages in short, where shorter tool outputs are not enough. Each summary is paid once, counts
   * for the run and its limits, and is kept in the log. Where none can be made the tiers apply. Not beside `strategy`.
   */
  readonly summaries?: SummaryOptions | true
}
