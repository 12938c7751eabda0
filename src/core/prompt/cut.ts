import { defined, isRecord, type Json } from '../domain/text/json.ts'
import type { ModelMessage } from '../domain/message.ts'
import type { DroppedPart } from '../domain/compacted-prompt.ts'
import type { PaidRequest } from '../domain/paid-requests.ts'
import type { TokenCounter } from './estimate-tokens.ts'

/**
 * The difference of a sent prompt from its transcript. Places are message indexes. A cut only moves forward, so that the sent
 * messages stay the same between two moves.
 */
export interface Cut {
  /** The replacement of the first messages, if any. */
  readonly base?: Base
  /** The number of first messages that are never dropped. */
  readonly head: number
  /** Tool outputs before this place have at most `lines` lines. */
  readonly outputs: number
  readonly lines: number
  /** After the head and before this place, a turn with calls or a long text is one line. */
  readonly turns: number
  /** After the head and before this place, nothing is sent. */
  readonly dropped: number
  /** Places of answers whose turns stay whole, because one of their calls was open at the move. */
  readonly kept?: readonly number[]
  /** The maximum bytes of texts before a place. */
  readonly texts?: { readonly before: number; readonly bytes: number }
}

/** A replacement of the first `upTo` messages; `[from, to]` refers to the prompt's messages in that range. */
export interface Base {
  readonly upTo: number
  readonly list: readonly (readonly [from: number, to: number] | ModelMessage)[]
  /** The place of a summary in the list, if any. */
  readonly summaryAt?: number
}

/** The tier of a cut: 1 tool outputs, 2 old turns, 3 the middle, 4 kept texts. */
export type CutTier = 1 | 2 | 3 | 4 | 'strategy' | 'summary'

/** A logged cut with the result of its move. */
export interface MovedCut extends Cut {
  /** A provider's counts before this place belong to another prompt. */
  readonly counts: number
  /** The number of requests for a smaller prompt before the move, if any. */
  readonly wishes?: number
  readonly tokensBefore: number
  readonly tokensAfter: number
  readonly tier: CutTier
  /** The omitted and shortened messages; absent if there are none. */
  readonly left?: DroppedPart
  /** The reason why the prompt is too large. */
  readonly problem?: string
  /** The request for the summary of the old part, if any. */
  readonly summary?: PaidRequest
}

/** The cut of a prompt that is sent whole. */
export const noCut: Cut = { head: 0, outputs: 0, lines: 0, turns: 0, dropped: 0 }

/** Returns the first position from which a cut changes nothing. */
export function endOf({ head, outputs, turns, dropped, texts }: Cut): number {
  return Math.max(head, outputs, turns, dropped, texts?.before ?? 0)
}

/** Returns a cut without the result of its move. */
export function onlyCut({ base, head, outputs, lines, turns, dropped, kept, texts }: Cut): Cut {
  return { head, outputs, lines, turns, dropped, ...defined({ base, kept, texts }) }
}

/** Returns true if two cuts send the same messages of a prompt. */
export function isSameCut(one: Cut, other: Cut): boolean {
  const { base, texts } = one
  const fields = ['head', 'outputs', 'lines', 'turns', 'dropped'] as const
  const isSameText = texts?.before === other.texts?.before && texts?.bytes === other.texts?.bytes
  const isSameKept = one.kept?.join() === other.kept?.join()
  return base === other.base && isSameText && isSameKept && fields.every((field) => one[field] === other[field])
}

/** Returns a logged cut, or undefined for a value that is not one. */
export function cutIn(value: Json | undefined): MovedCut | undefined {
  if (!isRecord(value)) return undefined
  const places = [value['head'], value['outputs'], value['lines'], value['turns'], value['dropped'], value['counts']]
  return places.every((place) => Number.isSafeInteger(place)) ? (value as unknown as MovedCut) : undefined
}

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
