import { isCallResult } from '../domain/call.ts'
import type { LogEntry } from '../domain/log.ts'
import type { Message } from '../domain/message.ts'

/** Returns true if the bytes of large media in an entry's message are only in the store. */
export function isBareEntry(entry: LogEntry): boolean {
  return entry.kind === 'message' && lacksBytes(entry.message)
}

/**
 * Returns the entries of a log that lack bytes, completed from the same log with its bytes; a result also in the slot
 * of its call.
 */
export function filledEntries(
  known: readonly (LogEntry | undefined)[],
  whole: readonly LogEntry[],
): readonly LogEntry[] {
  return whole.flatMap((entry): readonly LogEntry[] => {
    const bare = known[entry.seq]
    if (entry.kind !== 'message' || bare?.kind !== 'message' || !lacksBytes(bare.message)) return []
    const { message } = entry
    const slot = known[bare.place ?? -1]
    const hasResult = slot?.kind === 'call' && slot.call.resultSeq === entry.seq && isCallResult(message)
    return [{ ...bare, message }, ...(hasResult ? [{ ...slot, call: { ...slot.call, result: message } }] : [])]
  })
}

function lacksBytes(message: Message): boolean {
  return message.role !== 'extension' && message.content.some((block) => 'stored' in block)
}
