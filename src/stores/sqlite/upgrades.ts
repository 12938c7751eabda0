import type { DatabaseSync } from 'node:sqlite'
import { isCorrupt } from './errors.ts'
import { fillFound } from './fill-found.ts'
import { grantTables, liveTables, outgoingTable, schemaVersion, sessionTables, workTables } from './schema.ts'

/**
 * Statements that make a file of one layout one of the next: those of layout 1 first, then those of layout 2 and so on. One
 * that names `@run` is done for the number of each run.
 */
export type Upgrades = readonly (readonly string[])[]

/**
 * Layout 2: inputs in a table of their own. A checkpoint may hold what differs from those before it; those of layout 1
 * are whole, which layout 2 reads as well. Layout 3: log rows of the kinds `value` and `events`, which a version that
 * writes layout 2 takes for damage. Layout 4: runs that go on with the transcript of another, which those of layout 3 do
 * not: each has one of its own, from entry 1 on. Layout 5: sessions, and in the row of a run what the run is found by.
 * Layout 6: how often driving a run has failed, and which workers there are. Layout 7: what is granted for more than one
 * call, who decided what, what is to leave the process, and answers under way.
 */
export const upgrades: Upgrades = [
  [
    'CREATE TABLE inputs (number INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT',
    'INSERT INTO inputs (number, body) SELECT number, input FROM runs',
    'ALTER TABLE runs DROP COLUMN input',
  ],
  [],
  [
    'ALTER TABLE runs ADD COLUMN transcript INTEGER',
    'ALTER TABLE runs ADD COLUMN first_seq INTEGER NOT NULL DEFAULT 1',
    'ALTER TABLE runs ADD COLUMN last_seq INTEGER',
    'ALTER TABLE runs ADD COLUMN calls_from INTEGER NOT NULL DEFAULT 1',
    'ALTER TABLE runs ADD COLUMN continued_run TEXT',
    'CREATE TABLE transcripts (number INTEGER PRIMARY KEY, parent INTEGER NOT NULL, at_seq INTEGER NOT NULL) STRICT',
  ],
  [
    'ALTER TABLE runs ADD COLUMN session TEXT',
    'ALTER TABLE runs ADD COLUMN subject TEXT',
    'ALTER TABLE runs ADD COLUMN labels TEXT',
    'ALTER TABLE runs ADD COLUMN prompt TEXT',
    ...sessionTables,
    fillFound,
  ],
  workTables,
  [...grantTables, outgoingTable, ...liveTables],
]

/**
 * Brings a file of an earlier layout to today's, whole or not at all: whatever fails leaves it as it was. `layoutOf` is
 * asked again under the lock, since another process may have brought the file forward first. A page that cannot be read
 * spoils the whole transaction: then the file is brought forward without what is done for each run.
 */
export function bringForward(database: DatabaseSync, layoutOf: () => number | 'none', steps = upgrades): void {
  if (layoutOf() === schemaVersion) return
  try {
    inOneTransaction(database, layoutOf, steps)
  } catch (error) {
    if (!isCorrupt(error)) throw error
    const bare = steps.map((statements) => statements.filter((statement) => !isForEachRun(statement)))
    inOneTransaction(database, layoutOf, bare)
  }
}

function inOneTransaction(database: DatabaseSync, layoutOf: () => number | 'none', steps: Upgrades): void {
  database.exec('BEGIN IMMEDIATE')
  try {
    const found = layoutOf()
    for (const [index, statements] of steps.entries()) {
      const layout = index + 1
      if (found === 'none' || found > layout) continue
      for (const statement of statements) {
        if (isForEachRun(statement)) forEachRun(database, statement)
        else database.exec(statement)
      }
      database.exec(`PRAGMA user_version = ${layout + 1}`)
    }
    database.exec('COMMIT')
  } catch (error) {
    rollBack(database)
    throw error
  }
}

function isForEachRun(statement: string): boolean {
  return statement.includes('@run')
}

function forEachRun(database: DatabaseSync, text: string): void {
  const statement = database.prepare(text)
  const runs = database.prepare('SELECT number FROM runs').all()
  for (const { number = null } of runs) statement.run({ run: number })
}

/** Undoes the open transaction of a database, if there is one. */
export function rollBack(database: DatabaseSync): void {
  try {
    database.exec('ROLLBACK')
  } catch {
    // A full disk has ended the transaction already; that error is the one to report.
  }
}
