import type { DatabaseSync as Database } from 'node:sqlite'

/** Does some work in one transaction, which is undone if the work throws. */
export function inTransaction<Made>(database: Database, act: () => Made): Made {
  database.exec('BEGIN IMMEDIATE')
  try {
    const made = act()
    database.exec('COMMIT')
    return made
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}
