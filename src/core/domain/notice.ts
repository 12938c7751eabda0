import type { AgentEventBody } from './event.ts'

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
