import { isRecord } from '../../core/domain/text/json.ts'
import type { ExtensionMessage, Message } from '../../index.ts'

/** The kind of the transcript message that names a client's message. */
const kind = 'client.message'

/**
 * Returns a message that precedes a user's message and has the client's id for it. So a repeated request begins
 * nothing, and a client that reads the transcript finds its own message.
 */
export function clientIdMessage(id: string): ExtensionMessage {
  return { role: 'extension', kind, data: { id: id.slice(0, 200) }, timestamp: Date.now() }
}

/** Returns the last id of a client among messages, or undefined if the last message came from elsewhere. */
export function clientIdIn(messages: readonly Message[]): string | undefined {
  const named = messages.findLast((message) => message.role === 'extension' && message.kind === kind)
  const data = named?.role === 'extension' ? named.data : undefined
  return isRecord(data) && typeof data['id'] === 'string' ? data['id'] : undefined
}
