import type { AgentEvent } from './event.ts'

/** Tells of work under way, and is told better by what follows it. */
export type PassingEvent = Extract<
  AgentEvent,
  { readonly type: 'message.updated' | 'toolExecution.updated' | 'progress.reported' }
>

/** True for an event that tells of work under way. */
export function isPassing(event: AgentEvent): event is PassingEvent {
  const { type } = event
  return type === 'message.updated' || type === 'toolExecution.updated' || type === 'progress.reported'
}

/** Characters of what it tells. */
export function lengthOf(event: PassingEvent): number {
  switch (event.type) {
    case 'message.updated':
      return event.delta.delta.length
    case 'progress.reported':
      return event.text.length
    case 'toolExecution.updated':
      return JSON.stringify(event.partial)?.length ?? 0
  }
}
