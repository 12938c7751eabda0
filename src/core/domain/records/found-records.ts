import { StoreError } from '../store-error.ts'
import { isBoolean, isNumber, isShaped, isText } from '../text/shape.ts'
import type { RecordKind, RecordTable } from './record-kind.ts'
import type { RecordRead, RowsRead } from './record-read.ts'

/** A row as a store reads it. The key of a run's row is the run's id. */
export interface FoundRow {
  /** The number of the row, rising within a kind. */
  readonly number: number
  readonly key: string
  /** The number of writes of the key. */
  readonly version: number
  /** Milliseconds since the last write, by the store's clock. */
  readonly ageMs: number
  /** Undefined if its text is not JSON. */
  readonly body: unknown
  /** The raised number of the record; undefined if its kind has none. */
  readonly raised?: number | undefined
  /** The status of the run in the field `run`. Undefined if the kind has no such field, or if the run is deleted. */
  readonly runStatus: string | undefined
}

/** A record with a checked body. */
export interface StoredRecord<Body> extends FoundRow {
  readonly body: Body
}

/** The state of a run. */
export interface RecordRun {
  readonly status: string
  readonly fence: number
  /** True if a process holds its lease. */
  readonly isHeld: boolean
}

const isRun = isShaped<RecordRun>({ status: isText, fence: isNumber, isHeld: isBoolean })

/** The rows that a store has read at one moment. */
export class FoundRecords {
  readonly #reads: readonly RecordRead[]
  readonly #rows: readonly (readonly FoundRow[])[]

  /** `rows[i]` are the rows of `reads[i]`. */
  constructor(reads: readonly RecordRead[], rows: readonly (readonly FoundRow[])[]) {
    this.#reads = reads
    this.#rows = rows
  }

  /** Returns the record of a key. Throws `record_damaged` if it is unreadable and its kind is not lossy. */
  row<Body>(kind: RecordKind<Body>, key: string): StoredRecord<Body> | undefined {
    const [row] = this.#found((read) => 'key' in read && read.table.name === kind.name && read.key === key)
    if (row === undefined) return undefined
    if (isRecordOf(kind, row)) return row
    if (kind.isLossy === true) return undefined
    throw damageOf(kind, key)
  }

  /** Returns true if the record of a key exists, damaged or not. */
  has({ name }: RecordTable, key: string): boolean {
    return this.#found((read) => 'key' in read && read.table.name === name && read.key === key).length > 0
  }

  /** Returns the records of a read, without unreadable ones. */
  rows<Body>(kind: RecordKind<Body>, read: RowsRead): readonly StoredRecord<Body>[] {
    return this.raw(read).filter((row) => isRecordOf(kind, row))
  }

  /** Returns the unchecked rows of a read. */
  raw(read: RowsRead): readonly FoundRow[] {
    return this.#found((one) => one === read)
  }

  /** Returns the read of the next page for a read by all fields of its index, or undefined if there is none. */
  nextPage(read: RowsRead): RowsRead | undefined {
    const found = this.raw(read)
    const last = found.at(-1)
    return last === undefined || found.length < read.limit ? undefined : { ...read, behind: [last.number] }
  }

  /** Returns the state of a run, or undefined if the run does not exist. */
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

/** Returns the error for a record that cannot be read. */
export function damageOf({ name }: RecordTable, key: string): StoreError {
  return new StoreError(
    'record_damaged',
    `The ${name} "${key}" is damaged: its stored body is invalid. Nothing was changed: restore it from a copy.`,
  )
}

function isRecordOf<Body>({ isBody }: RecordKind<Body>, row: FoundRow): row is StoredRecord<Body> {
  return isBody(row.body)
}
