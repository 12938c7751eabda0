import { isPlaceholder, notedTool } from '../domain/call.ts'
import type { ModelMessage } from '../domain/message.ts'
import type { Cut } from './cut.ts'
import { endOfTurn } from './cut-messages.ts'

/**
 * Returns the positions of answers whose turns a cut must keep whole: one of their calls has no result yet, or a result
 * arrived after the last answer and a note refers to it. Of dropped turns, only those that the cut keeps are checked.
 */
export function openTurns(list: readonly ModelMessage[], { head, dropped, kept = [] }: Cut): readonly number[] {
  const noted = notedTools(list)
  const newest = new Map<string, { readonly answer: number; readonly at: number }>()
  const open = new Set<number>()
  const look = (answer: number) => {
    for (const result of list.slice(answer + 1, endOfTurn(list, answer + 1))) {
      if (result.role !== 'toolResult') continue
      if (isPlaceholder(result)) open.add(answer)
      const { toolName, timestamp: at } = result
      if (noted.has(toolName) && at >= (newest.get(toolName)?.at ?? 0)) newest.set(toolName, { answer, at })
    }
  }
  for (let place = 0; place < list.length; place++) {
    if (place === head && dropped > head) {
      for (const each of kept) if (each >= head && each < dropped) look(each)
      place = dropped
    }
    if (list[place]?.role === 'assistant') look(place)
  }
  for (const { answer } of newest.values()) open.add(answer)
  return [...open].sort((left, right) => left - right)
}

/** Returns the tools whose late results are noted after the last answer. */
function notedTools(list: readonly ModelMessage[]): ReadonlySet<string> {
  const noted = new Set<string>()
  for (let place = list.length - 1; place >= 0; place--) {
    const message = list[place]
    if (message === undefined || message.role === 'assistant') break
    const tool = message.role === 'user' ? notedTool(message) : undefined
    if (tool !== undefined) noted.add(tool)
  }
  return noted
}
