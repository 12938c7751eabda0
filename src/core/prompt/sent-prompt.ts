import { freezeDeep } from '../domain/text/json.ts'
import type { ModelMessage } from '../domain/message.ts'
import { type Base, type Cut, endOf, noCut } from './cut.ts'
import { cutMessages } from './cut-messages.ts'
import type { TokenCounter } from './estimate-tokens.ts'

/**
 * The messages that are sent of a prompt under a cut. What a prompt has in common with the one before is not gone through
 * again, so that a turn costs no more in a long conversation than in a short one.
 */
export class SentPrompt {
  readonly #counter: TokenCounter
  readonly #isMasking: boolean
  /** The prompt, with what stands for its beginning. */
  #list: ModelMessage[] = []
  #cut: Cut = noCut
  /** True where the list is the prompt itself. */
  #isPlain = true
  readonly #messages: ModelMessage[] = []
  /** The place of the list that each of them stands for, and the tokens before it. */
  readonly #places: number[] = []
  readonly #sums: number[] = [0]
  /** Where the first message behind the cut is sent. */
  #tailAt = 0
  /** How many answers stand before each place of the list. `#lastAnswer` is the place of the last one. */
  readonly #answers: number[] = [0]
  #lastAnswer = -1
  /** Tokens of the prompt before, and how many of its first messages all prompts since have had. */
  #before = 0
  #shared = 0

  constructor(counter: TokenCounter, isMasking: boolean) {
    this.#counter = counter
    this.#isMasking = isMasking
  }

  /**
   * Says what is sent of a prompt under a cut. `kept` is how many of its first messages are known to be the same as in the
   * prompt before.
   */
  update(prompt: readonly ModelMessage[], wanted: Cut, kept = 0): void {
    const list = listOf(prompt, wanted.base)
    const isPlain = list === prompt
    // A prompt that somebody has made shorter is another one.
    const cut = endOf(wanted) <= list.length ? wanted : noCut
    const isSame = cut === this.#cut
    const common = this.#commonWith(list, isPlain && this.#isPlain ? kept : 0)
    this.#isPlain = isPlain
    // A picture is masked once an answer follows it: what stands behind the last answer of before may change.
    const unchanged = this.#isMasking ? Math.min(common, this.#lastAnswer + 1) : common
    this.#take(list, common)
    this.#cut = cut
    const end = endOf(cut)
    const isKept = isSame && unchanged >= end
    const from = isKept ? unchanged : 0
    const first = isKept ? this.#tailAt + unchanged - end : 0
    const replaced = this.#messages.slice(first, this.#shared)
    this.#cutTo(first)
    for (const { message, place } of cutMessages(list, cut, { from, maskedBefore: this.maskedBefore })) {
      this.#push(message, place)
    }
    this.#tailAt = this.#messages.length - (list.length - end)
    if (first < this.#shared) this.#shared = first + sameAtBegin(replaced, this.#messages, first)
  }

  /** Of the prompt before, the part that this one begins with, 0 to 1; undefined where there was none. From now on this is the one before. */
  takeShare(): number | undefined {
    const share = this.#before === 0 ? undefined : (this.#sums[this.#shared] ?? 0) / this.#before
    this.#before = this.#sums[this.#messages.length] ?? 0
    this.#shared = this.#messages.length
    return share
  }

  /** The messages that are sent; they change with the next update. */
  get messages(): readonly ModelMessage[] {
    return this.#messages
  }

  /** How many answers have come since each of them entered; an answer counts itself. */
  seenCounts(): readonly number[] {
    const total = this.#answers[this.#list.length] ?? 0
    const counts: number[] = []
    for (const place of this.#places) counts.push(total - (this.#answers[place] ?? 0))
    return counts
  }

  /** What the messages are cut by. */
  get cut(): Cut {
    return this.#cut
  }

  /** The prompt that is sent of, whole. */
  get list(): readonly ModelMessage[] {
    return this.#list
  }

  /** The place of the list before which pictures are masked. */
  get maskedBefore(): number {
    return this.#isMasking ? this.#lastAnswer : 0
  }

  /** Tokens of what is sent, by the counter. */
  get tokens(): number {
    return this.#sums[this.#messages.length] ?? 0
  }

  /** The place of the last answer; -1 where there is none. */
  get lastAnswer(): number {
    return this.#lastAnswer
  }

  /** Tokens of what is sent before a place of the list; undefined for a place that the cut is about. */
  tokensBefore(place: number): number | undefined {
    const end = endOf(this.#cut)
    return place < end ? undefined : this.#sums[this.#tailAt + place - end]
  }

  #commonWith(list: readonly ModelMessage[], kept: number): number {
    const most = Math.min(list.length, this.#list.length)
    let common = Math.min(kept, most)
    while (common < most && list[common] === this.#list[common]) common++
    return common
  }

  #take(list: readonly ModelMessage[], common: number): void {
    this.#list.length = common
    this.#answers.length = common + 1
    for (const message of list.slice(common)) {
      const before = this.#answers[this.#list.length] ?? 0
      this.#list.push(message)
      this.#answers.push(before + Number(message.role === 'assistant'))
    }
    this.#lastAnswer = list.findLastIndex(({ role }) => role === 'assistant')
  }

  #cutTo(length: number): void {
    this.#messages.length = length
    this.#places.length = length
    this.#sums.length = length + 1
  }

  #push(message: ModelMessage, place: number): void {
    const before = this.#sums[this.#messages.length] ?? 0
    this.#messages.push(freezeDeep(message))
    this.#places.push(place)
    this.#sums.push(before + this.#counter.of(message))
  }
}

/** How many messages are the same as those from a place on. */
function sameAtBegin(replaced: readonly ModelMessage[], messages: readonly ModelMessage[], from: number): number {
  const other = replaced.findIndex((message, index) => !isEqualMessage(message, messages[from + index]))
  return other < 0 ? replaced.length : other
}

/** Code of the application may give a copy of what it was given. */
function isEqualMessage(one: ModelMessage, other: ModelMessage | undefined): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}

function listOf(prompt: readonly ModelMessage[], base: Base | undefined): readonly ModelMessage[] {
  if (base === undefined || base.upTo > prompt.length) return prompt
  const begin = base.list.flatMap((part) => ('role' in part ? [part] : prompt.slice(part[0], part[1])))
  return [...begin, ...prompt.slice(base.upTo)]
}
