import { UsageError } from '../domain/usage-error.ts'
import { callback, number, optional, type OptionCheck, options } from '../domain/option-shape.ts'
import type { CompactionOptions } from '../ports/prompt-strategy.ts'
import { keptDefaults } from '../prompt/cut-plan.ts'
import { roomOfOptions } from '../prompt/prompt-room.ts'

const isWhole = (value: number, least: number) => Number.isSafeInteger(value) && value >= least
const wholeOf0 = number('a whole number of 0 or more', (value) => isWhole(value, 0))
const wholeOf1 = number('a whole number of 1 or more', (value) => isWhole(value, 1))

/** The check of `compaction`; how its numbers stand to one another is looked at where they are read. */
export const compaction: OptionCheck = options<CompactionOptions>({
  budget: optional(wholeOf1),
  systemTokens: optional(wholeOf0),
  keepFirst: optional(wholeOf0),
  keepLast: optional(wholeOf1),
  outputLines: optional(wholeOf1),
  countTokens: optional(callback),
  strategy: optional(callback),
})

/** The least tokens of a message: what stands around it, and one of a text. */
const leastMessage = 5

/** The options of compaction; a `UsageError` with the numbers where no prompt could have room. */
export function checkedCompaction(given: CompactionOptions | false): CompactionOptions | false {
  if (given === false) return false
  const { budget, systemTokens, keepFirst, keepLast } = { ...keptDefaults, ...given }
  const { most } = roomOfOptions(given)
  const kept = keepFirst + keepLast
  if (most >= kept * leastMessage) return given
  const less = systemTokens === undefined ? '' : ` less compaction.systemTokens ${systemTokens}`
  const found = `Option compaction.budget is ${budget}: 0.85 of it${less} is ${most} tokens for messages`
  const wish = `and the ${kept} messages that are kept (keepFirst ${keepFirst}, keepLast ${keepLast}) have ${kept * leastMessage} at least`
  throw new UsageError('bad_option', `${found}, ${wish}. Raise the budget, or keep fewer messages.`)
}
