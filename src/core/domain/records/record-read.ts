import type { RecordTable } from './record-kind.ts'

/** A read of the record of a key. */
export interface RowRead {
  readonly table: RecordTable
  readonly key: string
}

/** A read of the records with these values in the first fields of an index. */
export interface RowsRead {
  readonly table: RecordTable
  /** Absent: all records; for a kind with a `maxAgeMs` the young enough ones, the most recently written first. */
  readonly index?: string
  /**
   * The values of the first fields. The remaining fields of the index determine the order, highest first, followed by
   * the records' numbers.
   */
  readonly values: readonly (string | number)[]
  /** True to reverse the order to lowest first. */
  readonly isRising?: boolean
  /** Only records whose next field of the index is at most this. */
  readonly upTo?: number
  /** Only records after this position, for the next page: the remaining fields and the number of the last record. */
  readonly behind?: readonly number[]
  /** Only records without a lower-numbered record that has the same values in this index. */
  readonly firstOf?: string
  readonly limit: number
}

/** A read of a run's state. */
export interface RunRead {
  readonly run: string
}

/** One of the reads that a store performs at one moment. */
export type RecordRead = RowRead | RowsRead | RunRead

/** Returns the read of a key's record. */
export function rowOf(table: RecordTable, key: string): RowRead {
  return { table, key }
}

/** Returns the read of a run's state. The read takes no lock, so that the driver of the run may commit meanwhile. */
export function runOf(run: string): RunRead {
  return { run }
}

/** Returns the read of records by an index's first fields. Throws a TypeError for a read that no index can answer. */
export function rowsOf(table: RecordTable, how: Omit<RowsRead, 'table'>): RowsRead {
  const { index, values, behind, upTo, firstOf } = how
  const refuse = (problem: string) => new TypeError(`Records of kind "${table.name}" cannot be read so: ${problem}.`)
  const on = index === undefined ? [] : table.indexes[index]
  if (on === undefined || (firstOf !== undefined && table.indexes[firstOf] === undefined))
    throw refuse(`it declares no index "${on === undefined ? index : firstOf}"`)
  if (values.length > on.length)
    throw refuse(
      index === undefined
        ? 'values need the index that has them'
        : `index "${index}" takes ${on.length} values, got ${values.length}`,
    )
  if (upTo !== undefined && values.length === on.length) throw refuse('no field is left for its bound')
  if (behind === undefined) return { table, ...how }
  if (index === undefined && table.maxAgeMs !== undefined) throw refuse('what is sorted by its age has no pages')
  const left = on.length - values.length
  if (behind.length !== left + 1) throw refuse(`a place in its order is ${left + 1} numbers, got ${behind.length}`)
  return { table, ...how }
}

/** Returns the fields of a read with their values. */
export function foundBy({ table, index, values }: RowsRead): readonly (readonly [string, string | number])[] {
  const on = index === undefined ? [] : (table.indexes[index] ?? [])
  return values.flatMap((value, place) => {
    const field = on[place]
    return field === undefined ? [] : [[field, value] as const]
  })
}

/** Returns the fields by which a read sorts its records before it sorts them by number. */
export function sortedBy({ table, index, values }: RowsRead): readonly string[] {
  return index === undefined ? [] : (table.indexes[index] ?? []).slice(values.length)
}
