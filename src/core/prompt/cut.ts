import { isRecord, type Json } from '../domain/text/json.ts'
import type { ModelMessage } from '../domain/message.ts'
import type { PaidRequest } from '../domain/paid-requests.ts'

/**
 * What of a prompt is sent otherwise than the transcript has it. Places are those of its messages, from 0. A cut only ever
 * moves on, so that what is sent stays the same between two moves.
 */
export interface Cut {
  /** What stands in the place of the first messages; absent where they stand for themselves. */
  readonly base?: Base
  /** So many messages at the beginning are never left out. */
  readonly head: number
  /** Outputs of tools before this place have at most so many `lines`. */
  readonly outputs: number
  readonly lines: number
  /** Behind the head and before this place, a turn with calls or a long text is told in one line. */
  readonly turns: number
  /** Behind the head and before this place, nothing is sent. */
  readonly dropped: number
  /** Places of answers whose turns stay whole, because a call of theirs was open at the move; absent for none. */
  readonly kept?: readonly number[]
  /** Texts of messages before a place have at most so many bytes. */
  readonly texts?: { readonly before: number; readonly bytes: number }
}

/** A prompt of somebody else's making, for the first `upTo` messages: `[from, to]` stands for those from and before a place. */
export interface Base {
  readonly upTo: number
  readonly list: readonly (readonly [from: number, to: number] | ModelMessage)[]
  /** Where in the list a summary stands for what was said before it; absent where none does. */
  readonly summaryAt?: number
}

/** How far a prompt was cut: 1 outputs of tools, 2 old turns, 3 the middle, 4 texts of what is kept. */
export type CutTier = 1 | 2 | 3 | 4 | 'strategy' | 'summary'

/** A cut as the log has it, with what its move came to. */
export interface MovedCut extends Cut {
  /** Counts of a provider before this place are of another prompt. */
  readonly counts: number
  /** How often somebody had asked for a smaller prompt when it moved; absent for never. */
  readonly wishes?: number
  readonly tokensBefore: number
  readonly tokensAfter: number
  readonly tier: CutTier
  /** Why the prompt is larger than it should be. */
  readonly problem?: string
  /** The model that has told the old part in short, and what that took. */
  readonly summary?: PaidRequest
}

/** A prompt that is sent whole. */
export const noCut: Cut = { head: 0, outputs: 0, lines: 0, turns: 0, dropped: 0 }

/** The first place behind everything a cut is about: from there on, messages are sent as they are. */
export function endOf({ head, outputs, turns, dropped, texts }: Cut): number {
  return Math.max(head, outputs, turns, dropped, texts?.before ?? 0)
}

/** A cut without what its last move came to. */
export function onlyCut({ base, head, outputs, lines, turns, dropped, kept, texts }: Cut): Cut {
  return {
    ...(base === undefined ? {} : { base }),
    head,
    outputs,
    lines,
    turns,
    dropped,
    ...(kept === undefined ? {} : { kept }),
    ...(texts === undefined ? {} : { texts }),
  }
}

/** Whether two cuts have the same sent of the same prompt. */
export function isSameCut(one: Cut, other: Cut): boolean {
  const { base, texts } = one
  const fields = ['head', 'outputs', 'lines', 'turns', 'dropped'] as const
  const isSameText = texts?.before === other.texts?.before && texts?.bytes === other.texts?.bytes
  const isSameKept = one.kept?.join() === other.kept?.join()
  return base === other.base && isSameText && isSameKept && fields.every((field) => one[field] === other[field])
}

/** The cut that a log has; undefined where it has none that can be read. */
export function cutIn(value: Json | undefined): MovedCut | undefined {
  if (!isRecord(value)) return undefined
  const places = [value['head'], value['outputs'], value['lines'], value['turns'], value['dropped'], value['counts']]
  return places.every((place) => Number.isSafeInteger(place)) ? (value as unknown as MovedCut) : undefined
}
