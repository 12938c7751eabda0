import { DatabaseSync } from 'node:sqlite'

/** A table of a store's file whose only row is copied. */
export interface CopiedRow {
  readonly table: string
  readonly count: number
  /** By column: the value of copy `n`, as SQL. The others are those of the first row, and `number` is a fresh one. */
  readonly changes: { readonly [column: string]: string }
}

/** Copies the only row of a table so that it has so many more. Files of users are not analysed either. */
export function copyRow(path: string, { table, count, changes }: CopiedRow): void {
  const database = new DatabaseSync(path)
  const columns = database
    .prepare(`PRAGMA table_info(${table})`)
    .all()
    .map(({ name }) => String(name))
  const names = columns.filter((name) => name !== 'number')
  const values = names.map((name) => changes[name] ?? `first."${name}"`)
  database.exec(`PRAGMA synchronous = off; BEGIN;
    CREATE TEMP TABLE first AS SELECT * FROM ${table} LIMIT 1;
    INSERT INTO ${table} (${names.map((name) => `"${name}"`).join(', ')})
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
      SELECT ${values.join(', ')} FROM numbers, first;
    COMMIT`)
  database.close()
}
