import { existsSync } from 'node:fs'
import type { DatabaseSync as Database } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { StoreError } from '../../../core/domain/store-error.ts'
import { storeFileId, unreleasedFileId } from '../../../core/domain/store-file.ts'
import { isUnwritable, toStoreError } from './errors.ts'
import { DatabaseSync, makeFile } from './module.ts'
import { migrate, versionOf } from './migrate.ts'
import { type Layout, layout as today, pageSize } from './schema.ts'

const busyTimeoutMs = 5000

/** Pages kept in memory, in KiB: beyond them, each look through a long run reads all of its pages again. */
const cacheKiB = 8000

/** After opening, a lock blocks this process at most this long at a time; the caller tries again. */
const heldUpMs = 100

interface FileOptions {
  readonly synchronous: 'full' | 'normal'
  readonly secureDelete?: boolean
  /** Default: the current layout. */
  readonly layout?: Layout
}

/** Opens a store's file, creates it, or opens it read-only if it is not writable. Throws for other files. */
export function openDatabase(
  path: string,
  { synchronous, secureDelete = false, layout = today }: FileOptions,
): Database {
  try {
    makeFile(path)
    return openToWrite(path, { synchronous, secureDelete, layout })
  } catch (error) {
    const database = isUnwritable(error) ? openToRead(path, layout) : undefined
    if (database === undefined) throw toStoreError(error, path)
    return database
  }
}

/** Opens a file that is not writable. If it has no write-ahead log, SQLite has to be told that nothing is missing. */
function openToRead(path: string, layout: Layout): Database | undefined {
  if (!existsSync(path)) return undefined
  const address = pathToFileURL(path)
  if (!existsSync(`${path}-wal`)) address.searchParams.set('immutable', '1')
  let opened: Database | undefined
  try {
    opened = new DatabaseSync(address, { readOnly: true })
    opened.exec(`PRAGMA busy_timeout = ${heldUpMs}`)
    if (layoutOf(opened, path, layout) === versionOf(layout)) return opened
    opened.close()
  } catch (error) {
    opened?.close()
    if (error instanceof StoreError) throw error
  }
  return undefined
}

function openToWrite(path: string, { synchronous, secureDelete, layout }: Required<FileOptions>): Database {
  let opened: Database | undefined
  try {
    const database = new DatabaseSync(path)
    opened = database
    database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
    database.exec('PRAGMA trusted_schema = OFF')
    if (layoutOf(database, path, layout) === 'none') createTables(database, path, layout)
    useWriteAheadLog(database)
    database.exec(`PRAGMA synchronous = ${synchronous}`)
    if (secureDelete) database.exec('PRAGMA secure_delete = ON')
    database.exec(`PRAGMA cache_size = -${cacheKiB}`)
    database.exec(`PRAGMA wal_autocheckpoint = ${(4 * 1024 * 1024) / pageSize}`)
    migrate(database, layout, () => layoutOf(database, path, layout))
    database.exec(`PRAGMA busy_timeout = ${heldUpMs}`)
    return database
  } catch (error) {
    opened?.close()
    throw error
  }
}

const selectLayout = `
  SELECT application_id AS id, user_version AS version, (SELECT count(*) FROM sqlite_schema) AS tables
  FROM pragma_application_id, pragma_user_version`

/** Returns the layout of a file, or `none` for an empty one; in one statement, because another process may write. */
function layoutOf(database: Database, path: string, layout: Layout): number | 'none' {
  const { id, version, tables } = database.prepare(selectLayout).get() ?? {}
  if (id === storeFileId && typeof version === 'number' && version !== 0) {
    if (version >= 1 && version <= versionOf(layout)) return version
    throw foreign(
      `The store "${path}" has layout ${version}; this version of statewright reads layout ${versionOf(layout)}`,
      'use the version that wrote it, or another path',
    )
  }
  if ((id === 0 || id === storeFileId) && version === 0 && tables === 0) return 'none'
  if (id === unreleasedFileId)
    throw foreign(
      `The store "${path}" comes from a version of statewright that was never released`,
      'choose another path',
    )
  throw foreign(`"${path}" is a SQLite database of another program`, 'choose another path')
}

function foreign(problem: string, wish: string): StoreError {
  return new StoreError('store_foreign', `${problem}. Nothing was changed: ${wish}.`)
}

/** Several processes may open a new file at once, and this switch is refused at once rather than after the time-out. */
function useWriteAheadLog(database: Database): void {
  const giveUpAt = performance.now() + busyTimeoutMs
  for (;;) {
    try {
      return database.exec('PRAGMA journal_mode = WAL')
    } catch (error) {
      const isLocked = error instanceof Error && /locked/.test(error.message)
      if (!isLocked || performance.now() > giveUpAt) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
    }
  }
}

/** Creates a store in an empty file, before it has a write-ahead log, so that the header identifies the store. */
function createTables(database: Database, path: string, layout: Layout): void {
  // SQLite ignores the page size if the file has pages already.
  database.exec(`PRAGMA page_size = ${pageSize}`)
  database.exec('BEGIN IMMEDIATE')
  if (layoutOf(database, path, layout) === 'none') {
    const marks = [`PRAGMA application_id = ${storeFileId}`, `PRAGMA user_version = ${versionOf(layout)}`]
    database.exec([...marks, layout.tables].join(';'))
  }
  database.exec('COMMIT')
}
