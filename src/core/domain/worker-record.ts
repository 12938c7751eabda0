import type { FoundRecords } from './records/found-records.ts'
import { drop, put, type RecordChange, writing } from './records/record-change.ts'
import { recordKind } from './records/record-kind.ts'
import { rowsOf } from './records/record-read.ts'
import { isNumber, isShaped, isText, isTexts } from './text/shape.ts'

/** What a worker says of itself, every few seconds. */
export interface WorkerBeat {
  readonly id: string
  readonly host: string
  readonly pid: number
  /** Names of the agents whose runs it drives. */
  readonly agents: readonly string[]
  /** How many runs it drives at once, at most. */
  readonly concurrency: number
  /** How many runs it drives now. */
  readonly driving: number
  /** Unix milliseconds by the worker's clock. */
  readonly startedAt: number
}

/** A worker as a store knows it. */
export interface WorkerRecord extends WorkerBeat {
  /** Milliseconds since it last said that it is there, by the store's clock. */
  readonly silentMs: number
}

/** Workers by their ids. One that was silent for an hour is forgotten. */
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
    pid: isNumber,
    concurrency: isNumber,
    driving: isNumber,
    startedAt: isNumber,
  }),
})

/** Reads the workers that said they are there during the last hour. */
export const workersRead = rowsOf(workerKind, { values: [], limit: 1000 })

/** Returns the workers that a store has found, the latest first. */
export function workersIn(found: FoundRecords): readonly WorkerRecord[] {
  return found.rows(workerKind, workersRead).map(({ body, ageMs }) => ({ ...body, silentMs: ageMs }))
}

/** Says that a worker is there, and what it does. */
export function beat({ id, host, pid, agents, concurrency, driving, startedAt }: WorkerBeat): RecordChange<undefined> {
  return writing(put(workerKind, id, { id, host, pid, agents, concurrency, driving, startedAt }))
}

/** Forgets a worker that has ended. */
export function leave(workerId: string): RecordChange<undefined> {
  return writing(drop(workerKind, workerId))
}
