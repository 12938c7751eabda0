import type { MessageDelta } from './event.ts'
import type { FoundRecords } from './records/found-records.ts'
import { drop, put, type RecordChange, writing } from './records/record-change.ts'
import { recordKind } from './records/record-kind.ts'
import { rowOf, runOf } from './records/record-read.ts'
import { isRecord } from './text/json.ts'
import { isListOf, isNumber, isShaped, isText } from './text/shape.ts'

/** An answer that a model is giving, as far as it has come. */
export interface LiveAnswer {
  readonly turn: number
  /** What has come of it, the pieces of one block as one. */
  readonly deltas: readonly MessageDelta[]
}

/** A mark that somebody reads the answers of a run. */
interface ReaderMark {
  readonly run: string
}

interface PutAnswer extends LiveAnswer, ReaderMark {
  /** The fence of the lease under which it was put. */
  readonly fence: number
}

/** A mark that is younger, in milliseconds, is not put anew. */
const freshMs = 3_000

/** Marks of readers, by their runs. One stands for 10 seconds. */
export const readerKind = recordKind<ReaderMark>({
  name: 'reader',
  fields: {},
  fieldsOf: () => ({}),
  indexes: {},
  maxAgeMs: 10_000,
  isLossy: true,
  isBody: isShaped<ReaderMark>({ run: isText }),
})

/** Answers under way, by their runs. No commit holds any of one: the log tells again, and better, what is lost here. */
export const answerKind = recordKind<PutAnswer>({
  name: 'answer',
  fields: { run: 'text' },
  fieldsOf: ({ run }) => ({ run }),
  indexes: { run: ['run'] },
  maxAgeMs: 3_600_000,
  isLossy: true,
  runGone: () => undefined,
  isBody: isShaped<PutAnswer>({ run: isText, fence: isNumber, turn: isNumber, deltas: isListOf(isDelta) }),
})

/** Reads whether somebody reads the answers of a run. */
export function readerRead(runId: string) {
  return [rowOf(readerKind, runId)]
}

/** Reads all there is to know of the answer under way of a run. */
export function answerReads(runId: string) {
  return [runOf(runId), rowOf(answerKind, runId), rowOf(readerKind, runId)]
}

/** Returns true if a mark stands that somebody reads. */
export function isRead(found: FoundRecords, runId: string): boolean {
  return found.row(readerKind, runId) !== undefined
}

/** Returns true if somebody who reads has to say so again; of a run that is done nothing comes any more. */
export function needsMark(found: FoundRecords, runId: string): boolean {
  const run = found.run(runId)
  if (run === undefined || run.status === 'done') return false
  return (found.row(readerKind, runId)?.ageMs ?? Infinity) > freshMs
}

/** Returns the answer that the present driver of a run has put, if there is one. */
export function answerIn(found: FoundRecords, runId: string): LiveAnswer | undefined {
  const run = found.run(runId)
  const answer = found.row(answerKind, runId)?.body
  if (answer === undefined || run === undefined || run.status === 'done') return undefined
  return run.isHeld && run.fence === answer.fence ? { turn: answer.turn, deltas: answer.deltas } : undefined
}

/** Says that somebody reads the answers of a run. */
export function markReader(runId: string): RecordChange<undefined> {
  return writing(put(readerKind, runId, { run: runId }))
}

/** Puts an answer in place of the one before, if the lease of that fence is still the run's. */
export function putAnswer(run: string, fence: number, { turn, deltas }: LiveAnswer): RecordChange<undefined> {
  return {
    reads: [runOf(run)],
    judge: (found) => {
      const standing = found.run(run)
      const isDriver = standing?.isHeld === true && standing.fence === fence
      return { answer: undefined, writes: isDriver ? [put(answerKind, run, { run, fence, turn, deltas })] : [] }
    },
  }
}

/** Removes the answer that was put under a lease, also under one that was lost. */
export function endAnswer(runId: string, fence: number): RecordChange<undefined> {
  return {
    reads: [rowOf(answerKind, runId)],
    judge: (found) => {
      const isOwn = found.row(answerKind, runId)?.body.fence === fence
      return { answer: undefined, writes: isOwn ? [drop(answerKind, runId)] : [] }
    },
  }
}

function isDelta(value: unknown): value is MessageDelta {
  if (!isRecord(value) || typeof value['delta'] !== 'string') return false
  if (value['type'] === 'text' || value['type'] === 'thinking') return true
  return value['type'] === 'toolCall' && typeof value['id'] === 'string' && typeof value['name'] === 'string'
}
