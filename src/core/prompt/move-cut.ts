import type { ModelMessage } from '../domain/message.ts'
import { textBytes } from '../domain/text/platform.ts'
import type { Cut, CutTier, CutPlan } from './cut.ts'
import { cutMessages, endOfTurn, turnAt } from './cut-messages.ts'
import { openTurns } from './open-turns.ts'
import { textsOf } from './shape-message.ts'
import { fewestBytes } from './shorten-text.ts'

/** A moved cut and its result. */
export interface Move {
  readonly cut: Cut
  readonly tokens: number
  readonly tier: CutTier
}

/**
 * Moves a cut by the lightest tier that brings the prompt down to its target: tool outputs to a few lines, old turns
 * to one line each, then as little of the middle dropped as needed. If the kept messages alone are too large, their
 * outputs are cut too, and then their longest texts to one length. Skips dropped messages. Deterministic.
 */
export function moveCut(list: readonly ModelMessage[], cut: Cut, plan: CutPlan): Move {
  const { own, target, most } = plan
  const ofOutputs = cutOutputs(list, cut, plan)
  const { head } = ofOutputs
  const end = Math.max(oldEnd(list, plan), head, cut.turns)
  const afterOutputs = tokensOf(list, ofOutputs, plan)
  if (afterOutputs <= target) return { cut: ofOutputs, tokens: afterOutputs, tier: 1 }
  const ofTurns: Cut = { ...ofOutputs, turns: end, dropped: Math.max(cut.dropped, head) }
  const afterTurns = tokensOf(list, ofTurns, plan)
  if (afterTurns <= target) return { cut: ofTurns, tokens: afterTurns, tier: 2 }
  const ofMiddle: Cut = { ...ofTurns, dropped: dropTo(list, ofTurns, { ...plan, tokens: afterTurns }) }
  const afterMiddle = tokensOf(list, ofMiddle, plan)
  if (afterMiddle <= most) return { cut: ofMiddle, tokens: afterMiddle, tier: 3 }
  const ofKept: Cut = { ...ofMiddle, outputs: Math.max(cut.outputs, own) }
  const afterKept = tokensOf(list, ofKept, plan)
  if (afterKept <= most) return { cut: ofKept, tokens: afterKept, tier: 4 }
  const ofTexts = fitTexts(list, ofKept, { ...plan, tokens: afterKept })
  return { cut: ofTexts, tokens: tokensOf(list, ofTexts, plan), tier: 4 }
}

/** Returns a cut moved by the first tier: tool outputs of old messages have a few lines. */
export function cutOutputs(list: readonly ModelMessage[], cut: Cut, plan: CutPlan): Cut {
  const { keepFirst, outputLines, own } = plan
  const isHeadFixed = cut.dropped > cut.head || cut.turns > cut.head || cut.base?.summaryAt !== undefined
  const head = isHeadFixed ? cut.head : endOfTurn(list, Math.min(keepFirst, own))
  const lines = cut.lines === 0 ? outputLines : cut.lines
  const { kept: _, ...moved } = { ...cut, head, lines, outputs: Math.max(cut.outputs, oldEnd(list, plan)) }
  const kept = openTurns(list, cut)
  return kept.length === 0 ? moved : { ...moved, kept }
}

/** Returns the position after the old messages, which are those before the last `keepLast`. */
export function oldEnd(list: readonly ModelMessage[], { keepLast, own }: CutPlan): number {
  return startOfTurn(list, Math.min(list.length - keepLast, own))
}

/** Halves the length of texts until all fit, because texts differ in tokens per byte. */
function fitTexts(list: readonly ModelMessage[], cut: Cut, plan: CutPlan & { readonly tokens: number }): Cut {
  let fitted = cutTexts(list, cut, plan)
  for (let bytes = fitted.texts?.bytes ?? 0; bytes > fewestBytes; bytes = Math.floor(bytes / 2)) {
    fitted = { ...fitted, texts: { before: plan.own, bytes } }
    if (tokensOf(list, fitted, plan) <= plan.most) return fitted
  }
  return { ...fitted, texts: { before: plan.own, bytes: fewestBytes } }
}

/** Returns the tokens of the messages sent under a cut. */
export function tokensOf(list: readonly ModelMessage[], cut: Cut, { counter, maskedBefore }: CutPlan): number {
  const sent = cutMessages(list, cut, { maskedBefore })
  return sent.reduce((sum, { message }) => sum + counter.of(message), 0)
}

/** Returns the last place at or before `place` that splits no turn. */
function startOfTurn(list: readonly ModelMessage[], place: number): number {
  let start = Math.max(place, 0)
  while (start > 0 && list[start]?.role === 'toolResult') start--
  return start
}

const noteTokens = 24

/** Returns the first place up to which dropping is enough, or the end of the old turns. */
function dropTo(list: readonly ModelMessage[], cut: Cut, plan: CutPlan & { readonly tokens: number }): number {
  const { counter, maskedBefore, target, tokens } = plan
  const sent = cutMessages(list, cut, { maskedBefore })
  const whole = new Set(cut.kept?.flatMap((answer) => turnAt(list, answer)))
  let left = tokens + noteTokens
  let dropped = cut.dropped
  for (const [index, { message, place }] of sent.entries()) {
    if (place < cut.dropped || left <= target || whole.has(place)) continue
    if (place >= cut.turns) break
    left -= counter.of(message)
    dropped = Math.min(sent[index + 1]?.place ?? cut.turns, cut.turns)
  }
  return dropped
}

/** Cuts the longest sent texts to one length that brings the prompt down to its target. */
function cutTexts(
  list: readonly ModelMessage[],
  cut: Cut,
  { own, target, tokens, counter, maskedBefore }: CutPlan & { readonly tokens: number },
): Cut {
  const sent = cutMessages(list.slice(0, own), cut, { maskedBefore })
  const texts = sent.flatMap(({ message }) => textsOf(message))
  const lengths = texts.map(textBytes).sort((left, right) => left - right)
  const all = lengths.reduce((sum, length) => sum + length, 0)
  const ofTexts = texts.reduce((sum, text) => sum + counter.ofText(text), 0)
  const room = Math.max(all - ((tokens - target) * all) / Math.max(ofTexts, 1), 0)
  return { ...cut, texts: { before: own, bytes: Math.max(Math.floor(lengthFor(lengths, room)), fewestBytes) } }
}

/** Returns the length to which texts, shortest first, must be cut to fit a total. */
function lengthFor(lengths: readonly number[], room: number): number {
  let left = room
  for (const [index, length] of lengths.entries()) {
    const share = left / (lengths.length - index)
    if (length > share) return share
    left -= length
  }
  return lengths.at(-1) ?? 0
}
