import type { DatabaseSync as Database, StatementSync } from 'node:sqlite'

const known = new WeakMap<Database, Map<string, StatementSync>>()

/** Returns the prepared statement for a SQL text. Each database prepares it once. */
export function prepared(database: Database, text: string): StatementSync {
  const statements = known.get(database) ?? new Map<string, StatementSync>()
  known.set(database, statements)
  const statement = statements.get(text) ?? database.prepare(text)
  statements.set(text, statement)
  return statement
}
