import type { CompactionOptions } from '../ports/prompt-strategy.ts'
import { keptDefaults } from './cut-plan.ts'

/** Tokens the system prompt and the tools are left, where the options say nothing. */
const defaultSystemTokens = 4_000

/** How much of its budget a prompt may fill, and how much of the budget it has once it was compacted. */
const fullShare = 0.85
const freedShare = 0.5

/** How many tokens the messages of a prompt may have. */
export interface PromptRoom {
  /** Beyond it a prompt is compacted. */
  readonly most: number
  /** What it then comes down to. */
  readonly target: number
}

/** What a request takes beside its messages. */
export interface RequestSizes {
  /** Tokens of the system prompt and the tools. */
  readonly overhead: number
  /** Tokens that the answer may have. */
  readonly output: number
}

/**
 * The room for messages in a request to a model (requirement CTX-02): 0.85 of the budget less what the system prompt has,
 * 81,000 where nothing is said. The budget is never more than the window of the model less its answer.
 */
export function promptRoom(
  { contextWindow = Infinity }: { readonly contextWindow?: number | undefined },
  { budget: wanted = keptDefaults.budget, systemTokens: given }: Pick<CompactionOptions, 'budget' | 'systemTokens'>,
  { overhead, output }: RequestSizes,
): PromptRoom {
  // Some models name as the most of an answer what they have for prompt and answer together.
  const window = contextWindow - Math.min(output, contextWindow / 2)
  const budget = Math.min(wanted, window)
  const isGiven = given !== undefined && wanted <= window
  const systemTokens = isGiven ? given : Math.min(given ?? defaultSystemTokens, budget / 4)
  const ofBudget = Math.floor(fullShare * budget) - systemTokens
  // Where the tools alone nearly fill the window, what is left is cut no smaller than that: the model says what it takes.
  const ofWindow = Math.max(Math.floor(fullShare * window) - overhead, budget / 4)
  const most = Math.floor(Math.min(ofBudget, ofWindow))
  const target = Math.floor(Math.min(Math.max(freedShare * budget - systemTokens, most / 2), (most * 3) / 4))
  return { most, target }
}

/** The room for messages where nothing is known of the model. */
export function roomOfOptions(options: CompactionOptions): PromptRoom {
  return promptRoom({}, options, { overhead: 0, output: 0 })
}
