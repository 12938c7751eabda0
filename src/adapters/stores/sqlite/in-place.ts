import { type BigIntStats, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { StoreError } from '../../../core/domain/store-error.ts'

/**
 * A function that throws where a store's file, or its write-ahead log, is no longer the one that was open when this was
 * called: SQLite goes on writing to a file that was deleted or replaced, and nobody else reads it. A database that is
 * no file is always in place.
 */
export function watchPlace(path: string): () => void {
  const file = resolve(path)
  const opened = [file, `${file}-wal`].map((name) => ({ name, identity: identityOf(name) }))
  if (opened[0]?.identity === undefined) return () => {}
  return () => {
    for (const { name, identity } of opened) {
      if (identity === undefined || identityOf(name) === identity) continue
      throw new StoreError(
        'store_replaced',
        `The store's file "${name}" was deleted or replaced while it was open: what is written now is in no file anybody reads. ` +
          'Put the old file back, or open the store again and see which runs are in it.',
      )
    }
  }
}

function identityOf(path: string): string | undefined {
  const found: BigIntStats | undefined = statSync(path, { throwIfNoEntry: false, bigint: true })
  return found && `${found.dev} ${found.ino}`
}
