import type { DatabaseSync } from 'node:sqlite'
import type { Layout } from './schema.ts'

/** Returns the number of a layout. */
export function versionOf({ migrations }: Layout): number {
  return migrations.length + 1
}

/** Migrates a file to the layout, or leaves it unchanged. `found` reads the file's layout, and again under the lock. */
export function migrate(database: DatabaseSync, layout: Layout, found: () => number | 'none'): void {
  if (found() === versionOf(layout)) return
  database.exec('BEGIN IMMEDIATE')
  try {
    const before = found()
    for (const statement of before === 'none' ? [] : layout.migrations.slice(before - 1).flat())
      database.exec(statement)
    database.exec(`PRAGMA user_version = ${versionOf(layout)}`)
    database.exec('COMMIT')
  } catch (error) {
    rollBack(database)
    throw error
  }
}

/** Rolls back the open transaction of a database, if there is one. */
export function rollBack(database: DatabaseSync): void {
  try {
    database.exec('ROLLBACK')
  } catch {
    // A full disk or a failed write has ended the transaction already. Its error is the one to report.
  }
}
