import { freezeDeep } from '../../domain/text/json.ts'
import type { KeptStarts } from '../../domain/kept-starts.ts'
import type { ExtensionMessage, ModelMessage } from '../../domain/message.ts'
import type { PaidRequest } from '../../domain/paid-requests.ts'
import { thrownText } from '../../domain/text/thrown-text.ts'
import type { EffectContext } from '../../ports/effect-handler.ts'
import type { Model } from '../../ports/model.ts'
import {
  type Cut,
  cutIn,
  isSameCut,
  type MovedCut,
  noCut,
  onlyCut,
  type CutPlan,
  keptDefaults,
} from '../../prompt/cut.ts'
import { TokenCounter } from '../../prompt/estimate-tokens.ts'
import { knownTokens, SentPrompt } from '../../prompt/sent-prompt.ts'
import type { PromptRoom } from '../../prompt/prompt-room.ts'
import type * as Shortening from '../../prompt/shortening.ts'
import type { SummaryRange } from '../../prompt/summary-range.ts'
import type { AgentParts } from '../agent-parts.ts'
import type { ToolTable } from '../agent-tools.ts'
import { toolDefinitions } from './tool-definitions.ts'

/**
 * A prompt, and the number of its messages that belong to the transcript. Later messages belong to one request only.
 */
export interface BuiltPrompt {
  readonly messages: readonly ModelMessage[]
  readonly own: number
  /** The number of requests for a smaller prompt. */
  readonly wishes: number
  /** The kept starts of messages; absent if other code made the messages. */
  readonly starts?: KeptStarts
  /** Names the pictures and files that are left out, because the model refused a request with them; absent for none. */
  readonly leftOut?: ExtensionMessage
}

/** The functions that shorten prompts. */
type Shorten = typeof Shortening

/** Keeps the prompts of one run within their limit, by the logged cut and its next move. */
export class PromptFit {
  readonly counter: TokenCounter
  readonly sent: SentPrompt
  /**
   * The minimum room for any system prompt and any tools, with the model and the answer length for which it was
   * computed.
   */
  least: { readonly model: Model; readonly maxTokens: number | undefined; readonly most: number } | undefined
  readonly #options: typeof keptDefaults
  /** The cut of the sent prompt, and the cut of the log that it replaces once the answer has arrived. */
  #moved: MovedCut | undefined
  #stored: MovedCut | undefined
  #scale = 1
  /** The revision of the last accepted prompt; undefined if other code made it. */
  #revision: number | undefined
  #overhead: { readonly system: string; readonly tools: ToolTable; readonly tokens: number } | undefined

  constructor({ compaction, maskSeenMedia = false, models }: AgentParts, turn: number, context: EffectContext) {
    const { countTokens, strategy: _, summaries, ...options } = compaction === false ? {} : compaction
    const { runId, clock, emit } = context
    this.counter = new TokenCounter(countTokens, (cause) => {
      const message = `"countTokens" failed: ${thrownText(cause)} The estimate is used from now on.`
      emit({ type: 'context.partFailed', runId, at: clock.now(), turn, part: 'countTokens', message })
    })
    this.sent = new SentPrompt(this.counter, maskSeenMedia)
    // A provider takes its own summary back only in front of all messages.
    const maker = summaries === undefined || summaries === true ? models[0] : (summaries.model ?? models[0])
    const isFirst = summaries !== undefined && maker?.compacts === true
    this.#options = { ...keptDefaults, ...(isFirst ? { keepFirst: 0 } : {}), ...options }
  }

