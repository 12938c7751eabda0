import type { DatabaseSync as Database } from 'node:sqlite'
import { nextLoopTurn } from '../../../core/domain/text/platform.ts'
import { MemoryError } from '../memory-error.ts'
import { inTransaction } from './in-transaction.ts'

/** Rows that are removed before others get a turn of the event loop. */
const rowsATurn = 20

/** Pages of the index that are merged before others get one. */
const pagesATurn = 64

/**
 * Removes what is kept of an owner, in parts between which others get a turn; resolves to the count of memories. What is
 * added meanwhile stays. The pages that held the words are overwritten, and the log beside the file is emptied.
 */
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
  await mergeIndex(database)
  const checkpoint = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()
  if (checkpoint?.['busy'] === 0) return count
  const wish = 'What was forgotten stays in the log beside the file until then. Call forget again.'
  throw new MemoryError('memory_failed', `Another process reads the memory just now. ${wish}`)
}

/** Removes one memory, with its words. */
export function remove(database: Database, owner: string, row: number): void {
  database.prepare('DELETE FROM memory_text WHERE rowid = ?').run(row)
  database.prepare('DELETE FROM memory_vectors WHERE owner = ? AND number = ?').run(owner, row)
  database.prepare('DELETE FROM memories WHERE number = ?').run(row)
  database.prepare('UPDATE owners SET count = count - 1 WHERE owner = ?').run(owner)
}

/** Does in parts what the command `optimize` of the full-text index does at once; a part that changes nothing is the last. */
async function mergeIndex(database: Database): Promise<void> {
  const changes = database.prepare('SELECT total_changes() AS count')
  const merge = database.prepare(`INSERT INTO memory_text (memory_text, rank) VALUES ('merge', ?)`)
  merge.run(-pagesATurn)
  for (;;) {
    const before = Number(changes.get()?.['count'])
    merge.run(pagesATurn)
    if (Number(changes.get()?.['count']) - before < 2) return
    await nextLoopTurn()
  }
}
