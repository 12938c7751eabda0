import type { Json } from '../../src/core/domain/text/json.ts'
import { type Message, textOf } from '../../src/core/domain/message.ts'
import type { ScriptedAnswer, ScriptedToolCall } from '../../src/adapters/providers/scripted.ts'

/** A tool call of a scripted reply. */
export function call(id: string, name: string, args: Json = {}): ScriptedToolCall {
  return { id, name, arguments: args }
}

/** A reply that makes tool calls and says nothing. */
export function calls(...toolCalls: readonly ScriptedToolCall[]): ScriptedAnswer {
  return { toolCalls }
}

/** One line a message, e.g. `result 1.c1: done` or `assistant: calls 1.c1 act`. */
export function say(message: Message): string {
  switch (message.role) {
    case 'user':
      return `user: ${textOf(message)}`
    case 'assistant': {
      const names = message.content.flatMap((block) =>
        block.type === 'toolCall' ? `${block.callId} ${block.name}` : [],
      )
      const text = message.stopReason === 'error' ? `error ${message.errorMessage}` : textOf(message)
      return `assistant: ${[text, ...(names.length > 0 ? [`calls ${names.join(', ')}`] : [])].filter(Boolean).join(' ')}`
    }
    case 'toolResult': {
      const mark = message.status === 'success' ? '' : ` (${message.status})`
      return `result ${message.callId}${mark}: ${message.content.map((b) => (b.type === 'text' ? b.text : b.type)).join(' | ')}`
    }
    case 'extension':
      return `extension: ${message.kind}`
  }
}
