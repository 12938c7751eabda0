import type { FinishReason, UIMessageChunk } from 'ai'
import type { RunView } from '../../index.ts'

/** Returns the end of a message whose run waits or is done, with its usage as metadata. */
export function finishChunks(view: RunView): readonly UIMessageChunk[] {
  const { status, outcome, usage, cost, turns, runId, rejection } = view
  const code = outcome?.code ?? outcome?.error?.code
  const why = outcome?.error?.message
  const reason = why === undefined ? {} : { reason: why }
  const messageMetadata = { runId, status, usage, cost, turns, ...(code === undefined ? {} : { code }), ...reason }
  const finish: UIMessageChunk = { type: 'finish', finishReason: reasonOf(view), messageMetadata }
  const error = rejection?.reason ?? (outcome?.reason === 'error' ? why : undefined)
  // A client reads nothing after an error.
  if (error !== undefined) {
    return [{ type: 'message-metadata', messageMetadata }, { type: 'error', errorText: error }, finish]
  }
  return outcome?.reason === 'cancelled' ? [{ type: 'abort', reason: 'cancelled' }, finish] : [finish]
}

function reasonOf({ status, outcome, messages, rejection }: RunView): FinishReason {
  if (status === 'waiting') return 'tool-calls'
  if (rejection !== undefined) return 'error'
  switch (outcome?.reason) {
    case 'natural_end':
    case 'plugin_requested': {
      const answer = messages.findLast(({ role }) => role === 'assistant')
      return answer?.role === 'assistant' && answer.stopReason === 'length' ? 'length' : 'stop'
    }
    case 'cancelled':
      return 'interrupted'
    case 'error':
      return 'error'
    case 'stopped':
    case 'suspended':
    case undefined:
      return 'other'
  }
}
