import type { ModelMessage } from '../domain/message.ts'
import type { DroppedPart, PlaceRange } from '../domain/compacted-prompt.ts'
import { type Base, type Cut, endOf, noCut } from './cut.ts'
import { cutMessages } from './cut-messages.ts'
import { basedList } from './sent-prompt.ts'

type Sent = 'whole' | 'short' | 'nothing'

/** Returns the part of a prompt that was sent under the previous cut and is not sent under the new one. */
export function leftOutBy(prompt: readonly ModelMessage[], cut: Cut, before: Cut): DroppedPart {
  const [now, then] = [sentOf(prompt, cut), sentOf(prompt, before)]
  return {
    dropped: rangesOf(now, (sent, place) => sent === 'nothing' && then[place] !== 'nothing'),
    shortened: rangesOf(now, (sent, place) => sent === 'short' && then[place] === 'whole'),
  }
}

function sentOf(prompt: readonly ModelMessage[], given: Cut): readonly Sent[] {
  const list = basedList(prompt, given.base)
  const cut = endOf(given) <= list.length ? given : noCut
  const places = placesOf(list.length, prompt.length, list === prompt ? undefined : given.base)
  const sent = Array<Sent>(prompt.length).fill('nothing')
  for (const { message, place } of cutMessages(list, cut, { maskedBefore: 0 })) {
    const [original, own] = [list[place], places[place]]
    if (own === undefined) continue
    const isNote = place >= cut.head && place < cut.dropped
    if (message === original) sent[own] = 'whole'
    else if (!isNote && message.role === original?.role) sent[own] = 'short'
  }
  return sent
}

/**
 * Returns the place in the prompt for each place of a list; undefined for a message that was added by somebody else.
 */
function placesOf(length: number, own: number, base: Base | undefined): readonly (number | undefined)[] {
  if (base === undefined) return Array.from({ length }, (_, place) => place)
  const begin = base.list.flatMap((part): readonly (number | undefined)[] =>
    'role' in part ? [undefined] : span(part[0], part[1]),
  )
  return [...begin, ...span(base.upTo, own)]
}

function span(from: number, to: number): readonly number[] {
  return Array.from({ length: Math.max(to - from, 0) }, (_, index) => from + index)
}

function rangesOf(sent: readonly Sent[], matches: (sent: Sent, place: number) => boolean): readonly PlaceRange[] {
  const ranges: [number, number][] = []
  for (const [place, one] of sent.entries()) {
    if (!matches(one, place)) continue
    const last = ranges.at(-1)
    if (last?.[1] === place) last[1]++
    else ranges.push([place, place + 1])
  }
  return ranges
}
