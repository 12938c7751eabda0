import { shownResult } from './call.ts'
import type { LogEntry } from './log.ts'
import type { Message } from './message.ts'

/** A message of a run's transcript. */
export type TranscriptMessage = Message & {
  /** Rises from message to message and never changes; `message.ended` tells the same number. Starts at 1 and has gaps. */
  readonly place: number
  /**
   * The turn it belongs to, from 1, counted in the run that wrote it by its answers. A result has the turn of the answer
   * that asked for it, however late it came. Any other message has the turn whose model reads it first: the next one,
   * whether it came or not. Absent if no run wrote the message, or if the reader does not know which run did.
   *
   * The events of an answer name the same turn, but for one case: where the running time cut a model call and a final
   * answer follows, the cut turn has a number and no answer, and the final answer counts one less here. `turn` of
   * `message.ended` is the turn in which a message was told: a late result is told in a later one, and a note inside a turn
   * or before a wait in the one before.
   */
  readonly turn?: number
  /** The run that wrote it, where that is another one than the run that is read, and the reader knows it. */
  readonly runId?: string
}

/** A part of a transcript that one run wrote. */
export interface TranscriptPart {
  /** The place before its first message. */
  readonly after: number
  /** Absent for the run that is read. */
  readonly runId?: string
  /** True where the run was given the messages whole, and no turn of it made them. */
  readonly isGiven?: boolean
}

/**
 * The messages of a log in order: each result stands in its call's place, however late it came. Those of the parts, which
 * are in order too, have their turns and name the runs that wrote them; messages before the first part have neither.
 */
export function messagesIn(
  log: readonly LogEntry[],
  parts: readonly TranscriptPart[] = [],
): readonly TranscriptMessage[] {
  const messages: TranscriptMessage[] = []
  let next = 0
  let part: TranscriptPart | undefined
  let before: TranscriptMessage | undefined
  for (const entry of log) {
    let message: Message | undefined
    if (entry.kind === 'call') message = shownResult(entry.call)
    else if (entry.kind === 'message' && entry.replaces === undefined) message = entry.message
    if (message === undefined) continue
    const place = entry.seq
    for (let found = parts[next]; found !== undefined && found.after < place; found = parts[++next]) {
      part = found
      before = undefined
    }
    const turn = part === undefined || part.isGiven === true ? {} : { turn: turnBehind(before, message) }
    before = { ...message, place, ...turn, ...(part?.runId === undefined ? {} : { runId: part.runId }) }
    messages.push(before)
  }
  return messages
}

/** The turn of a message by the one before it in the same run; undefined stands for the start of the run. */
export function turnBehind(before: TranscriptMessage | undefined, { role }: Pick<Message, 'role'>): number {
  const { turn = 0 } = before ?? {}
  const isOfAnswer = before?.role === 'assistant' || before?.role === 'toolResult'
  const answered = isOfAnswer ? turn : Math.max(turn - 1, 0)
  return role === 'toolResult' ? answered : answered + 1
}
