import { type BigIntStats, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { StoreError } from '../../../core/domain/store-error.ts'

/** Returns a function that throws if the store's file or its write-ahead log was deleted or replaced since. */
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
