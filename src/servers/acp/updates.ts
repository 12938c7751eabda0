import type { ContentBlock, PlanEntry, SessionUpdate } from '@agentclientprotocol/sdk'
import type { AgentEvent } from '../../index.ts'
import type { ShownContent } from '../../ports.ts'
import { isRecord, type Json } from '../../core/domain/text/json.ts'
import { diffsIn, shownText } from './questions.ts'

type Message = Extract<AgentEvent, { readonly type: 'message.ended' }>['message']

/** Converts the events of a run to updates for an editor. */
export class Updates {
  /** The answer under way, as far as the editor has it. */
  #said = { text: '', thinking: '' }
  /** The place of the last message that the editor has. */
  readonly #shown: number
  readonly #cwd: string
  /** The tokens of the model's window, and of the last prompt with its answer. */
  #size: number | undefined
  #used = 0

  constructor({ shown, cwd, size }: { readonly shown: number; readonly cwd: string; readonly size?: number }) {
    this.#shown = shown
    this.#cwd = cwd
    this.#size = size
  }

  /** Returns the updates for an event; none for an event that the protocol does not have. `cost` is the session's. */
  of(event: AgentEvent, cost?: number): readonly SessionUpdate[] {
    if (event.type === 'run.started') this.#size = event.configuration?.contextWindow
    if (event.type === 'turn.ended') this.#used = event.usage.totalTokens
    if (event.type === 'turn.ended' || event.type === 'run.ended') return this.#usage(cost)
    if (event.type === 'message.started') {
      // An answer that was refused or failed has no end: the editor keeps what it has of it.
      const isBrokenOff = this.#said.text !== ''
      this.#said = { text: '', thinking: '' }
      return isBrokenOff ? [textChunk('agent_message_chunk', '\n\n')] : []
    } else if (event.type === 'message.updated' && event.delta.type !== 'toolCall') {
      const { type, delta } = event.delta
      this.#said[type] += delta
      return [textChunk(type === 'text' ? 'agent_message_chunk' : 'agent_thought_chunk', delta)]
    } else if (event.type === 'message.ended') {
      // The editor shows its own prompts itself.
      return event.place <= this.#shown || event.message.role === 'user' ? [] : this.#ended(event.message)
    } else if (event.type === 'state.changed') {
      return planUpdates(event.state)
    } else if (event.type === 'toolset.failed' || event.type === 'tool.leftOut') {
      return [textChunk('agent_message_chunk', `${event.message}\n\n`)]
    }
    return callUpdates(event)
  }

  #usage(cost: number | undefined): readonly SessionUpdate[] {
    if (this.#size === undefined) return []
    const paid = cost === undefined ? {} : { cost: { amount: cost, currency: 'USD' } }
    return [{ sessionUpdate: 'usage_update', used: this.#used, size: this.#size, ...paid }]
  }

  #ended(message: Message): readonly SessionUpdate[] {
    const updates = messageUpdates(message, this.#cwd)
    if (message.role !== 'assistant') return updates
    const { text, thinking } = this.#said
    this.#said = { text: '', thinking: '' }
    return updates.flatMap((update): readonly SessionUpdate[] => {
      if (update.sessionUpdate === 'agent_thought_chunk') return thinking === '' ? [update] : []
      if (update.sessionUpdate !== 'agent_message_chunk' || update.content.type !== 'text') return [update]
      const whole = update.content.text
      if (!whole.startsWith(text)) return [textChunk('agent_message_chunk', `\n\n${whole}`)]
      return whole === text ? [] : [textChunk('agent_message_chunk', whole.slice(text.length))]
    })
  }
}

const statuses = ['pending', 'in_progress', 'completed'] as const
const priorities = ['high', 'medium', 'low'] as const

/** Returns the list `plan` of a state document as a plan: texts, or entries with `content`, and if known `status` and `priority`. */
function planUpdates(state: Json): readonly SessionUpdate[] {
  const plan = isRecord(state) ? state['plan'] : undefined
  if (!Array.isArray(plan)) return []
  const entries = plan.flatMap((given: Json): readonly PlanEntry[] => {
    const entry = isRecord(given) ? given : { content: given }
    const status = statuses.find((word) => word === entry['status']) ?? 'pending'
    const priority = priorities.find((word) => word === entry['priority']) ?? 'medium'
    return typeof entry['content'] === 'string' ? [{ content: entry['content'], status, priority }] : []
  })
  return [{ sessionUpdate: 'plan', entries }]
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
export function messageUpdates(message: Message, cwd: string): readonly SessionUpdate[] {
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
          content: [
            ...message.content.map((content) => ({ type: 'content' as const, content: blockOf(content) })),
            ...diffsIn(message.details, cwd),
          ],
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
    ...(thinking === '' ? [] : [textChunk('agent_thought_chunk', thinking)]),
    ...(text === '' ? [] : [textChunk('agent_message_chunk', text)]),
    ...calls,
  ]
}

/** Returns a piece of an answer or of its thinking. */
export function textChunk(sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk', text: string): SessionUpdate {
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
