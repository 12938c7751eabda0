import { freezeDeep } from '../domain/text/json.ts'
import type { ModelMessage } from '../domain/message.ts'
import { type Base, type Cut, endOf, noCut } from './cut.ts'
import { cutMessages } from './cut-messages.ts'
import type { TokenCounter } from './estimate-tokens.ts'

/**
 * The sent messages of a prompt under a cut. Messages shared with the last prompt are not processed again, so that a
 * turn costs the same in long and short conversations.
 */
export class SentPrompt {
  readonly #counter: TokenCounter
  readonly #isMasking: boolean
  /** The prompt, with the replacement of its first messages. */
  #list: ModelMessage[] = []
  #cut: Cut = noCut
  #isPlain = true
  readonly #messages: ModelMessage[] = []
  /** For each message, its place in the list and the tokens before it. */
  readonly #places: number[] = []
  readonly #sums: number[] = [0]
  /** The index of the first sent message after the cut. */
  #tailAt = 0
  /** The number of answers before each place of the list, and the place of the last one. */
  readonly #answers: number[] = [0]
  #lastAnswer = -1
  /** The tokens of the last taken prompt, and the number of first messages that all later prompts share with it. */
  #before = 0
  #shared = 0

  constructor(counter: TokenCounter, isMasking: boolean) {
    this.#counter = counter
    this.#isMasking = isMasking
  }

  /** Replaces the prompt and the cut. `kept` is the known number of first messages shared with the last prompt. */
  update(prompt: readonly ModelMessage[], wanted: Cut, kept = 0): void {
    const list = basedList(prompt, wanted.base)
    const isPlain = list === prompt
    // A shorter prompt is another one, to which the cut does not apply.
    const cut = endOf(wanted) <= list.length ? wanted : noCut
    const isSame = cut === this.#cut
    const common = this.#commonWith(list, isPlain && this.#isPlain ? kept : 0)
    this.#isPlain = isPlain
    // A new answer masks the media before it, so messages after the previous last answer may change.
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

  /** Returns the share (0 to 1) of the last taken prompt with which this one begins, and takes this one. */
  takeShare(): number | undefined {
    const share = this.#before === 0 ? undefined : (this.#sums[this.#shared] ?? 0) / this.#before
    this.#before = this.#sums[this.#messages.length] ?? 0
    this.#shared = this.#messages.length
    return share
  }

  /** The sent messages; the next update changes this list. */
  get messages(): readonly ModelMessage[] {
    return this.#messages
  }

  /** Returns for each sent message the number of answers since it was added; an answer counts itself. */
  seenCounts(): readonly number[] {
    const total = this.#answers[this.#list.length] ?? 0
    return this.#places.map((place) => total - (this.#answers[place] ?? 0))
  }

  /** The current cut. */
  get cut(): Cut {
    return this.#cut
  }

  /** The whole prompt, before the cut. */
  get list(): readonly ModelMessage[] {
    return this.#list
  }

  /** The place of the list before which media are masked. */
  get maskedBefore(): number {
    return this.#isMasking ? this.#lastAnswer : 0
  }

  /** The tokens of the sent messages, by the counter. */
  get tokens(): number {
    return this.#sums[this.#messages.length] ?? 0
  }

  /** The place of the last answer, or -1. */
  get lastAnswer(): number {
    return this.#lastAnswer
  }

  /** Returns the sent tokens before a place of the list; undefined for a place within the cut. */
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

/** Returns the number of messages that equal those from a place on. */
function sameAtBegin(replaced: readonly ModelMessage[], messages: readonly ModelMessage[], from: number): number {
  const other = replaced.findIndex((message, index) => !isEqualMessage(message, messages[from + index]))
  return other < 0 ? replaced.length : other
}

/** Application code may return copies of its input. */
function isEqualMessage(one: ModelMessage, other: ModelMessage | undefined): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}

/** Returns a prompt with the replacement of its beginning, or the prompt itself without one. */
export function basedList(prompt: readonly ModelMessage[], base: Base | undefined): readonly ModelMessage[] {
  if (base === undefined || base.upTo > prompt.length) return prompt
  const begin = base.list.flatMap((part) => ('role' in part ? [part] : prompt.slice(part[0], part[1])))
  return [...begin, ...prompt.slice(base.upTo)]
}

/** A provider's count this many times off the estimate belongs to another prompt, such as a gateway's own sum. */
const mostOff = 2

/**
 * Returns the tokens of the sent messages (requirement CTX-01): the provider's count at its last answer, without the
 * system prompt and the tools, plus the estimate for later messages. Without a usable count, it returns the estimate.
 * `since` is the first place whose answer belongs to the prompt as it is sent now.
 */
export function knownTokens(sent: SentPrompt, { since, overhead }: { since: number; overhead: number }): number {
  const { tokens, list, lastAnswer } = sent
  const answer = list[lastAnswer]
  const covered = sent.tokensBefore(lastAnswer)
  if (answer?.role !== 'assistant' || lastAnswer < since || covered === undefined) return tokens
  const { input, cacheRead, cacheWrite } = answer.usage
  const counted = input + cacheRead + cacheWrite - overhead
  const isOfPrompt = counted * mostOff >= covered && counted <= covered * mostOff
  return isOfPrompt ? counted + tokens - covered : tokens
}
