import { statSync, type BigIntStats } from 'node:fs'
import { resolve } from 'node:path'
import { RunHeads } from './heads.ts'
import { openDatabase } from './open.ts'
import { createSession } from './session.ts'
import type { OpenDatabase } from './sql-store.ts'
import { createPollingWatchers } from './watch.ts'
import { createWriteQueue } from './write-queue.ts'
import { StoreError } from '../../../core/domain/store-error.ts'

interface OpenOptions {
  readonly synchronous: 'full' | 'normal'
  readonly pollMs: number
  readonly secureDelete: boolean
}

interface SharedFile extends Omit<OpenDatabase, 'leave'> {
  users: number
}

const openFiles = new Map<string, SharedFile>()

/** Returns the open file at a path for one more store of this process. */
export function openFile(path: string, options: OpenOptions): OpenDatabase {
  const known = openFiles.get(keyOf(path, options) ?? '')
  const file = known ?? connect(path, options)
  const key = keyOf(path, options)
  if (known === undefined && key !== undefined) openFiles.set(key, file)
  file.users++
  return { ...file, leave: () => leave(file) }
}

function connect(path: string, { synchronous, pollMs, secureDelete }: OpenOptions): SharedFile {
  const session = createSession(openDatabase(path, { synchronous, secureDelete }), path)
  const heads = new RunHeads(session)
  return {
    session,
    heads,
    queue: createWriteQueue(session, heads),
    watchers: createPollingWatchers(session, pollMs),
    checkPlace: watchPlace(path),
    users: 0,
  }
}

/** The key of a shared file; undefined for a database in memory. A file that replaces an open one has another key. */
function keyOf(path: string, { synchronous, pollMs, secureDelete }: OpenOptions): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true })
  return found && [found.dev, found.ino, synchronous, pollMs, secureDelete, resolve(path)].join(' ')
}

function leave(file: SharedFile): void {
  if (--file.users > 0) return
  for (const [key, other] of openFiles) if (other === file) openFiles.delete(key)
  file.watchers.clear()
  file.session.close()
}

/** Returns a function that throws if the store's file or its write-ahead log was deleted or replaced since. */
function watchPlace(path: string): () => void {
  const file = resolve(path)
  const opened = [file, `${file}-wal`].map((name) => ({ name, identity: identityOf(name) }))
  if (opened[0]?.identity === undefined) return () => {}
  return () => {
    for (const { name, identity } of opened) {
      if (identity === undefined || identityOf(name) === identity) continue
      throw new StoreError(
        'store_replaced',
        `The store's file "${name}" was deleted or replaced while it was open: new data goes into a file that nobody reads. ` +
          'Put the old file back, or open the store again and see which runs are in it.',
      )
    }
  }
}

function identityOf(path: string): string | undefined {
  const found: BigIntStats | undefined = statSync(path, { throwIfNoEntry: false, bigint: true })
  return found && `${found.dev} ${found.ino}`
}
