import type { AgentEvent, MessageDelta } from './event.ts'

/** Tells of work under way, and is told better by what follows it. */
export type PassingEvent = Extract<
  AgentEvent,
  { readonly type: 'message.updated' | 'output.updated' | 'toolExecution.updated' | 'progress.reported' }
>

const passing: ReadonlySet<string> = new Set<PassingEvent['type']>([
  'message.updated',
  'output.updated',
  'toolExecution.updated',
  'progress.reported',
])

/** True for an event that tells of work under way. */
export function isPassing(event: AgentEvent): event is PassingEvent {
  const { type } = event
  return passing.has(type)
}

/** Characters of what it tells. */
export function lengthOf(event: PassingEvent): number {
  switch (event.type) {
    case 'message.updated':
      return event.delta.delta.length
    case 'progress.reported':
      return event.text.length
    case 'output.updated':
    case 'toolExecution.updated':
      return JSON.stringify(event.partial)?.length ?? 0
  }
}

/** Two pieces of one answer in a row as one; undefined where they are of different blocks, or something else. */
export function merged(first: AgentEvent | undefined, next: PassingEvent): PassingEvent | undefined {
  if (first?.type !== 'message.updated' || next.type !== 'message.updated' || first.turn !== next.turn) return undefined
  if (!isSameBlock(first.delta, next.delta)) return undefined
  return { ...next, delta: { ...next.delta, delta: first.delta.delta + next.delta.delta } }
}

/** Whether two pieces in a row belong to one text, one thinking or one call. */
export function isSameBlock(first: MessageDelta, next: MessageDelta): boolean {
  if (first.type !== 'toolCall' || next.type !== 'toolCall') return first.type === next.type
  return first.id === next.id && first.name === next.name
}
