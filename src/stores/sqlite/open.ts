import type { DatabaseSync as Database } from 'node:sqlite'
import { StoreError } from '../../domain/store-error.ts'
import { toStoreError } from './errors.ts'
import { DatabaseSync } from './module.ts'
import { applicationId, pageSize, schema, schemaVersion } from './schema.ts'

const busyTimeoutMs = 5000

/** Opens a store's file, or makes a new one; throws a `StoreError` for a file that is none. */
export function openDatabase(path: string, synchronous: 'full' | 'normal'): Database {
  let database: Database | undefined
  try {
    database = new DatabaseSync(path)
    database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
    database.exec('PRAGMA trusted_schema = OFF')
    const isNew = inspect(database, path) === 'new'
    // Only a file without pages takes these; on any other they change nothing.
    if (isNew) database.exec(`PRAGMA page_size = ${pageSize}`)
    useWriteAheadLog(database)
    database.exec(`PRAGMA synchronous = ${synchronous}`)
    database.exec(`PRAGMA wal_autocheckpoint = ${(4 * 1024 * 1024) / pageSize}`)
    if (isNew) createTables(database, path)
    return database
  } catch (error) {
    database?.close()
    throw toStoreError(error, path)
  }
}

function inspect(database: Database, path: string): 'new' | 'ours' {
  const id = pragma(database, 'application_id')
  const version = pragma(database, 'user_version')
  if (id === applicationId && version === schemaVersion) return 'ours'
  if (id === applicationId) {
    throw new StoreError(
      'store_foreign',
      `The store "${path}" has layout ${String(version)}; this version of statewright reads layout ${schemaVersion}. ` +
        'Nothing was changed: use the version that wrote it, or another path.',
    )
  }
  const tables = database.prepare('SELECT count(*) AS count FROM sqlite_schema').get()
  if (id === 0 && version === 0 && tables?.['count'] === 0) return 'new'
  throw new StoreError(
    'store_foreign',
    `"${path}" is a SQLite database of another program. Nothing was changed: choose another path.`,
  )
}

function pragma(database: Database, name: 'application_id' | 'user_version'): unknown {
  return database.prepare(`PRAGMA ${name}`).get()?.[name]
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

function createTables(database: Database, path: string): void {
  database.exec('BEGIN IMMEDIATE')
  try {
    if (inspect(database, path) === 'new') database.exec(schema)
    database.exec('COMMIT')
  } catch (error) {
    database.exec('ROLLBACK')
    throw error
  }
}
