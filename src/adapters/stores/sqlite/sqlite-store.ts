import * as is from '../../../core/domain/text/option-shape.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import type { Store } from '../../../core/ports/store.ts'
import { openFile } from './open-files.ts'
import { sqlStore } from './sql-store.ts'

const maxPollMs = 250

/** Options for opening a store. */
export interface SqliteStoreOptions {
  /** `full` waits for the disk in every commit; with `normal` a power cut may lose the last ones, whole. */
  readonly synchronous?: 'full' | 'normal'
  /** The milliseconds between looks for rows of other processes, at most 250. */
  readonly pollMs?: number
  /** Overwrites deleted and replaced data with zeros (SQLite's `secure_delete`), at some cost. Default false. */
  readonly secureDelete?: boolean
  /** The clock for the expiry of leases, for tests. Default: the computer's. */
  readonly clock?: Pick<Clock, 'now'>
}

const shape: is.OptionShape<SqliteStoreOptions> = {
  synchronous: is.optional(is.oneOf('full', 'normal')),
  secureDelete: is.optional(is.flag),
  pollMs: is.optional(
    is.number(`more than 0 and at most ${maxPollMs} milliseconds`, (ms) => ms > 0 && ms <= maxPollMs),
  ),
  clock: is.optional(is.having('a clock', 'now')),
}

/** Opens or creates a store in a file, for several processes. Throws `store_foreign` or `store_unavailable`. */
export function sqliteStore(path: string, options: SqliteStoreOptions = {}): Store {
  is.filledText(path, { field: 'path', owner: 'sqliteStore' })
  is.checkOptions('sqliteStore', options, shape)
  const { synchronous = 'full', pollMs = 200, secureDelete = false, clock = Date } = options
  return sqlStore(openFile(path, { synchronous, pollMs, secureDelete }), clock)
}
