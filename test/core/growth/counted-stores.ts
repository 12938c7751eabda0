import { type SQLOutputValue, type StatementResultingChanges, StatementSync } from 'node:sqlite'
import { onTestFinished } from 'vitest'
import type { Store } from '../../../src/core/ports/store.ts'
import { postgresStore } from '../../../src/adapters/stores/postgres/postgres-store.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { hasPostgres, postgresServer } from '../../../proof/support/postgres-server.ts'
import { freshSchema, runSql } from '../../../proof/support/postgres-subject.ts'
import { temporaryFolder } from '../../adapters/stores/temporary-folder.ts'

/** Work that a database has done, by kind. */
export type Counts = Readonly<Record<string, number>>

/** A database whose work is counted. */
export interface CountedStore {
  readonly name: string
  /** Makes an empty one that the test removes at its end. */
  readonly make: () => Promise<{
    readonly open: () => Store
    /** Counts the work that was done so far. Every store that was opened has to be closed. */
    readonly counts: () => Promise<Counts>
  }>
}

const sqlite: CountedStore = {
  name: 'SQLite',
  async make() {
    const counts = { statements: 0, rows: 0, characters: 0 }
    countStatements((rows) => {
      counts.statements++
      counts.rows += rows.length
      for (const row of rows) for (const value of Object.values(row)) counts.characters += String(value).length
    })
    const folder = temporaryFolder()
    onTestFinished(() => folder[Symbol.dispose]())
    const path = folder.file('runs.db')
    return { open: () => sqliteStore(path, { synchronous: 'normal' }), counts: async () => ({ ...counts }) }
  },
}

type Row = Record<string, SQLOutputValue>

/** Tells which rows each statement of this process gives, until the test ends. */
function countStatements(note: (rows: readonly Row[]) => void): void {
  const { all, get, run } = StatementSync.prototype
  StatementSync.prototype.all = function counted(this: StatementSync, ...given: unknown[]) {
    const rows: Row[] = Reflect.apply(all, this, given)
    note(rows)
    return rows
  }
  StatementSync.prototype.get = function counted(this: StatementSync, ...given: unknown[]) {
    const row: Row | undefined = Reflect.apply(get, this, given)
    note(row === undefined ? [] : [row])
    return row
  }
  StatementSync.prototype.run = function counted(this: StatementSync, ...given: unknown[]) {
    note([])
    const changed: StatementResultingChanges = Reflect.apply(run, this, given)
    return changed
  }
  onTestFinished(() => void Object.assign(StatementSync.prototype, { all, get, run }))
}

const selectRead = `
  SELECT (SELECT coalesce(sum(seq_tup_read), 0) FROM pg_stat_user_tables WHERE schemaname = $1)
    + (SELECT coalesce(sum(idx_tup_read), 0) FROM pg_stat_user_indexes WHERE schemaname = $1) AS read`
const selectTables = 'SELECT tablename AS name FROM pg_tables WHERE schemaname = $1'
const selectConnected = 'SELECT count(*) AS count FROM pg_stat_activity WHERE application_name = $1'

/**
 * A server counts what a connection has read when it ends. Of few rows it would read all, and bitmaps count rows that were
 * deleted before, so that it is told to do neither. What is left of earlier versions of rows is removed before each count.
 */
const postgres: CountedStore = {
  name: 'Postgres',
  async make() {
    const { url } = await postgresServer()
    const schema = freshSchema()
    const address = new URL(url)
    address.searchParams.set('application_name', schema)
    address.searchParams.set('options', '-c enable_seqscan=off -c enable_bitmapscan=off')
    onTestFinished(async () => void (await runSql(url, `DROP SCHEMA IF EXISTS "${schema}" CASCADE`)))
    const select = async (text: string) => Number(Object.values((await runSql(url, text, [schema]))[0] ?? {})[0])
    return {
      open: () => postgresStore({ connectionString: address.href, schema, connections: 4 }),
      counts: async () => {
        while ((await select(selectConnected)) > 0);
        for (const { name } of await runSql(url, selectTables, [schema]))
          await runSql(url, `VACUUM "${schema}"."${String(name)}"`)
        return { 'rows read': await select(selectRead) }
      },
    }
  },
}

/** The stores that keep runs in a database. */
export const countedStores: readonly CountedStore[] = hasPostgres ? [sqlite, postgres] : [sqlite]
