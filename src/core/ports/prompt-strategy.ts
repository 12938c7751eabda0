import type { ModelMessage } from '../domain/message.ts'
import type { Model } from './model.ts'
import type { RequestContext } from './plugin.ts'

/** Counts the tokens of a text with at most 2,000 characters. */
export type CountTokens = (text: string) => number

/** The context of a strategy, besides the messages, which are frozen. */
export interface StrategyContext extends RequestContext {
  /** Tokens of the messages in their current form. */
  readonly tokens: number
  /** The maximum tokens that the messages should have. */
  readonly target: number
  /** Returns the tokens of one message. */
  count(message: ModelMessage): number
}

/**
 * Makes a prompt smaller in a custom way (requirement CTX-02). Called if the prompt exceeds its budget. Its result is
 * written to the log with the next answer, and from then on replaces those messages. It may remove and replace
 * messages, but must not separate a call from its result, and must not add a call. If it does, throws, or exceeds
 * `limits.pluginTimeoutMs`, the event `context.partFailed` reports it, and the prompt is compacted as without a
 * strategy.
 *
 * @example
 * const lastTwenty: PromptStrategy = (messages) => messages.slice(messages.findLastIndex(isQuestion, -20))
 */
export type PromptStrategy = (
  messages: readonly ModelMessage[],
  context: StrategyContext,
) => readonly ModelMessage[] | Promise<readonly ModelMessage[]>

/** Options for a model's summary of the old part of a prompt. */
export interface SummaryOptions {
  /** The model that is asked. Default: the model of the call whose prompt is too large. */
  readonly model?: Model
  /** The instructions, which replace the default ones. */
  readonly instructions?: string
  /** The maximum tokens of a summary. Default 2,000. */
  readonly maxTokens?: number
}

/** Options that keep a prompt within its budget. */
export interface CompactionOptions {
  /** The maximum tokens of a prompt. Default 100,000; at most the model's window less the tokens of its answer. */
  readonly budget?: number
  /** The tokens reserved for the system prompt and the tools. Default 4,000, at most a quarter of the budget. */
  readonly systemTokens?: number
  /** The number of first messages that are never removed. Default 2. */
  readonly keepFirst?: number
  /** The number of last messages that are never removed, at least 1. Default 10. */
  readonly keepLast?: number
  /** The number of lines that an old tool output is cut to, at least 1. Default 50. */
  readonly outputLines?: number
  /** Replaces the estimate of four bytes per token. */
  readonly countTokens?: CountTokens
  /** Called first; the tiers follow if its result is still too large. */
  readonly strategy?: PromptStrategy
  /**
   * Lets a model summarise old messages if shorter tool outputs are not enough. Each summary is paid for once, counts
   * for the run and its limits, and is stored in the log. If no summary can be made, the tiers apply. Not together with
   * `strategy`.
   */
  readonly summaries?: SummaryOptions | true
}
