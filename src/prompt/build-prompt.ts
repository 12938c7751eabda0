import { type AssistantMessage, type Message, type ModelMessage, toolCallsOf, type ToolResultMessage } from '../domain/message.ts'

const missingText = '[Tool execution was interrupted before producing a result.]'

/**
 * What a model may be sent of a transcript: app-only messages and empty failed answers left out, and
 * every call followed by exactly one result, whatever the transcript holds (SEMANTICS §1).
 */
export function buildPrompt(messages: readonly Message[]): readonly ModelMessage[] {
  const results = new Map<string, ToolResultMessage>()
  for (const message of messages) if (message.role === 'toolResult') results.set(message.callId, message)
  const prompt: ModelMessage[] = []
  for (const message of messages) {
    if (message.role === 'user') prompt.push(message)
    if (message.role === 'assistant' && !isEmptyFailure(message)) prompt.push(message, ...resultsOf(message, results))
  }
  return prompt
}

function isEmptyFailure({ stopReason, content }: AssistantMessage): boolean {
  return (stopReason === 'error' || stopReason === 'aborted') && content.length === 0
}

function resultsOf(
  message: AssistantMessage,
  results: ReadonlyMap<string, ToolResultMessage>,
): readonly ToolResultMessage[] {
  return toolCallsOf(message).map(({ id, callId = id, name }) => {
    const known = results.get(callId)
    if (known !== undefined) return known
    return {
      role: 'toolResult',
      callId,
      toolCallId: id,
      toolName: name,
      content: [{ type: 'text', text: missingText }],
      isError: true,
      status: 'error',
      timestamp: message.timestamp,
    }
  })
}
