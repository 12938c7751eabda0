import type { CallRecord, Decision, Message, Store } from '../index.ts'

/** Any JSON value. */
export type Json = Exclude<Decision['result'], undefined>

/** The durable record of a run. */
export type RunRecord = Awaited<ReturnType<Store['record']>>

/** One entry of a run's log. */
export type LogEntry = Awaited<ReturnType<Store['read']>>['log'][number]

/** What a decision answers. */
export type Suspension = NonNullable<CallRecord['suspension']>

/** An answer of the model. */
export type AssistantMessage = Extract<Message, { role: 'assistant' }>

/** The result of a call as the transcript holds it. */
export type ToolResultMessage = Extract<Message, { role: 'toolResult' }>

/** The text blocks of a message, joined. */
export function messageText(message: Message): string {
  if (message.role === 'extension') return ''
  return message.content.map((block) => (block.type === 'text' ? block.text : '')).join('')
}

/** The tool calls of an answer, in the model's order. */
export function toolCalls({ content }: AssistantMessage) {
  return content.filter((block) => block.type === 'toolCall')
}
