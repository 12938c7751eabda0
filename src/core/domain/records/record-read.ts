import type { RecordTable } from './record-kind.ts'

/** Asks for the record of a key. */
export interface RowRead {
  readonly table: RecordTable
  readonly key: string
}

/** Asks for the records that have these values in the fields of an index, the newest first. */
export interface RowsRead {
  readonly table: RecordTable
  /** Absent: all records of the kind; of one with a `maxAgeMs` those that are not too old, the last put first. */
  readonly index?: string
  readonly values: readonly (string | number)[]
  /** Gives only records with a lower number, for the next page. */
  readonly before?: number
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

/** Reads the records of one value for each field of an index. Throws a TypeError for an index that is not declared. */
export function rowsOf(table: RecordTable, how: Omit<RowsRead, 'table'>): RowsRead {
  const { index, values, before } = how
  const refuse = (problem: string) => new TypeError(`Records of kind "${table.name}" cannot be read so: ${problem}.`)
  if (index === undefined) {
    if (values.length > 0) throw refuse('values need the index that has them')
    if (before !== undefined && table.maxAgeMs !== undefined) throw refuse('what is sorted by its age has no pages')
    return { table, ...how }
  }
  const on = table.indexes[index]
  if (on === undefined) throw refuse(`it declares no index "${index}"`)
  if (on.length !== values.length) throw refuse(`index "${index}" takes ${on.length} values, got ${values.length}`)
  return { table, ...how }
}

/** Returns the fields by which a read finds its records, with their values. */
export function foundBy({ table, index, values }: RowsRead): readonly (readonly [string, string | number])[] {
  const on = index === undefined ? [] : (table.indexes[index] ?? [])
  return on.flatMap((field, place) => {
    const value = values[place]
    return value === undefined ? [] : [[field, value] as const]
  })
}
