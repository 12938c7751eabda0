import type { TokenCounter } from './estimate-tokens.ts'

/** The target size of a prompt and the parts to keep. */
export interface CutPlan {
  /** The wanted number of tokens, by the counter. */
  readonly target: number
  /** The maximum number of tokens. */
  readonly most: number
  readonly keepFirst: number
  readonly keepLast: number
  readonly outputLines: number
  /** The number of messages from the transcript. Later ones belong only to this request and are not changed. */
  readonly own: number
  /** The place before which media are masked. */
  readonly maskedBefore: number
  readonly counter: TokenCounter
}

/** Defaults of the budget, the number of kept messages and the lines of an output. */
export const keptDefaults = { budget: 100_000, keepFirst: 2, keepLast: 10, outputLines: 50 }
