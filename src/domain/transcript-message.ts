import { shownResult } from './call.ts'
import type { LogEntry } from './log.ts'
import type { Message } from './message.ts'

/**
 * A message of a run's transcript. `place` rises from message to message and never changes; `message.ended` tells the
 * same number. Places start at 1 and have gaps.
 */
export type TranscriptMessage = Message & { readonly place: number }

/** The messages of a log in order: each result stands in its call's place, however late it came. */
export function messagesIn(log: readonly LogEntry[]): readonly TranscriptMessage[] {
  return log.flatMap((entry) => {
    if (entry.kind === 'message') return entry.replaces === undefined ? { ...entry.message, place: entry.seq } : []
    const result = entry.kind === 'call' ? shownResult(entry.call) : undefined
    return result === undefined ? [] : { ...result, place: entry.seq }
  })
}
