import type { ExtensionMessage, Message } from './message.ts'

/**
 * The kind of an extension message by which somebody asks for a smaller prompt. It stands in the transcript, so a restart,
 * a fork and a run that goes on find it. No model is sent it.
 */
const wishKind = 'context.compact'

/** The message by which somebody asks for a smaller prompt; `timestamp` is in Unix milliseconds. */
export function compactionWish(timestamp: number): ExtensionMessage {
  return { role: 'extension', kind: wishKind, data: {}, timestamp }
}

/** True for a message that asks for a smaller prompt. */
export function isCompactionWish(message: Message): boolean {
  return message.role === 'extension' && message.kind === wishKind
}
