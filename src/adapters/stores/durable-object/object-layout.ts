import { StoreError } from '../../../core/domain/store-error.ts'
import type { Layout } from '../sqlite/schema.ts'
import { versionOf } from '../sqlite/migrate.ts'
import { objectError } from './object-errors.ts'
import type { ObjectStorage } from './object-storage.ts'

/** The layout is kept in a table, because an object's storage refuses `PRAGMA user_version`. */
const createMark = 'CREATE TABLE statewright_layout (version INTEGER PRIMARY KEY) STRICT'
const insertMark = 'INSERT INTO statewright_layout (version) VALUES (?)'
const updateMark = 'UPDATE statewright_layout SET version = ?'
const selectMark =
  "SELECT name FROM sqlite_schema WHERE type = 'table' AND name IN ('statewright_layout', 'runs', 'log')"
/** A lease of an earlier life of the only driver is over: its driver is gone with it. */
const endLeases = 'UPDATE runs SET lease_expires = 0 WHERE owner IS NOT NULL'

interface Opening {
  /** True to create the tables in an empty object. */
  readonly isWrite: boolean
  /** True if no other process drives the runs of the object. Default true. */
  readonly isOnlyDriver?: boolean
}

type Storage = Pick<ObjectStorage, 'sql' | 'transactionSync'>

/** Migrates the tables of an object, once after each time that it is loaded. Returns true if there are tables. */
export function openObject(storage: Storage, layout: Layout, { isWrite, isOnlyDriver = true }: Opening): boolean {
  try {
    return storage.transactionSync(() => {
      const found = layoutOf(storage, layout)
      if (found === 'none' && !isWrite) return false
      if (found === 'none') create(storage, layout)
      else migrateFrom(found, storage, layout)
      if (isOnlyDriver) storage.sql.exec(endLeases)
      return true
    })
  } catch (error) {
    throw error instanceof StoreError ? error : objectError(error)
  }
}

function layoutOf({ sql }: Storage, layout: Layout): number | 'none' {
  const names = sql
    .exec(selectMark)
    .toArray()
    .map(({ name }) => name)
  if (names.length === 0) return 'none'
  if (!names.includes('statewright_layout'))
    throw foreign('holds tables of another program', 'use another class or object')
  const [row] = sql.exec('SELECT version FROM statewright_layout').toArray()
  const version = Number(row?.['version'])
  if (version >= 1 && version <= versionOf(layout)) return version
  const known = `this version of statewright reads layout ${versionOf(layout)}`
  throw foreign(`has layout ${version}; ${known}`, 'deploy the version that wrote it, or a newer one')
}

function create({ sql }: Storage, layout: Layout): void {
  sql.exec(`${createMark}; ${layout.tables}`)
  sql.exec(insertMark, versionOf(layout))
}

function migrateFrom(version: number, { sql }: Storage, layout: Layout): void {
  if (version === versionOf(layout)) return
  for (const statement of layout.migrations.slice(version - 1).flat()) sql.exec(statement)
  sql.exec(updateMark, versionOf(layout))
}

function foreign(problem: string, wish: string): StoreError {
  return new StoreError('store_foreign', `The storage of this object ${problem}. Nothing was changed: ${wish}.`)
}
