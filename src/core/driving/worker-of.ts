import { handoverIdOf } from '../domain/family-link.ts'
import { originOf } from '../domain/run-origin.ts'
import type { RunRecord } from '../domain/run-record.ts'
import { ifStored } from '../domain/store-error.ts'
import type { Store } from '../ports/store.ts'

/**
 * Returns the record of the run that works for a call, by the id of the call's child: the last run to which the
 * conversation was handed over. While the next run is not stored, the work is `running`. Returns undefined for a child
 * that is gone.
 */
export async function workerOf(store: Store, childRunId: string): Promise<RunRecord | undefined> {
  const record = await ifStored(store.record(childRunId))
  if (record?.code !== 'handed_over') return record
  const next = await nextSpeechOf(store, childRunId)
  return next === undefined ? { ...record, status: 'running' } : workerOf(store, next)
}

/** Returns the id of the run after a hand-over outside sessions, once it is stored. */
export async function nextSpeechOf(store: Store, runId: string): Promise<string | undefined> {
  const id = handoverIdOf(runId)
  const input = await ifStored(store.input(id))
  return input !== undefined && originOf(id, '', input).parentRunId === runId ? id : undefined
}
