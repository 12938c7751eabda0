import type { RecordTable } from './record-kind.ts'

/** Asks for the record of a key. */
export interface RowRead {
  readonly table: RecordTable
  readonly key: string
}

/** Asks for the records that have these values in the first fields of an index. */
export interface RowsRead {
  readonly table: RecordTable
  /** Absent: all records of the kind; of one with a `maxAgeMs` those that are not too old, the last put first. */
  readonly index?: string
  /** The fields of the index that are left say the order, the highest first, and then the numbers. */
  readonly values: readonly (string | number)[]
  /** True if the lowest comes first. */
  readonly isRising?: boolean
  /** Gives only records whose next field of the index is at most this. */
  readonly upTo?: number
  /** Gives only records behind this place, for the next page: the fields that are left, and the number, of the last one. */
  readonly behind?: readonly number[]
  /** Gives only records of which none with a lower number has the same values in this index. */
  readonly firstOf?: string
  readonly limit: number
}

/** Asks how a run stands. */
export interface RunRead {
  readonly run: string
}

/** Asks for something that a store knows at one moment. */
export type RecordRead = RowRead | RowsRead | RunRead

/** Reads the record of a key. */
export function rowOf(table: RecordTable, key: string): RowRead {
  return { table, key }
}

/** Reads how a run stands. The read locks nothing, so that the driver of the run may commit meanwhile. */
export function runOf(run: string): RunRead {
  return { run }
}

/** Reads the records of values of the first fields of an index. Throws a TypeError for a read that no index can answer. */
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

/** Returns the fields by which a read finds its records, with their values. */
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
