import type { LogEntry } from './log.ts'
import type { Message } from './message.ts'

/**
 * A message of a run's transcript. `place` rises from message to message, stays the same for ever and is what
 * `message.ended` tells of it; it starts at 1 and has gaps.
 */
export type TranscriptMessage = Message & { readonly place: number }

/** The messages of a log in order: each result stands in its call's place, however late it came. */
export function messagesIn(log: readonly LogEntry[]): readonly TranscriptMessage[] {
  return log.flatMap((entry): readonly TranscriptMessage[] => {
    if (entry.kind === 'message') return entry.replaces === undefined ? [{ ...entry.message, place: entry.seq }] : []
    const result = entry.kind === 'call' ? entry.call.result : undefined
    return result === undefined ? [] : [{ ...result, place: entry.seq }]
  })
}
