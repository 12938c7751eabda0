import type { FoundRecords } from './found-records.ts'
import type { RecordKind, RecordPut, RecordTable } from './record-kind.ts'
import type { RecordRead } from './record-read.ts'

/** Puts a record under its key, or drops the one of that key. */
export interface RecordWrite {
  readonly table: RecordTable
  readonly key: string
  /** Absent: the record is dropped. */
  readonly put?: RecordPut
}

/** What a rule makes of the records that it read. */
export interface Judgement<Answer> {
  readonly answer: Answer
  readonly writes: readonly RecordWrite[]
}

/**
 * A change of records. `judge` is a pure function of the records it reads, because a store may ask it again, and making the
 * same change twice leaves the records as making it once does.
 */
export interface RecordChange<Answer> {
  readonly reads: readonly RecordRead[]
  readonly judge: (found: FoundRecords) => Judgement<Answer>
}

/** Stores a record under its key, in place of the one that is there. */
export function put<Body>(kind: RecordKind<Body>, key: string, body: Body): RecordWrite {
  return { table: kind, key, put: { body, fields: kind.fieldsOf(body) } }
}

/** Removes the record of a key, if there is one. */
export function drop(table: RecordTable, key: string): RecordWrite {
  return { table, key }
}

/** Returns the change that makes writes whatever is stored. */
export function writing(...writes: readonly RecordWrite[]): RecordChange<undefined> {
  return { reads: [], judge: () => ({ answer: undefined, writes }) }
}
