import {
  type AssistantMessage,
  type Message,
  type ModelMessage,
  type ToolCallContent,
  toolCallsOf,
  type ToolResultMessage,
} from '../domain/message.ts'

const missingText = '[Tool execution was interrupted before producing a result.]'

/**
 * What a model may be sent of a transcript: app-only messages and empty failed answers left out, and
 * every call followed by exactly one result, whatever the transcript holds.
 */
export function buildPrompt(messages: readonly Message[]): readonly ModelMessage[] {
  const prompt: ModelMessage[] = []
  let results: ReadonlyMap<string, ToolResultMessage> | undefined
  for (const [index, message] of messages.entries()) {
    if (message.role === 'user') prompt.push(message)
    if (message.role !== 'assistant' || isEmptyFailure(message)) continue
    prompt.push(message)
    for (const [position, call] of toolCallsOf(message).entries()) {
      const next = messages[index + 1 + position]
      if (answers(next, call)) prompt.push(next)
      else prompt.push((results ??= resultsByCall(messages)).get(callIdOf(call)) ?? missingResult(call, message))
    }
  }
  return prompt
}

/** In a transcript of ours each result follows its message; only a damaged or imported one is searched. */
function answers(message: Message | undefined, call: ToolCallContent): message is ToolResultMessage {
  return message?.role === 'toolResult' && message.callId === callIdOf(call)
}

function callIdOf({ callId, id }: ToolCallContent): string {
  return callId ?? id
}

function resultsByCall(messages: readonly Message[]): ReadonlyMap<string, ToolResultMessage> {
  return new Map(messages.flatMap((message) => (message.role === 'toolResult' ? [[message.callId, message]] : [])))
}

function isEmptyFailure({ stopReason, content }: AssistantMessage): boolean {
  return (stopReason === 'error' || stopReason === 'aborted') && content.length === 0
}

function missingResult(call: ToolCallContent, { timestamp }: AssistantMessage): ToolResultMessage {
  return {
    role: 'toolResult',
    callId: callIdOf(call),
    toolCallId: call.id,
    toolName: call.name,
    content: [{ type: 'text', text: missingText }],
    isError: true,
    status: 'error',
    timestamp,
  }
}
