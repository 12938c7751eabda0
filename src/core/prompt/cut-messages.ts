import { mediaTypeOf } from '../domain/media.ts'
import type { ModelMessage, ShownContent, TextContent } from '../domain/message.ts'
import type { Cut } from './cut.ts'
import { removedNote, summaryOf, withFewBytes, withFewLines } from './shape-message.ts'

/** A sent message, with the first position in the list that it represents. */
export interface SentMessage {
  readonly message: ModelMessage
  readonly place: number
}

/** The position to start from, either 0 or after the cut, and the position before which media are masked. */
export interface CutRange {
  readonly from?: number
  readonly maskedBefore: number
}

/** Returns the messages sent under a cut. Skips dropped messages, and never separates a call from its result. */
export function cutMessages(
  list: readonly ModelMessage[],
  cut: Cut,
  { from = 0, maskedBefore }: CutRange,
): readonly SentMessage[] {
  const { head, turns, dropped, kept = [] } = cut
  const whole = new Set(kept.flatMap((answer) => turnAt(list, answer)))
  const sent: SentMessage[] = []
  let place = from
  while (place < list.length) {
    const message = list[place]
    if (message === undefined) break
    if (place === head && dropped > head) {
      const stays = [...whole].filter((each) => each >= head && each < dropped)
      const removed = dropped - head - stays.length
      if (removed > 0) sent.push({ message: removedNote(removed, message.timestamp), place })
      for (const each of stays) sent.push(...wholeAt(list, each))
      place = dropped
      continue
    }
    const summary =
      place >= head && place < turns && message.role === 'assistant' && !whole.has(place)
        ? summaryOf(message)
        : undefined
    if (summary === undefined) {
      const seen = place < maskedBefore ? maskMedia(message) : message
      sent.push({ message: whole.has(place) ? seen : shaped(seen, place, cut), place })
      place++
    } else {
      sent.push({ message: summary, place })
      place = endOfTurn(list, place + 1)
    }
  }
  return sent
}

/** Returns the first position at or after `place` without a tool result. */
export function endOfTurn(list: readonly ModelMessage[], place: number): number {
  let end = place
  while (list[end]?.role === 'toolResult') end++
  return end
}

/** Returns the positions of an answer and its results. */
export function turnAt(list: readonly ModelMessage[], answer: number): readonly number[] {
  return Array.from({ length: endOfTurn(list, answer + 1) - answer }, (_, index) => answer + index)
}

function wholeAt(list: readonly ModelMessage[], place: number): readonly SentMessage[] {
  const message = list[place]
  return message === undefined ? [] : [{ message, place }]
}

function shaped(message: ModelMessage, place: number, { outputs, lines, texts }: Cut): ModelMessage {
  const short = place < outputs && message.role === 'toolResult' ? withFewLines(message, lines) : message
  return texts !== undefined && place < texts.before ? withFewBytes(short, texts.bytes) : short
}

/** Returns a message with a text instead of each picture and file; the message itself if it has none. */
function maskMedia(message: ModelMessage): ModelMessage {
  if (message.role === 'assistant' || message.content.every(({ type }) => type === 'text')) return message
  return { ...message, content: message.content.map(masked) }
}

function masked(block: ShownContent): TextContent {
  return block.type === 'text' ? block : { type: 'text', text: `Media already seen: ${mediaTypeOf(block)}.` }
}
