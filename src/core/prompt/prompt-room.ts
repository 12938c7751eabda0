import type { CompactionOptions } from '../ports/prompt-strategy.ts'
import { keptDefaults } from './cut.ts'

const defaultSystemTokens = 4_000

/** The shares of its budget that a prompt may fill, and that it fills after a compaction. */
const fullShare = 0.85
const freedShare = 0.5

/** The tokens for the messages of a prompt. */
export interface PromptRoom {
  /** A larger prompt is compacted. */
  readonly most: number
  /** The size after a compaction. */
  readonly target: number
}

/** The tokens of a request beside its messages. */
export interface RequestSizes {
  /** Tokens of the system prompt and the tools. */
  readonly overhead: number
  /** The maximum tokens of the answer. */
  readonly output: number
}

/**
 * Returns the room for messages in a request (requirement CTX-02): 0.85 of the budget minus the system prompt, by
 * default 81,000. The budget is at most the model's window minus its answer.
 */
export function promptRoom(
  { contextWindow = Infinity }: { readonly contextWindow?: number | undefined },
  { budget: wanted = keptDefaults.budget, systemTokens: given }: Pick<CompactionOptions, 'budget' | 'systemTokens'>,
  { overhead, output }: RequestSizes,
): PromptRoom {
  // Some models declare their whole window as the maximum of an answer.
  const window = contextWindow - Math.min(output, contextWindow / 2)
  const budget = Math.min(wanted, window)
  const isGiven = given !== undefined && wanted <= window
  const systemTokens = isGiven ? given : Math.min(given ?? defaultSystemTokens, budget / 4)
  const ofBudget = Math.floor(fullShare * budget) - systemTokens
  // If the tools alone nearly fill the window, the model itself must refuse the request.
  const ofWindow = Math.max(Math.floor(fullShare * window) - overhead, budget / 4)
  const most = Math.floor(Math.min(ofBudget, ofWindow))
  const target = Math.floor(Math.min(Math.max(freedShare * budget - systemTokens, most / 2), (most * 3) / 4))
  return { most, target }
}

/** Returns the room for messages of an unknown model. */
export function roomOfOptions(options: CompactionOptions): PromptRoom {
  return promptRoom({}, options, { overhead: 0, output: 0 })
}
