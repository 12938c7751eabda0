import type { DatabaseSync as Database, StatementSync } from 'node:sqlite'
import { nextLoopTurn } from '../../../core/domain/text/platform.ts'
import { type MemoryRows, type NewRow, type RowVectors, storedRow } from '../memory-rows.ts'
import { contextWeight } from '../memory-words.ts'
import { inTransaction } from './in-transaction.ts'
import { indexRow, rowAfter } from './index-row.ts'
import { prepared } from './prepared.ts'
import { MemoryError } from '../memory-error.ts'

/** The maximum rows that one addition removes after the room was reduced; later additions remove the rest. */
const mostRemoved = 100

/** The number of vectors that are read per turn of the event loop. */
const vectorsATurn = 200

const columns = 'memories.number, kind, data, key, at, session'

/** Returns the best rows by words alone, whose data is read later; the latest of equal rows comes first. */
const search = `
  WITH best AS MATERIALIZED (
    SELECT rowid AS number, bm25(memory_text, 0.0, 1.0, ${contextWeight}) AS score FROM memory_text
    WHERE memory_text MATCH ? ORDER BY score, rowid DESC LIMIT ?)
  SELECT ${columns} FROM best JOIN memories USING (number) ORDER BY score, at DESC, memories.number DESC`

const counted = `
  INSERT INTO owners (owner, count) VALUES (?, 1) ON CONFLICT (owner) DO UPDATE SET count = count + 1 RETURNING count`

/** Returns the tables of a memory in a SQLite file. */
export function sqliteRows(database: Database): MemoryRows {
  const sql = (text: string): StatementSync => prepared(database, text)

  function added({ owner, kind, key, json, at, session }: NewRow, maxRows: number): number {
    const old = sql('SELECT number FROM memories WHERE owner = ? AND key = ?').get(owner, key)
    if (old !== undefined) removeOne(owner, Number(old['number']))
    const insert = 'INSERT INTO memories (owner, kind, data, key, at, session) VALUES (?, ?, ?, ?, ?, ?)'
    const row = Number(sql(insert).run(owner, kind, json, key, at, session).lastInsertRowid)
    const count = Number(sql(counted).get(owner)?.['count'])
    indexRow(database, row)
    const after = session === null ? undefined : rowAfter(database, row)
    if (after !== undefined) indexRow(database, after)
    const oldest = sql('SELECT number FROM memories WHERE owner = ? ORDER BY at, number LIMIT ?')
    const many = Math.max(0, Math.min(count - maxRows, mostRemoved))
    for (const { number } of oldest.all(owner, many)) removeOne(owner, Number(number))
    return row
  }

  /** The next row of its session is no longer found by its words. */
  function removeOne(owner: string, row: number): void {
    const after = rowAfter(database, row)
    remove(database, owner, row)
    if (after !== undefined) indexRow(database, after)
  }

  async function* vectors(owner: string): AsyncGenerator<RowVectors> {
    const read = `SELECT number, vector FROM memory_vectors WHERE owner = ? AND number > ? ORDER BY number LIMIT ?`
    for (let last = 0; ;) {
      const part = sql(read)
        .all(owner, last, vectorsATurn)
        .map(({ number, vector }) => [Number(number), floatsIn(vector)] as const)
      yield part
      if (part.length < vectorsATurn) return
      last = part.at(-1)?.[0] ?? last
      await nextLoopTurn()
    }
  }

  return {
    search: async (owner, words, most) => {
      const wanted = words.map((word) => `"${word}"`).join(' OR ')
      return sql(search).all(`owner : "${owner}" AND {text context} : (${wanted})`, most).map(storedRow)
    },
    rows: async (owner, numbers) => {
      const read = `SELECT ${columns} FROM memories WHERE owner = ? AND number IN (SELECT value FROM json_each(?))`
      return sql(read).all(owner, JSON.stringify(numbers)).map(storedRow)
    },
    add: async (row, maxRows) => inTransaction(database, () => added(row, maxRows)),
    addVector: async (row, vector) => {
      const insert = `INSERT OR REPLACE INTO memory_vectors (owner, number, vector)
        SELECT owner, number, ? FROM memories WHERE number = ?`
      sql(insert).run(new Uint8Array(vector.buffer), row)
    },
    vectors,
    forget: (owner) => forget(database, owner),
  }
}

function floatsIn(bytes: unknown): Float32Array {
  return bytes instanceof Uint8Array ? new Float32Array(Uint8Array.from(bytes).buffer) : new Float32Array()
}

const rowsATurn = 20

/** Removes the memories of an owner in parts, overwrites them on disk, and returns their number. */
async function forget(database: Database, owner: string): Promise<number> {
  const last = Number(database.prepare('SELECT max(number) AS last FROM memories WHERE owner = ?').get(owner)?.['last'])
  const numbers = database.prepare('SELECT number FROM memories WHERE owner = ? AND number <= ? LIMIT ?')
  let count = 0
  for (;;) {
    const removed = inTransaction(database, () => {
      const rows = numbers.all(owner, last, rowsATurn).map(({ number }) => Number(number))
      for (const row of rows) remove(database, owner, row)
      return rows.length
    })
    if (removed === 0) break
    count += removed
    await nextLoopTurn()
  }
  database.prepare('DELETE FROM owners WHERE owner = ? AND count = 0').run(owner)
  const checkpoint = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()
  if (checkpoint?.['busy'] === 0) return count
  const wish = 'Forgotten data stays in the log beside the file until then. Call forget again.'
  throw new MemoryError('memory_failed', `Another process reads the memory just now. ${wish}`)
}

function remove(database: Database, owner: string, row: number): void {
  prepared(database, 'DELETE FROM memory_text WHERE rowid = ?').run(row)
  prepared(database, 'DELETE FROM memory_vectors WHERE owner = ? AND number = ?').run(owner, row)
  prepared(database, 'DELETE FROM memories WHERE number = ?').run(row)
  prepared(database, 'UPDATE owners SET count = count - 1 WHERE owner = ?').run(owner)
}
