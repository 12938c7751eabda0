import { model } from './model-shape.ts'
import { UsageError } from '../domain/text/usage-error.ts'
import { callback, either, optional, type OptionCheck, options, text, wholeFrom } from '../domain/text/option-shape.ts'
import type { CompactionOptions, SummaryOptions } from '../ports/prompt-strategy.ts'
import { keptDefaults } from '../prompt/cut.ts'
import { TokenCounter } from '../prompt/estimate-tokens.ts'
import { roomOfOptions } from '../prompt/prompt-room.ts'

const wholeOf0 = wholeFrom(0)
const wholeOf1 = wholeFrom(1)

const summaries: OptionCheck = options<SummaryOptions>({
  model: optional(model),
  instructions: optional(text),
  maxTokens: optional(wholeOf1),
})

/** The check of `compaction`; relations between its numbers are checked where the numbers are used. */
export const compaction: OptionCheck = options<CompactionOptions>({
  budget: optional(wholeOf1),
  systemTokens: optional(wholeOf0),
  keepFirst: optional(wholeOf0),
  keepLast: optional(wholeOf1),
  outputLines: optional(wholeOf1),
  countTokens: optional(callback),
  strategy: optional(callback),
  summaries: optional(either(true, summaries)),
})

/** The minimum tokens of a message: its frame and one token of text. */
const leastMessage = 5

/** Returns the options of compaction; throws a `UsageError` with the numbers if no prompt could fit. */
export function checkedCompaction(given: CompactionOptions | false, instructions = ''): CompactionOptions | false {
  if (given === false) return false
  if (given.budget !== undefined) checkInstructions(given.budget, instructions)
  if (given.strategy !== undefined && given.summaries !== undefined) {
    const found = 'Options compaction.strategy and compaction.summaries are both given'
    throw new UsageError(
      'bad_option',
      `${found}. Expected one of them: either makes the prompt smaller in its own way.`,
    )
  }
  const { budget, systemTokens, keepFirst, keepLast } = { ...keptDefaults, ...given }
  const { most } = roomOfOptions(given)
  const kept = keepFirst + keepLast
  if (most >= kept * leastMessage) return given
  const less = systemTokens === undefined ? '' : ` less compaction.systemTokens ${systemTokens}`
  const found = `Option compaction.budget is ${budget}: 0.85 of it${less} is ${most} tokens for messages`
  const wish = `and the ${kept} messages that are kept (keepFirst ${keepFirst}, keepLast ${keepLast}) have ${kept * leastMessage} at least`
  throw new UsageError('bad_option', `${found}, ${wish}. Raise the budget, or keep fewer messages.`)
}

/** Checks the fixed instructions only; the instructions of a context builder are known after a run has begun. */
function checkInstructions(budget: number, instructions: string): void {
  const tokens = new TokenCounter().ofText(instructions)
  if (tokens < budget) return
  const found = `Option compaction.budget is ${budget}, and the instructions alone have about ${tokens} tokens`
  throw new UsageError('bad_option', `${found}. Raise the budget above them, or shorten the instructions.`)
}
