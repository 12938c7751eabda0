import type { PartMove } from '../chat/answer-parts.ts'
import type { Event } from '@ag-ui/core'

/** Returns the events of an answer's parts; a dropped part becomes a snapshot. */
export function partEvents(move: Exclude<PartMove, { type: 'dropped' }>, answerId: string): readonly AgUiEvent[] {
  const { kind, id: messageId, name } = move.part
  switch (kind) {
    case 'toolCall':
      return callEvents(move, { toolCallId: messageId, toolCallName: name, parentMessageId: answerId })
    case 'text':
      if (move.type === 'begun') return [{ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' }]
      if (move.type === 'grown') return [{ type: 'TEXT_MESSAGE_CONTENT', messageId, delta: move.delta }]
      return [{ type: 'TEXT_MESSAGE_END', messageId }]
    case 'thinking':
      if (move.type === 'grown') return [{ type: 'REASONING_MESSAGE_CONTENT', messageId, delta: move.delta }]
      if (move.type === 'begun') {
        return [
          { type: 'REASONING_START', messageId },
          { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' },
        ]
      }
      return [
        { type: 'REASONING_MESSAGE_END', messageId },
        { type: 'REASONING_END', messageId },
      ]
  }
}

interface NamedCall {
  readonly toolCallId: string
  readonly toolCallName: string
  readonly parentMessageId: string
}

function callEvents(move: Exclude<PartMove, { type: 'dropped' }>, call: NamedCall): readonly AgUiEvent[] {
  const { toolCallId } = call
  if (move.type === 'begun') return [{ type: 'TOOL_CALL_START', ...call }]
  if (move.type === 'grown') return [{ type: 'TOOL_CALL_ARGS', toolCallId, delta: move.delta }]
  const whole = move.unsaid === true ? JSON.stringify(move.given ?? {}) : ''
  const end: AgUiEvent = { type: 'TOOL_CALL_END', toolCallId }
  return whole === '' ? [end] : [{ type: 'TOOL_CALL_ARGS', toolCallId, delta: whole }, end]
}

/**
 * An event of AG-UI as it is sent. Its type is a text, so that the code that creates events does not need the package.
 */
export type AgUiEvent = Event extends infer One
  ? One extends Event
    ? Omit<One, 'type'> & { readonly type: `${One['type']}` }
    : never
  : never
