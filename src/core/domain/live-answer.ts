import type { MessageDelta } from './event.ts'
import type { FoundRecords } from './records/found-records.ts'
import { changing, drop, put, type RecordChange, writing } from './records/record-change.ts'
import { recordKind } from './records/record-kind.ts'
import { rowOf, runOf } from './records/record-read.ts'
import { isRecord } from './text/json.ts'
import { isListOf, isNumber, isShaped, isText } from './text/shape.ts'

/** The answer that a model is giving, so far. */
export interface LiveAnswer {
  readonly turn: number
  /** The answer so far, with the pieces of one block merged. */
  readonly deltas: readonly MessageDelta[]
}

interface ReaderMark {
  readonly run: string
}

interface PutAnswer extends LiveAnswer, ReaderMark {
  /** The fence of the lease under which the answer was written. */
  readonly fence: number
}

/** The age in milliseconds up to which a mark is not renewed. */
const freshMs = 3_000

/** Readers' marks, by run. A mark expires after 10 seconds. */
export const readerKind = recordKind<ReaderMark>({
  name: 'reader',
  fields: {},
  fieldsOf: () => ({}),
  indexes: {},
  maxAgeMs: 10_000,
  isLossy: true,
  isBody: isShaped<ReaderMark>({ run: isText }),
})

/** Current answers, by run. No commit contains them: the log has the complete answer later, so they may be lost. */
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

/** Returns the read of a run's reader mark. */
export function readerRead(runId: string) {
  return [rowOf(readerKind, runId)]
}

/** Returns the reads of a run's current answer. */
export function answerReads(runId: string) {
  return [runOf(runId), rowOf(answerKind, runId), rowOf(readerKind, runId)]
}

/** Returns true if a reader's mark is valid. */
export function isRead(found: FoundRecords, runId: string): boolean {
  return found.row(readerKind, runId) !== undefined
}

/** Returns true if a reader must renew the mark; a finished run needs none. */
export function needsMark(found: FoundRecords, runId: string): boolean {
  const run = found.run(runId)
  if (run === undefined || run.status === 'done') return false
  return (found.row(readerKind, runId)?.ageMs ?? Infinity) > freshMs
}

/** Returns the current answer from the run's current driver, if there is one. */
export function answerIn(found: FoundRecords, runId: string): LiveAnswer | undefined {
  const run = found.run(runId)
  const answer = found.row(answerKind, runId)?.body
  if (answer === undefined || run === undefined || run.status === 'done') return undefined
  return run.isHeld && run.fence === answer.fence ? { turn: answer.turn, deltas: answer.deltas } : undefined
}

/** Marks that a process reads the answers of a run. */
export function markReader(runId: string): RecordChange<undefined> {
  return writing(put(readerKind, runId, { run: runId }))
}

/** Replaces a run's current answer, if the lease with that fence is still valid. */
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

/** Removes the answer that was written under a lease, even if that lease is lost. */
export function endAnswer(runId: string, fence: number): RecordChange<undefined> {
  return changing(answerKind, runId, (row) => ({
    answer: undefined,
    writes: row?.body.fence === fence ? [drop(answerKind, runId)] : [],
  }))
}

function isDelta(value: unknown): value is MessageDelta {
  if (!isRecord(value) || typeof value['delta'] !== 'string') return false
  if (value['type'] === 'text' || value['type'] === 'thinking') return true
  return value['type'] === 'toolCall' && typeof value['id'] === 'string' && typeof value['name'] === 'string'
}
