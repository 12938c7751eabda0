import { type Layout, layout } from '../../../src/adapters/stores/sqlite/schema.ts'

/** An artificial layout before that of today: the input of a run was in its row, and timers did not know their agent. */
export const olderLayout: Layout = {
  tables: [
    layout.tables,
    'ALTER TABLE runs ADD COLUMN input TEXT',
    'DROP TABLE inputs',
    'DROP INDEX timers_of_agent',
    'ALTER TABLE timers DROP COLUMN agent',
  ].join(';'),
  migrations: [],
}

/** The layout of today, as if `olderLayout` had been released before it. */
export const newerLayout: Layout = {
  tables: layout.tables,
  migrations: [
    [
      'CREATE TABLE inputs (number INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT',
      'INSERT INTO inputs (number, body) SELECT number, input FROM runs',
      'ALTER TABLE runs DROP COLUMN input',
      "ALTER TABLE timers ADD COLUMN agent TEXT NOT NULL DEFAULT ''",
      'UPDATE timers SET agent = (SELECT agent FROM runs WHERE runs.id = run_id)',
      'CREATE INDEX timers_of_agent ON timers (agent, due)',
    ],
  ],
}