  /** Sends a prompt by the cut that the log has, or by one that has moved on from it. */
  take({ messages, starts }: BuiltPrompt, { view }: EffectContext): void {
    const stored = cutIn(view.value('compaction'))
    if (stored !== this.#stored) this.#moved = undefined
    this.#stored = stored
    const kept = this.#revision === undefined ? 0 : starts?.keptSince(this.#revision)
    this.#revision = starts?.revision
    this.sent.update(messages, this.#cut ?? noCut, kept)
  }

  /** The cut that the log is to have; undefined if it has it. */
  get moved(): MovedCut | undefined {
    return this.#moved
  }

  /** True if a smaller prompt was requested since the cut was moved. */
  isWished({ wishes }: BuiltPrompt): boolean {
    return wishes > (this.#cut?.wishes ?? 0)
  }

  /** Tokens of the system prompt and the tools. */
  overhead(system: string, tools: ToolTable): number {
    const known = this.#overhead
    if (known?.system === system && known.tools === tools) return known.tokens
    const tokens = this.counter.ofText(system) + this.counter.ofText(JSON.stringify(toolDefinitions(tools)))
    this.#overhead = { system, tools, tokens }
    return tokens
  }

  /** Returns the tokens of the messages that are sent, using the providers' known counts. */
  tokens(overhead: number): number {
    const tokens = knownTokens(this.sent, { since: this.#cut?.counts ?? 0, overhead })
    this.#scale = tokens / Math.max(this.sent.tokens, 1)
    return tokens
  }

  /** Replaces the prompt's own messages by those of a strategy. */
  rebase(by: Shorten, prompt: BuiltPrompt, cut: Cut, tokensBefore: number): number {
    this.sent.update(prompt.messages, cut)
    const tokensAfter = Math.round(this.sent.tokens * this.#scale)
    this.#move(by, prompt, cut, { tokensBefore, tokensAfter, tier: 'strategy' })
    return tokensAfter
  }

  /** Moves the cut so that the prompt has room; `summary` is one that was paid for and could not be used. */
  move(
    by: Shorten,
    prompt: BuiltPrompt,
    tokensBefore: number,
    { most, target }: PromptRoom,
    summary?: PaidRequest,
  ): void {
    const { sent } = this
    const { cut, tokens, tier } = by.moveCut(sent.list, sent.cut, this.#planFor(prompt, { most, target }))
    const tokensAfter = Math.round(tokens * this.#scale)
    const isMet = tokensAfter <= most
    const isKnown = isSameCut(cut, sent.cut) && (isMet || this.#cut?.problem !== undefined)
    if (isKnown && !this.isWished(prompt)) return
    const problem = `The kept part of the prompt still has ${tokensAfter} tokens; at most ${most} fit.`
    const paid = summary === undefined ? {} : { summary }
    this.#move(by, prompt, cut, { tokensBefore, tokensAfter, tier, ...(isMet ? {} : { problem }), ...paid })
  }

  /** Returns the old messages that a summary may replace; undefined if less is enough. */
  summaryRange(by: Shorten, prompt: BuiltPrompt, room: PromptRoom): SummaryRange | undefined {
    return by.summaryRange(this.sent.list, this.sent.cut, this.#planFor(prompt, room))
  }

  /** Replaces old messages by a summary; returns the tokens of the new prompt. */
  summarise(
    by: Shorten,
    prompt: BuiltPrompt,
    range: SummaryRange,
    { message, ...paid }: { readonly message: ModelMessage } & PaidRequest,
    tokensBefore: number,
  ): number {
    const { list, cut } = this.sent
    const own = list.slice(0, this.#ownPlaces(prompt))
    const made = by.summaryCut(prompt.messages.slice(0, prompt.own), own, { cut, range, summary: message })
    this.sent.update(prompt.messages, made)
    const tokensAfter = Math.round(this.sent.tokens * this.#scale)
    this.#move(by, prompt, made, { tokensBefore, tokensAfter, tier: 'summary', summary: paid })
    return tokensAfter
  }

  get #cut(): MovedCut | undefined {
    return this.#moved ?? this.#stored
  }

  #planFor(prompt: BuiltPrompt, { most, target }: PromptRoom): CutPlan {
    return {
      ...this.#options,
      target: target / this.#scale,
      most: most / this.#scale,
      own: this.#ownPlaces(prompt),
      maskedBefore: this.sent.maskedBefore,
      counter: this.counter,
    }
  }

  /** Returns the number of sent messages that are in the transcript. */
  #ownPlaces({ messages, own }: BuiltPrompt): number {
    return this.sent.list.length - (messages.length - own)
  }

  #move(by: Shorten, prompt: BuiltPrompt, cut: Cut, came: MoveOutcome): void {
    const { wishes } = prompt
    const counts = this.#ownPlaces(prompt)
    const left = by.leftOutBy(prompt.messages, cut, this.#stored ?? noCut)
    const isLeft = left.dropped.length > 0 || left.shortened.length > 0
    this.#moved = freezeDeep({
      ...onlyCut(cut),
      ...came,
      ...(isLeft ? { left } : {}),
      counts,
      ...(wishes === 0 ? {} : { wishes }),
    })
    this.sent.update(prompt.messages, this.#moved)
  }
}

type MoveOutcome = Omit<MovedCut, keyof Cut | 'counts' | 'left' | 'wishes'>
