import type { ModelMessage } from '../domain/message.ts'
import { textBytes } from '../domain/text/platform.ts'
import type { Cut } from './cut.ts'
import { cutMessages } from './cut-messages.ts'
import type { CutPlan } from './cut-plan.ts'
import { textsOf } from './shape-message.ts'
import { fewestBytes } from './shorten-text.ts'

/** Cuts the longest sent texts to one length that brings the prompt down to its target. */
export function cutTexts(
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
