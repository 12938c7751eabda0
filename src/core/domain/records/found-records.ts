import { StoreError } from '../store-error.ts'
import { isBoolean, isNumber, isShaped, isText } from '../text/shape.ts'
import type { RecordKind, RecordTable } from './record-kind.ts'
import type { RecordRead, RowsRead } from './record-read.ts'

/** A row as a store reads it. The row of a run has the run's id as its key. */
export interface FoundRow {
  /** Rising within a kind. */
  readonly number: number
  readonly key: string
  /** Rises by one with each put of the key. */
  readonly version: number
  /** Milliseconds since it was put, by the clock of the store. */
  readonly ageMs: number
  /** Undefined if its text is not JSON. */
  readonly body: unknown
  /** The raised number of the record; undefined if its kind has none. */
  readonly raised?: number | undefined
  /** The status of the run that the field `run` names. Undefined if the kind has no such field, or the run is gone. */
  readonly runStatus: string | undefined
}

/** A record whose body was checked. */
export interface StoredRecord<Body> extends FoundRow {
  readonly body: Body
}

/** Says how a run stands. */
export interface RecordRun {
  readonly status: string
  readonly fence: number
  /** True if somebody holds its lease. */
  readonly isHeld: boolean
}

const isRun = isShaped<RecordRun>({ status: isText, fence: isNumber, isHeld: isBoolean })

/** Holds what a store has read at one moment. */
export class FoundRecords {
  readonly #reads: readonly RecordRead[]
  readonly #rows: readonly (readonly FoundRow[])[]

  /** `rows[i]` are the rows that `reads[i]` found. */
  constructor(reads: readonly RecordRead[], rows: readonly (readonly FoundRow[])[]) {
    this.#reads = reads
    this.#rows = rows
  }

  /** Returns the record of a key. Throws `record_damaged` if it cannot be read and its kind is not lossy. */
  row<Body>(kind: RecordKind<Body>, key: string): StoredRecord<Body> | undefined {
    const [row] = this.#found((read) => 'key' in read && read.table.name === kind.name && read.key === key)
    if (row === undefined) return undefined
    if (isRecordOf(kind, row)) return row
    if (kind.isLossy === true) return undefined
    throw new StoreError(
      'record_damaged',
      `The ${kind.name} "${key}" is damaged: its stored body is not one. Nothing was changed: restore it from a copy.`,
    )
  }

  /** Returns true if the record of a key is there, damaged or not. */
  has({ name }: RecordTable, key: string): boolean {
    return this.#found((read) => 'key' in read && read.table.name === name && read.key === key).length > 0
  }

  /** Returns the records that a read has found. One that cannot be read is left out. */
  rows<Body>(kind: RecordKind<Body>, read: RowsRead): readonly StoredRecord<Body>[] {
    return this.raw(read).filter((row) => isRecordOf(kind, row))
  }

  /** Returns the rows that a read has found, whatever is in them. */
  raw(read: RowsRead): readonly FoundRow[] {
    return this.#found((one) => one === read)
  }

  /** Returns the read of the page behind the one that was found by all fields of its index; undefined if there can be none. */
  nextPage(read: RowsRead): RowsRead | undefined {
    const found = this.raw(read)
    const last = found.at(-1)
    return last === undefined || found.length < read.limit ? undefined : { ...read, behind: [last.number] }
  }

  /** Returns how a run stands; undefined if there is no such run. */
  run(id: string): RecordRun | undefined {
    const [row] = this.#found((read) => 'run' in read && read.run === id)
    return row !== undefined && isRun(row.body) ? row.body : undefined
  }

  #found(isMeant: (read: RecordRead) => boolean): readonly FoundRow[] {
    const place = this.#reads.findIndex(isMeant)
    const rows = this.#rows[place]
    if (rows === undefined) throw new TypeError('A rule asked for a record that it did not read. Name it in its reads.')
    return rows
  }
}

function isRecordOf<Body>({ isBody }: RecordKind<Body>, row: FoundRow): row is StoredRecord<Body> {
  return isBody(row.body)
}
