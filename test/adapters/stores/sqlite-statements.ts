import { DatabaseSync } from 'node:sqlite'
import { recordKinds } from '../../../src/core/domain/records/record-kinds.ts'
import { openDatabase } from '../../../src/adapters/stores/sqlite/open.ts'
import { recordSql } from '../../../src/adapters/stores/sqlite/records.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Notes each statement that SQLite prepares in this process from now on. */
export function noteStatements(): ReadonlySet<string> {
  const texts = new Set<string>()
  const { prepare } = DatabaseSync.prototype
  DatabaseSync.prototype.prepare = function noted(this: DatabaseSync, text: string) {
    texts.add(text)
    return prepare.call(this, text)
  }
  return texts
}

/** Rows of each table of the large file. */
const rows = 5000
const counted = `WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ${rows})`
/** Columns whose statistics matter: most runs are done, and belong to one agent. */
const held: Readonly<Record<string, string>> = {
  status: "CASE WHEN n % 100 = 0 THEN 'waiting' ELSE 'done' END",
  agent: "'guide'",
  state: "CASE WHEN n % 100 = 0 THEN 'pending' ELSE 'sent' END",
  labels: `CASE WHEN n % 100 = 0 THEN '{"team":"one"}' END`,
}

/** Makes a store's file with many rows in every table, with or without statistics about them. */
export function largeFile(isAnalysed: boolean): Disposable & { readonly database: DatabaseSync } {
  const folder = temporaryFolder()
  const database = openDatabase(folder.file('runs.db'), { synchronous: 'normal' })
  for (const kind of recordKinds) for (const made of recordSql.creation(kind)) database.exec(`CREATE ${made}`)
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
  for (const { name } of tables.all()) {
    const columns = database.prepare(`PRAGMA table_info(${String(name)})`).all()
    const values = columns.map(
      (column) => held[String(column['name'])] ?? (column['type'] === 'TEXT' ? "'x' || n" : 'n'),
    )
    const names = columns.map((column) => `"${String(column['name'])}"`)
    database.exec(`${counted} INSERT INTO ${String(name)} (${names.join()}) SELECT ${values.join()} FROM counted`)
  }
  if (isAnalysed) database.exec('ANALYZE')
  return {
    database,
    [Symbol.dispose]() {
      database.close()
      folder[Symbol.dispose]()
    },
  }
}

/** Returns the steps of a statement's plan that go through a table, or make an index of one. */
export function scansIn(database: DatabaseSync, statement: string): readonly string[] {
  const plan = database.prepare(`EXPLAIN QUERY PLAN ${statement}`).all()
  const lines = plan.map(({ detail }) => String(detail))
  return lines.filter((line) => (line.startsWith('SCAN') && !isNoTable.test(line)) || line.includes('AUTOMATIC'))
}

/** Lists that are part of the statement, what a recursion or an inner query has found, and the description of the file. */
const isNoTable =
  /^SCAN (?:.*VIRTUAL TABLE|CONSTANT ROW|\d+-ROW VALUES|(?:chain|line|branches|counted|found|page|\(subquery)\b|sqlite_)/
