import type { Media } from '../domain/media-refusal.ts'
import type { ModelMessage } from '../domain/message.ts'
import type { RunView } from '../ports/effect-handler.ts'

/** Returns the pictures and files that no answer has read: those after the last answer and in late results. */
export function newMedia(
  messages: readonly ModelMessage[],
  view: Pick<RunView, 'call' | 'isAnswered'>,
): readonly Media[] {
  const lastAnswer = messages.findLastIndex(({ role }) => role === 'assistant')
  return messages.flatMap((message, place) => {
    if (message.role === 'assistant') return []
    const media = message.content.flatMap((block) => (block.type === 'text' ? [] : [block]))
    return media.length === 0 || (place < lastAnswer && !isLate(message, view)) ? [] : media
  })
}

/** A late result takes the place of a placeholder that an answer has read. */
function isLate(message: ModelMessage, view: Pick<RunView, 'call' | 'isAnswered'>): boolean {
  const published = message.role === 'toolResult' ? view.call(message.callId)?.resultSeq : undefined
  return published !== undefined && !view.isAnswered(published)
}
