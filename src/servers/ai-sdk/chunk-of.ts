import type { UIMessageChunk } from 'ai'
import type { PartMove } from '../chat/answer-parts.ts'

/** Returns the chunk for a part of an answer; undefined if there is none. */
export function chunkOf(move: PartMove): UIMessageChunk | undefined {
  if (move.type === 'dropped') return { type: 'reset-step' }
  const { kind, id, name } = move.part
  if (kind === 'toolCall') {
    const call = { toolCallId: id, toolName: name, dynamic: true }
    if (move.type === 'begun') return { type: 'tool-input-start', ...call }
    if (move.type === 'grown') return { type: 'tool-input-delta', toolCallId: id, inputTextDelta: move.delta }
    return { type: 'tool-input-available', ...call, input: move.given }
  }
  const part = kind === 'text' ? 'text' : 'reasoning'
  if (move.type === 'begun') return { type: `${part}-start`, id }
  if (move.type === 'grown') return { type: `${part}-delta`, id, delta: move.delta }
  return { type: `${part}-end`, id }
}
