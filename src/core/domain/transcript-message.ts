import { shownResult } from './call.ts'
import type { LogEntry } from './log.ts'
import type { Message } from './message.ts'

/** A message of a run's transcript. */
export type TranscriptMessage = Message & {
  /**
   * The position of the message. It rises from message to message, starts at 1, may have gaps, and never changes;
   * `message.ended` has the same number.
   */
  readonly place: number
  /**
   * The turn of the message, from 1, counted by the answers of the run that wrote it. A result has the turn of the
   * answer that asked for it, even if it is late. Any other message has the turn whose model reads it first: the next
   * one, whether or not it happens. Absent if no run wrote the message, or if the reader does not know the run.
   *
   * The events of an answer have the same turn, with one exception: if the running time ended a model call and a final
   * answer follows, the ended turn has a number but no answer, and the final answer counts one less here. `turn` of
   * `message.ended` is the turn in which a message was emitted: a late result is emitted in a later one, and a note
   * inside a turn or before a wait in the one before.
   */
  readonly turn?: number
  /** The run that wrote it, if it is another run than the one that is read and the reader knows it. */
  readonly runId?: string
}

/** A part of a transcript that one run wrote. */
export interface TranscriptPart {
  /** The place before its first message. */
  readonly after: number
  /** The id of that run; absent for the run that is read. */
  readonly runId?: string
  /** True if the run received these messages at its start, so that they belong to none of its turns. */
  readonly isGiven?: boolean
}

/**
 * Returns the messages of a log in order: each result is in its call's place, even if it is late. Messages of the
 * parts, which must be in order, have their turns and the runs that wrote them; messages before the first part have
 * neither.
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
    else if (entry.kind === 'message' && entry.place === undefined) message = entry.message
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

/** Returns the turn of a message by the one before it in the same run; undefined means the start of the run. */
export function turnBehind(before: TranscriptMessage | undefined, { role }: Pick<Message, 'role'>): number {
  const { turn = 0 } = before ?? {}
  const isOfAnswer = before?.role === 'assistant' || before?.role === 'toolResult'
  const answered = isOfAnswer ? turn : Math.max(turn - 1, 0)
  return role === 'toolResult' ? answered : answered + 1
}
