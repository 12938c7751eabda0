/** A memory to insert into a table. */
export interface NewRow {
  readonly owner: string
  readonly kind: string
  readonly key: string
  readonly json: string
  readonly text: string
  readonly at: number
  readonly session: string | null
}

/** A memory found in a table. */
export interface StoredRow {
  readonly number: number
  readonly kind: string
  readonly key: string
  readonly json: string
  readonly at: number
  readonly session: string | null
}

/** The vectors of some memories, by row number. */
export type RowVectors = readonly (readonly [number: number, vector: Float32Array])[]

/** The tables of a memory. Each method is one transaction, or has parts that leave nothing half done. */
export interface MemoryRows {
  /** Returns rows that have one of the words, or that follow a row with one in their session: the best first. */
  search(owner: string, words: readonly string[], most: number): Promise<readonly StoredRow[]>
  rows(owner: string, numbers: readonly number[]): Promise<readonly StoredRow[]>
  /** Stores a row, replaces one with the same key, removes the oldest beyond `maxRows`, and returns its number. */
  add(row: NewRow, maxRows: number): Promise<number>
  /** Stores the vector of a row, if the row is still there. */
  addVector(number: number, vector: Float32Array): Promise<void>
  vectors(owner: string): AsyncIterable<RowVectors>
  forget(owner: string): Promise<number>
}

/** Returns a memory from a row of a table. */
export function storedRow({ number, kind, data, key, at, session }: Readonly<Record<string, unknown>>): StoredRow {
  return {
    number: Number(number),
    kind: String(kind),
    key: String(key),
    json: String(data),
    at: Number(at),
    session: typeof session === 'string' ? session : null,
  }
}
