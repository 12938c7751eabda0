import type { ModelMessage } from '../domain/message.ts'
import { type Cut, noCut, type CutPlan, type Base } from './cut.ts'
import { openTurns } from './open-turns.ts'
import { cutMessages, turnAt } from './cut-messages.ts'
import { cutOutputs, oldEnd, tokensOf } from './move-cut.ts'

/** The old messages that a summary may replace. */
export interface SummaryRange {
  readonly from: number
  /** The place after them. */
  readonly to: number
  /** The messages as they are sent, an earlier summary included. */
  readonly messages: readonly ModelMessage[]
}

/**
 * Returns the messages that a summary replaces (requirement CTX-02); undefined if shorter tool outputs are enough or if
 * fewer than two messages are old.
 */
export function summaryRange(list: readonly ModelMessage[], cut: Cut, plan: CutPlan): SummaryRange | undefined {
  const shorter = cutOutputs(list, cut, plan)
  const from = cut.base?.summaryAt ?? shorter.head
  const to = oldEnd(list, plan)
  if (to - from < 2 || tokensOf(list, shorter, plan) <= plan.target) return undefined
  const sent = cutMessages(list, shorter, { maskedBefore: plan.maskedBefore })
  const messages = sent.flatMap(({ message, place }) => (place >= from && place < to ? [message] : []))
  return messages.length < 2 ? undefined : { from, to, messages }
}

/** A summary, its messages and the previous cut. */
export interface MadeSummary {
  readonly cut: Cut
  readonly range: SummaryRange
  readonly summary: ModelMessage
}

/** Returns a cut with a summary instead of the old messages, after the first messages; it is never dropped. */
export function summaryCut(
  prompt: readonly ModelMessage[],
  list: readonly ModelMessage[],
  { cut, range: { from, to }, summary }: MadeSummary,
): Cut {
  const open = openTurns(list, cut).flatMap((answer) => (answer >= from && answer < to ? turnAt(list, answer) : []))
  const made = [...list.slice(0, from), summary, ...open.flatMap((place) => list[place] ?? []), ...list.slice(to)]
  const base = { ...baseOf(made, prompt), summaryAt: from }
  const head = from + 1
  return { ...noCut, base, head, outputs: Math.min(cut.outputs, from), lines: cut.lines, turns: head, dropped: head }
}

/** Returns the replacement of a prompt, with places instead of its own messages: the log stores only new ones. */
export function baseOf(messages: readonly ModelMessage[], prompt: readonly ModelMessage[]): Base {
  const places = new Map(prompt.map((message, place) => [message, place]))
  const list: ([number, number] | ModelMessage)[] = []
  for (const message of messages) {
    const place = places.get(message)
    const last = list.at(-1)
    if (place === undefined) list.push(message)
    else if (Array.isArray(last) && last[1] === place) last[1]++
    else list.push([place, place + 1])
  }
  return { upTo: prompt.length, list }
}
