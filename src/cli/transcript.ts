import { type Message, textOf, toolCallsOf } from '../index.ts'
import type { Paint } from './cli-io.ts'
import { oneLine, plainText, safeJson, visibleText } from './safe-text.ts'

/** Lines of a message that are printed of each text; the rest is counted. */
const lineLimit = 40

/** A transcript for a person. */
export function describeTranscript(messages: readonly Message[], paint: Paint, isFull: boolean): readonly string[] {
  return messages.flatMap((message) => describeMessage(message, paint, isFull ? Infinity : lineLimit))
}

function describeMessage(message: Message, paint: Paint, limit: number): readonly string[] {
  switch (message.role) {
    case 'user':
      return [paint('bold', 'user'), ...shorten(textOf(message), limit)]
    case 'assistant':
      return [
        paint('bold', `assistant (${oneLine(message.provider)}/${oneLine(message.model)})`),
        ...shorten(textOf(message), limit),
        ...toolCallsOf(message).map(
          (call) => `  → ${oneLine(call.name)} ${oneLine(visibleText(safeJson(call.arguments)), 300)}`,
        ),
        ...(message.errorMessage === undefined ? [] : [`  model error: ${oneLine(message.errorMessage, 500)}`]),
      ]
    case 'toolResult':
      return [
        paint('bold', `${oneLine(message.toolName)} (${message.callId}, ${message.status})`),
        ...shorten(textOf(message), limit),
        ...message.content.flatMap((block) => (block.type === 'image' ? [`  [image ${oneLine(block.mimeType)}]`] : [])),
      ]
    case 'extension':
      return [paint('bold', `extension ${oneLine(message.kind)}`)]
  }
}

function shorten(text: string, limit: number): readonly string[] {
  if (text === '') return []
  const lines = visibleText(plainText(text)).trimEnd().split('\n')
  const more = lines.length - limit
  const shown = lines.slice(0, limit).map((line) => `  ${line}`)
  return more > 0 ? [...shown, `  [… ${more} lines more: show them with --full]`] : shown
}
