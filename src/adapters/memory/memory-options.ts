import { number, oneOf, optional, callback, type OptionShape } from '../../core/domain/text/option-shape.ts'
import type { Embed } from '../../core/ports/memory.ts'
import type { MemoryLanguage } from './memory-words.ts'

/** Options of every memory that searches by words: its size, the size of its answers, and its way of searching. */
export interface MemoryOptions {
  /** Memories of one user; the oldest go if there are more. Default 10,000. */
  readonly maxRows?: number
  /** Bytes of one memory as JSON; a larger one is refused. Default 64,000. */
  readonly maxBytes?: number
  /** Memories that a query gives. Default 10. */
  readonly limit?: number
  /** The maximum number of bytes that a query returns in total. Default 16,000. */
  readonly limitBytes?: number
  /** `english` finds all forms of a word, without common words; `plain` finds words as written. Default `english`. */
  readonly language?: MemoryLanguage
  /** Finds memories by meaning too. One model a memory: vectors of another length are not compared. Default: words alone. */
  readonly embed?: Embed
}

const isWhole = (value: number) => Number.isSafeInteger(value) && value >= 1
const whole = optional(number('a whole number of 1 or more', isWhole))

/** The checks of the options that all memories have. */
export const memoryShape: OptionShape<MemoryOptions> = {
  maxRows: whole,
  maxBytes: whole,
  limit: whole,
  limitBytes: whole,
  language: optional(oneOf('english', 'plain')),
  embed: optional(callback),
}
