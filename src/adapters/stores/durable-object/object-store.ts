import type { Clock } from '../../../core/ports/clock.ts'
import type { Store } from '../../../core/ports/store.ts'
import { createWatchers } from '../../../core/stores/rows/watchers.ts'
import { RunHeads } from '../sqlite/heads.ts'
import { layout as today } from '../sqlite/schema.ts'
import { sqlStore } from '../sqlite/sql-store.ts'
import { createWriteQueue } from '../sqlite/write-queue.ts'
import { openObject } from './object-layout.ts'
import { createObjectSession } from './object-session.ts'
import type { ObjectStorage } from './object-storage.ts'

interface ObjectStoreOptions {
  /** Called in every transaction that may write, before its first statement. */
  readonly onWrite?: () => void
  /** The clock for the expiry of leases. Default: the computer's. */
  readonly clock?: Pick<Clock, 'now'>
}

/** Returns the store of a Durable Object, in the SQLite of its storage. Creates nothing before the first write. */
export function objectStore(storage: ObjectStorage, options: ObjectStoreOptions = {}): Store {
  const { onWrite = () => {}, clock = Date } = options
  const session = createObjectSession(storage, {
    open: (isWrite) => openObject(storage, today, { isWrite }),
    onWrite,
  })
  const heads = new RunHeads(session)
  const watchers = createWatchers()
  const leave = () => {
    watchers.clear()
    session.close()
  }
  const database = { session, heads, queue: createWriteQueue(session, heads), watchers, checkPlace: () => {}, leave }
  return sqlStore(database, clock)
}
