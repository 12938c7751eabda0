import {
  answerIn,
  answerReads,
  endAnswer,
  isRead,
  type LiveAnswer,
  markReader,
  needsMark,
  putAnswer,
  readerRead,
} from '../domain/live-answer.ts'
import type { Records } from '../ports/records.ts'
import type { Lease } from '../ports/store.ts'
import { checkRecords } from './check-records.ts'

/**
 * Reads the current answer that the driver of a run has stored, or returns undefined. The read itself tells the driver
 * that somebody reads, for 10 s by the store's clock.
 */
export async function readLiveAnswer(store: Records, runId: string): Promise<LiveAnswer | undefined> {
  checkRecords(store, 'readLiveAnswer')
  const found = await store.records(answerReads(runId))
  if (needsMark(found, runId)) await store.change(markReader(runId))
  return answerIn(found, runId)
}

/** Stores a run's current answer if somebody reads it. Returns true if somebody does. */
export async function putLiveAnswer(store: Records, { runId, fence }: Lease, answer: LiveAnswer): Promise<boolean> {
  if (!isRead(await store.records(readerRead(runId)), runId)) return false
  await store.change(putAnswer(runId, fence, answer))
  return true
}

/** Removes the answer that was stored under a lease. */
export async function endLiveAnswer(store: Records, { runId, fence }: Lease): Promise<void> {
  await store.change(endAnswer(runId, fence))
}
