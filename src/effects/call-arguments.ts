import type { CallRecord } from '../domain/call.ts'
import type { Json } from '../domain/json.ts'
import type { RunView } from '../ports/effect-handler.ts'

/** The arguments a call runs with: the latest edit, else those the model gave. */
export function argumentsOf(call: CallRecord, view: Pick<RunView, 'message'>): Json {
  if (call.editedArguments !== undefined) return call.editedArguments
  const message = view.message(call.messageSeq)
  if (message?.role !== 'assistant') return {}
  for (const block of message.content) {
    if (block.type === 'toolCall' && block.callId === call.callId) return block.arguments
  }
  return {}
}

/** The record of a call the chart speaks of; its absence is a defect of the engine. */
export function callOf(view: RunView, callId: string): CallRecord {
  const call = view.call(callId)
  if (call === undefined) throw new Error(`No call "${callId}" in the log of this run.`)
  return call
}
