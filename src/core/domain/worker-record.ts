import type { FoundRecords } from './records/found-records.ts'
import { drop, put, type RecordChange, writing } from './records/record-change.ts'
import { recordKind } from './records/record-kind.ts'
import { rowsOf } from './records/record-read.ts'
import { defined } from './text/json.ts'
import { isMissingOr, isNumber, isShaped, isText, isTexts } from './text/shape.ts'

/** A worker's report about itself, written every few seconds. */
export interface WorkerBeat {
  readonly id: string
  readonly host: string
  readonly pid: number
  /** Names of the agents whose runs it drives. */
  readonly agents: readonly string[]
  /** The version of each of these agents, in their order; null without one. Absent if none has one. */
  readonly versions?: readonly (string | null)[]
  /** The maximum number of runs that it drives in parallel. */
  readonly concurrency: number
  /** The number of runs that it drives now. */
  readonly driving: number
  /** Unix milliseconds by the worker's clock. */
  readonly startedAt: number
}

/** A worker as a store returns it. */
export interface WorkerRecord extends WorkerBeat {
  /** Milliseconds since its last report, by the store's clock. */
  readonly silentMs: number
}

/** Workers, by id. A worker without a report for an hour is forgotten. */
export const workerKind = recordKind<WorkerBeat>({
  name: 'worker',
  fields: {},
  fieldsOf: () => ({}),
  indexes: {},
  maxAgeMs: 3_600_000,
  isLossy: true,
  isBody: isShaped<WorkerBeat>({
    id: isText,
    host: isText,
    agents: isTexts,
    versions: isMissingOr(Array.isArray),
    pid: isNumber,
    concurrency: isNumber,
    driving: isNumber,
    startedAt: isNumber,
  }),
})

/** The read of all workers with a report during the last hour. */
export const workersRead = rowsOf(workerKind, { values: [], limit: 1000 })

/** Returns the workers in a store's answer, most recent first. */
export function workersIn(found: FoundRecords): readonly WorkerRecord[] {
  return found.rows(workerKind, workersRead).map(({ body, ageMs }) => ({ ...body, silentMs: ageMs }))
}

/** Stores a worker's report. */
export function beat(worker: WorkerBeat): RecordChange<undefined> {
  const { id, host, pid, agents, versions, concurrency, driving, startedAt } = worker
  const body = { id, host, pid, agents, ...defined({ versions }), concurrency, driving, startedAt }
  return writing(put(workerKind, id, body))
}

/** Deletes a worker that has ended. */
export function leave(workerId: string): RecordChange<undefined> {
  return writing(drop(workerKind, workerId))
}
