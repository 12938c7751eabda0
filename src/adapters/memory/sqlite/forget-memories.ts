import type { DatabaseSync as Database } from 'node:sqlite'
import { nextLoopTurn } from '../../../core/domain/text/platform.ts'
import { MemoryError } from '../memory-error.ts'
import { inTransaction } from './in-transaction.ts'
import { prepared } from './prepared.ts'

const rowsATurn = 20

/** Removes the memories of an owner in parts, overwrites them on disk, and returns their number. */
export async function forget(database: Database, owner: string): Promise<number> {
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
  const wish = 'What was forgotten stays in the log beside the file until then. Call forget again.'
  throw new MemoryError('memory_failed', `Another process reads the memory just now. ${wish}`)
}

/** Removes one memory, with its words. */
export function remove(database: Database, owner: string, row: number): void {
  prepared(database, 'DELETE FROM memory_text WHERE rowid = ?').run(row)
  prepared(database, 'DELETE FROM memory_vectors WHERE owner = ? AND number = ?').run(owner, row)
  prepared(database, 'DELETE FROM memories WHERE number = ?').run(row)
  prepared(database, 'UPDATE owners SET count = count - 1 WHERE owner = ?').run(owner)
}
