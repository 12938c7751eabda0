import type { Message as AgUiMessage } from '@ag-ui/core'
import {
  type AssistantMessage,
  type FileContent,
  type ImageContent,
  toolCallsOf,
  type TranscriptMessage,
} from '../../ports.ts'
import { type Message, textOf } from '../../index.ts'
import { mediaTypeOf } from '../../core/domain/media.ts'
import { clientIdIn } from '../chat/client-id.ts'

/** Returns a message of a transcript in AG-UI's form, or undefined for one that clients do not see. */
export function agUiMessage(message: Message, id: string): AgUiMessage | undefined {
  switch (message.role) {
    case 'user':
      return { id, role: 'user', content: contentOf(message.content) }
    case 'assistant':
      return answerMessage(message, id)
    case 'toolResult': {
      const { callId: toolCallId, isError } = message
      const content = textOf(message)
      return { id, role: 'tool', toolCallId, content, ...(isError ? { error: content } : {}) }
    }
    case 'extension':
      return undefined
  }
}

/**
 * Returns an answer's id as a message. It is the answer's number in the transcript, so that it is known while the
 * answer arrives.
 */
export function answerIdOf(number: number): string {
  return `answer.${number}`
}

/** Returns the id of a call's result as a message. */
export function resultIdOf(callId: string): string {
  return `result.${callId}`
}

/** Returns the messages of a transcript, with the ids that clients gave theirs if these are known. */
export function agUiMessages(messages: readonly TranscriptMessage[]): readonly AgUiMessage[] {
  let named: string | undefined
  let answers = 0
  return messages.flatMap((message) => {
    const clientId = clientIdIn([message])
    if (clientId !== undefined) named = clientId
    if (message.role === 'assistant') return agUiMessage(message, answerIdOf(++answers)) ?? []
    if (message.role === 'toolResult') return agUiMessage(message, resultIdOf(message.callId)) ?? []
    const id = named ?? `message.${message.place}`
    if (message.role === 'user') named = undefined
    return agUiMessage(message, id) ?? []
  })
}

function answerMessage(message: AssistantMessage, id: string): AgUiMessage {
  const text = textOf(message)
  const toolCalls = toolCallsOf(message).map(({ id: given, callId = given, name, arguments: args }) => ({
    id: callId,
    type: 'function' as const,
    function: { name, arguments: JSON.stringify(args) },
  }))
  return {
    id,
    role: 'assistant',
    ...(text === '' ? {} : { content: text }),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
  }
}

function contentOf(content: Extract<Message, { role: 'user' }>['content']) {
  return content.every((block) => block.type === 'text')
    ? content.map((block) => (block.type === 'text' ? block.text : '')).join('')
    : content.map((block) =>
        block.type === 'text'
          ? { type: 'text' as const, text: block.text }
          : {
              type: partTypeOf(block),
              source: { type: 'data' as const, value: block.data, mimeType: mediaTypeOf(block) },
            },
      )
}

function partTypeOf(block: ImageContent | FileContent): 'image' | 'audio' | 'video' | 'document' {
  const type = mediaTypeOf(block)
  return (['image', 'audio', 'video'] as const).find((kind) => type.startsWith(`${kind}/`)) ?? 'document'
}
