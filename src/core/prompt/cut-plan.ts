import type { TokenCounter } from './estimate-tokens.ts'

/** How small a prompt is to become, and what is kept of it. */
export interface CutPlan {
  /** Tokens, by the counter, that it is to have. */
  readonly target: number
  /** Tokens that it may have at most. */
  readonly most: number
  readonly keepFirst: number
  readonly keepLast: number
  readonly outputLines: number
  /** Messages of the list that are the transcript's; those behind are of this request alone, and sent as they are. */
  readonly own: number
  /** The place before which pictures are masked. */
  readonly maskedBefore: number
  readonly counter: TokenCounter
}

/** The budget, the messages kept and the lines of an output, where the options say nothing. */
export const keptDefaults = { budget: 100_000, keepFirst: 2, keepLast: 10, outputLines: 50 }
