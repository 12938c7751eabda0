import { model } from './model-shape.ts'
import { UsageError } from '../domain/text/usage-error.ts'
import { callback, either, number, optional, type OptionCheck, options, text } from '../domain/text/option-shape.ts'
import type { CompactionOptions, SummaryOptions } from '../ports/prompt-strategy.ts'
import { keptDefaults } from '../prompt/cut-plan.ts'
import { TokenCounter } from '../prompt/estimate-tokens.ts'
import { roomOfOptions } from '../prompt/prompt-room.ts'

const isWhole = (value: number, least: number) => Number.isSafeInteger(value) && value >= least
const wholeOf0 = number('a whole number of 0 or more', (value) => isWhole(value, 0))
const wholeOf1 = number('a whole number of 1 or more', (value) => isWhole(value, 1))

const summaries: OptionCheck = options<SummaryOptions>({
  model: optional(model),
  instructions: optional(text),
  maxTokens: optional(wholeOf1),
})

/** The check of `compaction`; how its numbers stand to one another is looked at where they are read. */
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

/** The least tokens of a message: what stands around it, and one of a text. */
const leastMessage = 5

/** The options of compaction; a `UsageError` with the numbers where no prompt could have room. */
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

/** What a context builder makes of the instructions is known only once a run begins. */
function checkInstructions(budget: number, instructions: string): void {
  const tokens = new TokenCounter().ofText(instructions)
  if (tokens < budget) return
  const found = `Option compaction.budget is ${budget}, and the instructions alone have about ${tokens} tokens`
  throw new UsageError('bad_option', `${found}. Raise the budget above them, or shorten the instructions.`)
}
