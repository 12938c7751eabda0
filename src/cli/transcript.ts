import type { Message, Store } from '../index.ts'
import type { Paint } from './paint.ts'
import { oneLine, plainText, safeJson } from './safe-text.ts'
import { messageText, toolCalls } from './stored.ts'

/** The messages of a stored run in order: each result stands in its call's slot, however late it came. */
export async function transcriptOf(store: Store, runId: string): Promise<readonly Message[]> {
  const [{ log }, rows] = [await store.read(runId), await store.calls(runId)]
  const results = new Map(rows.map(({ record }) => [record.seq, record.result]))
  return log.flatMap((entry): readonly Message[] => {
    if (entry.kind === 'message') return entry.replaces === undefined ? [entry.message] : []
    const result = entry.kind === 'call' ? results.get(entry.seq) : undefined
    return result === undefined ? [] : [result]
  })
}

/** Lines of a message that are printed of each text; the rest is counted. */
const lineLimit = 40

/** A transcript for a person. */
export function describeTranscript(messages: readonly Message[], paint: Paint): readonly string[] {
  return messages.flatMap((message) => describeMessage(message, paint))
}

function describeMessage(message: Message, paint: Paint): readonly string[] {
  switch (message.role) {
    case 'user':
      return [paint('bold', 'user'), ...shorten(messageText(message))]
    case 'assistant':
      return [
        paint('bold', `assistant (${oneLine(message.provider)}/${oneLine(message.model)})`),
        ...shorten(messageText(message)),
        ...toolCalls(message).map((call) => `  → ${oneLine(call.name)} ${oneLine(safeJson(call.arguments), 300)}`),
        ...(message.errorMessage === undefined ? [] : [`  model error: ${oneLine(message.errorMessage, 500)}`]),
      ]
    case 'toolResult':
      return [
        paint('bold', `${oneLine(message.toolName)} (${message.callId}, ${message.status})`),
        ...shorten(messageText(message)),
        ...message.content.flatMap((block) => (block.type === 'image' ? [`  [image ${oneLine(block.mimeType)}]`] : [])),
      ]
    case 'extension':
      return [paint('bold', `extension ${oneLine(message.kind)}`)]
  }
}

function shorten(text: string): readonly string[] {
  if (text === '') return []
  const lines = plainText(text).trimEnd().split('\n')
  const more = lines.length - lineLimit
  const shown = lines.slice(0, lineLimit).map((line) => `  ${line}`)
  return more > 0 ? [...shown, `  [… ${more} lines more: show them with --json]`] : shown
}
