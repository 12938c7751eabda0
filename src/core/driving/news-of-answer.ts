import type { AgentEvent, MessageDelta } from '../domain/event.ts'
import type { LiveAnswer } from '../domain/live-answer.ts'

type News =
  | { readonly type: 'message.started'; readonly role: 'assistant' }
  | { readonly type: 'message.updated'; readonly delta: MessageDelta }

/** Returns the part of an answer that was not emitted before. */
export function newsOf(before: LiveAnswer | undefined, answer: LiveAnswer | undefined): readonly News[] {
  if (answer === undefined) return []
  const { turn, deltas } = answer
  // Another attempt at the same turn starts over.
  const isSame = before?.deltas.every(({ type, delta }, index) => {
    const now = deltas[index]
    return now?.type === type && now.delta.startsWith(delta)
  })
  const known = before?.turn === turn && isSame === true ? before.deltas : undefined
  const news = deltas.flatMap((delta, index): readonly News[] => {
    const text = delta.delta.slice(known?.[index]?.delta.length ?? 0)
    return text === '' ? [] : [{ type: 'message.updated', delta: { ...delta, delta: text } }]
  })
  return known === undefined ? [{ type: 'message.started', role: 'assistant' }, ...news] : news
}

/** Returns true for events of an answer in progress, which the complete answer supersedes. */
export function isOfAnswer(event: AgentEvent): event is Extract<AgentEvent, { readonly type: 'message.started' }> {
  const { type } = event
  return type === 'message.started' || type === 'message.updated' || type === 'output.updated'
}
