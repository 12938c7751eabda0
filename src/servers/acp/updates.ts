import type { ContentBlock, SessionUpdate } from '@agentclientprotocol/sdk'
import type { AgentEvent } from '../../index.ts'
import type { ShownContent } from '../../ports.ts'
import { shownText } from './questions.ts'

type Message = Extract<AgentEvent, { readonly type: 'message.ended' }>['message']

/** Turns the events of a run into updates for an editor. */
export class Updates {
  /** The text of the answer under way that the editor has. */
  #text = ''
  #thinking = ''
  /** The place of the last message that the editor has. */
  readonly #shown: number

  constructor(shown: number) {
    this.#shown = shown
  }

  /** Returns the updates for an event; none for an event that the protocol does not have. */
  of(event: AgentEvent): readonly SessionUpdate[] {
    if (event.type === 'message.started') {
      this.#text = ''
      this.#thinking = ''
    } else if (event.type === 'message.updated' && event.delta.type !== 'toolCall') {
      const { type, delta } = event.delta
      if (type === 'text') this.#text += delta
      else this.#thinking += delta
      return [chunk(type === 'text' ? 'agent_message_chunk' : 'agent_thought_chunk', delta)]
    } else if (event.type === 'message.ended') {
      // The editor shows its own prompts itself.
      return event.place <= this.#shown || event.message.role === 'user' ? [] : this.#ended(event.message)
    }
    return callUpdates(event)
  }

  #ended(message: Message): readonly SessionUpdate[] {
    const updates = messageUpdates(message)
    if (message.role !== 'assistant') return updates
    const [thinking, text] = [this.#thinking, this.#text]
    this.#thinking = ''
    this.#text = ''
    return updates.flatMap((update): readonly SessionUpdate[] => {
      if (update.sessionUpdate === 'agent_thought_chunk') return thinking === '' ? [update] : []
      if (update.sessionUpdate !== 'agent_message_chunk' || update.content.type !== 'text') return [update]
      const whole = update.content.text
      if (!whole.startsWith(text)) return [chunk('agent_message_chunk', `\n\n${whole}`)]
      return whole === text ? [] : [chunk('agent_message_chunk', whole.slice(text.length))]
    })
  }
}

function callUpdates(event: AgentEvent): readonly SessionUpdate[] {
  if (event.type === 'toolExecution.started') {
    const { callId: toolCallId, arguments: rawInput } = event
    return [{ sessionUpdate: 'tool_call_update', toolCallId, status: 'in_progress', rawInput }]
  }
  if (event.type === 'progress.reported') {
    return [{ sessionUpdate: 'tool_call_update', toolCallId: event.callId, content: [shownText(event.text)] }]
  }
  if (event.type !== 'call.settled') return []
  const status = event.status === 'succeeded' ? 'completed' : 'failed'
  return [{ sessionUpdate: 'tool_call_update', toolCallId: event.callId, status }]
}

/** Returns the updates for a whole message, as `session/load` sends them. The text of an answer is one chunk. */
export function messageUpdates(message: Message): readonly SessionUpdate[] {
  switch (message.role) {
    case 'user':
      return message.content.map((content) => ({ sessionUpdate: 'user_message_chunk', content: blockOf(content) }))
    case 'assistant':
      return answerUpdates(message)
    case 'toolResult':
      return [
        {
          sessionUpdate: 'tool_call_update',
          toolCallId: message.callId,
          status: message.isError ? 'failed' : 'completed',
          content: message.content.map((content) => ({ type: 'content', content: blockOf(content) })),
        },
      ]
    case 'extension':
      return []
  }
}

function answerUpdates({ content }: Extract<Message, { role: 'assistant' }>): readonly SessionUpdate[] {
  const thinking = content.flatMap((block) => (block.type === 'thinking' ? [block.thinking] : [])).join('')
  const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('')
  const calls = content.flatMap((block): readonly SessionUpdate[] => {
    if (block.type !== 'toolCall') return []
    const { callId = block.id, name, arguments: rawInput } = block
    return [{ sessionUpdate: 'tool_call', toolCallId: callId, title: name, name, status: 'pending', rawInput }]
  })
  return [
    ...(thinking === '' ? [] : [chunk('agent_thought_chunk', thinking)]),
    ...(text === '' ? [] : [chunk('agent_message_chunk', text)]),
    ...calls,
  ]
}

function chunk(sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk', text: string): SessionUpdate {
  return { sessionUpdate, content: { type: 'text', text } }
}

function blockOf(content: ShownContent): ContentBlock {
  switch (content.type) {
    case 'text':
      return { type: 'text', text: content.text }
    case 'image':
      return { type: 'image', data: content.data, mimeType: content.mimeType }
    case 'file': {
      const { data: blob, mediaType: mimeType, name: uri = 'file' } = content
      return { type: 'resource', resource: { uri, blob, mimeType } }
    }
  }
}
