import type { DatabaseSync as Database } from 'node:sqlite'

/** Runs a function in one transaction, which is rolled back if the function throws. */
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
