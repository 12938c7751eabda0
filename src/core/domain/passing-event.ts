import type { AgentEvent, AgentEventBody, MessageDelta } from './event.ts'

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

/** Events that tell what an effect met beside its result, and that are written with it. */
export type Notice = Extract<
  AgentEventBody,
  {
    readonly type:
      | 'decision.dropped'
      | 'plugin.conflict'
      | 'permission.failed'
      | 'memory.failed'
      | 'context.partFailed'
      | 'context.drifted'
      | 'options.ignored'
      | 'model.unpriced'
      | 'model.failed'
      | 'toolset.failed'
      | 'tool.leftOut'
  }
>

const notices: ReadonlySet<string> = new Set<Notice['type']>([
  'decision.dropped',
  'plugin.conflict',
  'permission.failed',
  'memory.failed',
  'context.partFailed',
  'context.drifted',
  'options.ignored',
  'model.unpriced',
  'model.failed',
  'toolset.failed',
  'tool.leftOut',
])

/** Returns true for an event that is stored with the result of the effect that tells it. */
export function isNotice(event: AgentEventBody): event is Notice {
  const { type } = event
  return notices.has(type)
}
