import { FoundRecords } from './found-records.ts'
import type { RecordKind, RecordPut, RecordTable } from './record-kind.ts'
import type { RecordRead } from './record-read.ts'

/** Puts a record under its key, raises a number of it, or drops it. */
export interface RecordWrite {
  readonly table: RecordTable
  readonly key: string
  readonly put?: RecordPut
  /** What the raised number of the record becomes, if it is lower. Neither this nor `put`: the record is dropped. */
  readonly raise?: number
}

/** What a rule makes of the records that it read. */
export interface Judgement<Answer> {
  readonly answer: Answer
  readonly writes: readonly RecordWrite[]
  /** True if a commit that asks for the change must not be made. */
  readonly refuses?: boolean
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
  const wakes = kind.wakes?.(body) === true ? { wakes: true } : {}
  return { table: kind, key, put: { body, fields: kind.fieldsOf(body), ...wakes } }
}

/** Raises the raised number of the record of a key, if there is one that is lower. */
export function raise(table: RecordTable, key: string, to: number): RecordWrite {
  return { table, key, raise: to }
}

/** Removes the record of a key, if there is one. */
export function drop(table: RecordTable, key: string): RecordWrite {
  return { table, key }
}

/** Returns the change that makes writes whatever is stored. */
export function writing(...writes: readonly RecordWrite[]): RecordChange<undefined> {
  return { reads: [], judge: () => ({ answer: undefined, writes }) }
}

/** Returns the writes of changes that read nothing, or undefined if one of them has to be judged first. */
export function blindWrites(changes: readonly RecordChange<unknown>[]): readonly RecordWrite[] | undefined {
  const writes: RecordWrite[] = []
  for (const { reads, judge } of changes) {
    const judged = reads.length === 0 ? judge(new FoundRecords([], [])) : undefined
    if (judged === undefined || judged.refuses === true) return undefined
    writes.push(...judged.writes)
  }
  return writes
}
