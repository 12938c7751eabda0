import type { ModelMessage, ToolCallContent, ToolResultMessage } from '../../domain/message.ts'

/** The text with every lone surrogate replaced: servers refuse the whole request for one. */
export function sendableText(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '\u{FFFD}')
}

/** True for text that is more than white space; wires refuse blocks that are not. */
export function isSendable(text: string): boolean {
  return text.trim() !== ''
}

/** The id each call and each result of a transcript goes by on a wire. */
export interface WireCallIds {
  ofCall(call: ToolCallContent): string
  ofResult(result: ToolResultMessage): string
}

/** What every wire takes: 40 of these characters. */
const longestId = 40
const foreignCharacters = /[^A-Za-z0-9_-]/g

/**
 * Gives every call an id of its own, as wires want it: a provider's ids may repeat between turns, and another
 * provider's may hold characters this one refuses. Calls of `provider` itself keep theirs wherever it is free.
 */
export function wireCallIds(messages: readonly ModelMessage[], provider: string): WireCallIds {
  const taken = new Set<string>()
  const calls = new Map<ToolCallContent, string>()
  const results = new Map<ToolResultMessage, string>()
  const latest = { callId: new Map<string, string>(), toolCallId: new Map<string, string>() }
  for (const message of messages) {
    if (message.role === 'toolResult') {
      const id = latest.callId.get(message.callId) ?? latest.toolCallId.get(message.toolCallId)
      if (id !== undefined) results.set(message, id)
    }
    if (message.role !== 'assistant') continue
    for (const call of message.content) {
      if (call.type !== 'toolCall') continue
      const id = freeId(message.provider === provider ? call.id : clean(call.id), taken)
      taken.add(id)
      calls.set(call, id)
      latest.toolCallId.set(call.id, id)
      if (call.callId !== undefined) latest.callId.set(call.callId, id)
    }
  }
  return {
    ofCall: (call) => calls.get(call) ?? clean(call.id),
    ofResult: (result) => results.get(result) ?? clean(result.toolCallId),
  }
}

function clean(id: string): string {
  return id.replaceAll(foreignCharacters, '_').slice(0, longestId)
}

function freeId(wanted: string, taken: ReadonlySet<string>): string {
  const first = wanted === '' ? 'call' : wanted
  if (!taken.has(first)) return first
  for (let count = 2; ; count++) {
    const suffix = `_${count}`
    const id = first.slice(0, longestId - suffix.length) + suffix
    if (!taken.has(id)) return id
  }
}
