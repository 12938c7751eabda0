import type { AgentEvent, AgentEventBody, MessageDelta } from './event.ts'

const passing = ['message.updated', 'output.updated', 'toolExecution.updated', 'progress.reported'] as const

/** An event about work in progress, which later events supersede. */
export type PassingEvent = Extract<AgentEvent, { readonly type: (typeof passing)[number] }>

/** Returns true for an event about work in progress. */
export function isPassing(event: AgentEvent): event is PassingEvent {
  return passing.some((type) => type === event.type)
}

/** Returns the number of characters in its content. */
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

/** Merges two consecutive pieces of one answer; returns undefined for different blocks and for other events. */
export function merged(first: AgentEvent | undefined, next: PassingEvent): PassingEvent | undefined {
  if (first?.type !== 'message.updated' || next.type !== 'message.updated' || first.turn !== next.turn) return undefined
  if (!isSameBlock(first.delta, next.delta)) return undefined
  return { ...next, delta: { ...next.delta, delta: first.delta.delta + next.delta.delta } }
}

/** Returns true if two consecutive pieces belong to one text, one thinking or one call. */
export function isSameBlock(first: MessageDelta, next: MessageDelta): boolean {
  if (first.type !== 'toolCall' || next.type !== 'toolCall') return first.type === next.type
  return first.id === next.id && first.name === next.name
}

const notices = [
  'decision.dropped',
  'plugin.conflict',
  'permission.failed',
  'policy.broken',
  'memory.failed',
  'context.partFailed',
  'context.drifted',
  'options.ignored',
  'model.unpriced',
  'model.failed',
  'toolset.failed',
  'tool.leftOut',
  'evaluation.failed',
] as const

/** An event that reports a side condition of an effect and is written with its result. */
export type Notice = Extract<AgentEventBody, { readonly type: (typeof notices)[number] }>

const noticeTypes: ReadonlySet<string> = new Set(notices)

/** Returns true for an event that is stored with the result of its effect. */
export function isNotice(event: AgentEventBody): event is Notice {
  return noticeTypes.has(event.type)
}
