import type { ExtensionMessage, Message } from './message.ts'

/**
 * The kind of the extension message that requests a smaller prompt. It is part of the transcript, so restarts, forks
 * and continuations find it. No model receives it.
 */
const wishKind = 'context.compact'

/** Returns the message that requests a smaller prompt; `timestamp` is in Unix milliseconds. */
export function compactionWish(timestamp: number): ExtensionMessage {
  return { role: 'extension', kind: wishKind, data: {}, timestamp }
}

/** Returns true for a message that requests a smaller prompt. */
export function isCompactionWish(message: Message): boolean {
  return message.role === 'extension' && message.kind === wishKind
}
