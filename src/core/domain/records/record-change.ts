import { FoundRecords, type StoredRecord } from './found-records.ts'
import type { RecordKind, RecordPut, RecordTable } from './record-kind.ts'
import { type RecordRead, rowOf } from './record-read.ts'

/** A write of a record: stores it under its key, raises its number, or deletes it. */
export interface RecordWrite {
  readonly table: RecordTable
  readonly key: string
  readonly put?: RecordPut
  /** The new raised number of the record, if it is higher. Without this and `put` the record is deleted. */
  readonly raise?: number
}

/** The result of a rule on the records that it read. */
export interface Judgement<Answer> {
  readonly answer: Answer
  readonly writes: readonly RecordWrite[]
  /** True if a commit that asks for the change must be refused. */
  readonly refuses?: boolean
}

/**
 * A change of records. `judge` must be a pure function of the records that it reads, because a store may call it again.
 * Making a change twice must have the same effect as making it once.
 */
export interface RecordChange<Answer> {
  readonly reads: readonly RecordRead[]
  readonly judge: (found: FoundRecords) => Judgement<Answer>
  /** True for a change that nearly always writes, so that a store may judge it under its lock at once. */
  readonly isWrite?: true
}

/** Returns the write that stores a record under its key and replaces an existing one. */
export function put<Body>(kind: RecordKind<Body>, key: string, body: Body): RecordWrite {
  const wakes = kind.wakes?.(body) === true ? { wakes: true } : {}
  return { table: kind, key, put: { body, fields: kind.fieldsOf(body), ...wakes } }
}

/** Returns the write that raises the raised number of a key's record, if the record exists and its number is lower. */
export function raise(table: RecordTable, key: string, to: number): RecordWrite {
  return { table, key, raise: to }
}

/** Returns the write that deletes the record of a key, if there is one. */
export function drop(table: RecordTable, key: string): RecordWrite {
  return { table, key }
}

/** Returns a change by a rule on one record. */
export function changing<Body, Answer>(
  kind: RecordKind<Body>,
  key: string,
  judge: (row: StoredRecord<Body> | undefined) => Judgement<Answer>,
): RecordChange<Answer> {
  return { reads: [rowOf(kind, key)], judge: (found) => judge(found.row(kind, key)) }
}

/** Returns a change with fixed writes, regardless of the stored records. */
export function writing(...writes: readonly RecordWrite[]): RecordChange<undefined> {
  return { reads: [], judge: () => ({ answer: undefined, writes }) }
}

/** Returns one change that makes several, all or none. None of them sees what the others write. */
export function together(...changes: readonly RecordChange<unknown>[]): RecordChange<undefined> {
  return {
    reads: changes.flatMap(({ reads }) => reads),
    judge: (found) => ({ answer: undefined, writes: changes.flatMap(({ judge }) => judge(found).writes) }),
  }
}

/** Returns the writes of changes that read nothing, or undefined if one of the changes must be judged first. */
export function blindWrites(changes: readonly RecordChange<unknown>[]): readonly RecordWrite[] | undefined {
  const writes: RecordWrite[] = []
  for (const { reads, judge } of changes) {
    const judged = reads.length === 0 ? judge(new FoundRecords([], [])) : undefined
    if (judged === undefined || judged.refuses === true) return undefined
    writes.push(...judged.writes)
  }
  return writes
}
