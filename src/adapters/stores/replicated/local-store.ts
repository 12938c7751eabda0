import type { Clock } from '../../../core/ports/clock.ts'
import type { Store } from '../../../core/ports/store.ts'
import type { Watchers } from '../../../core/stores/rows/watchers.ts'
import { openObject } from '../durable-object/object-layout.ts'
import { createObjectSession } from '../durable-object/object-session.ts'
import { RunHeads } from '../sqlite/heads.ts'
import { layout } from '../sqlite/schema.ts'
import { sqlStore } from '../sqlite/sql-store.ts'
import { createWriteQueue } from '../sqlite/write-queue.ts'
import type { Replica } from './replica.ts'

/** A store in a replica, whose writes are not yet in the journal. */
export interface LocalStore {
  readonly store: Store
  /** Called after others have changed rows. */
  forget(): void
}

/** Opens the store of a replica. Every driver has its own replica, so that leases outlive an opened store. */
export function localStore(replica: Replica, clock: Pick<Clock, 'now'>, watchers: Watchers): LocalStore {
  const session = createObjectSession(replica.storage, {
    open: (isWrite) => openObject(replica.storage, layout, { isWrite, isOnlyDriver: false }),
    onWrite: () => {},
  })
  const heads = new RunHeads(session)
  const queue = createWriteQueue(session, heads)
  const database = { session, heads, queue, watchers, checkPlace: () => {}, leave: () => session.close() }
  return { store: sqlStore(database, clock), forget: () => heads.forgetAll() }
}
