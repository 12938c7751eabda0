import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { dumpStore } from '../../../proof/fixtures/dump-store.ts'
import { unreleasedFileId } from '../../../src/core/domain/store-file.ts'
import { migrate } from '../../../src/adapters/stores/sqlite/migrate.ts'
import { openDatabase } from '../../../src/adapters/stores/sqlite/open.ts'
import { type Layout, layout } from '../../../src/adapters/stores/sqlite/schema.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { startChild } from './child.ts'
import { newerLayout, olderLayout } from './older-layout.ts'
import { temporaryFolder } from './temporary-folder.ts'

const fill = `
  INSERT INTO runs (number, id, agent, status, created_at, updated_at, version, fence, lease_expires, input)
    VALUES (1, 'run-1', 'guide', 'waiting', 1, 1, 0, 1, 0, '{"n":1}'), (2, 'run-2', 'guide', 'done', 2, 2, 0, 1, 0, '{"n":2}');
  INSERT INTO timers (run_id, key, due) VALUES ('run-1', 'expiry', 5);`

/** Makes a file of the older layout that holds runs. */
function makeOlder(path: string): void {
  openDatabase(path, {
    synchronous: 'normal',
    layout: { ...olderLayout, tables: `${olderLayout.tables};${fill}` },
  }).close()
}

const statement = newerLayout.migrations.flat()
/** Statements of the transaction: those of the step, the version, and the commit. */
const inTransaction = statement.length + 2

/** The tables and indexes of a file, with their columns in any order. */
function shapeOf(path: string): unknown {
  const database = new DatabaseSync(path, { readOnly: true })
  const objects = database.prepare("SELECT type, name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'").all()
  const shape = objects.map(({ type, name }) => {
    const columns = database.prepare('SELECT name, type, "notnull", pk FROM pragma_table_xinfo(?)').all(String(name))
    return { type, name, columns: columns.map((column) => JSON.stringify(column)).toSorted() }
  })
  database.close()
  return shape.map((object) => JSON.stringify(object)).toSorted()
}

function setVersion(path: string, version: number): void {
  const database = new DatabaseSync(path)
  database.exec(`PRAGMA user_version = ${version}`)
  database.close()
}

/** Compares a migrated file with a new one, and reads its runs as the store of today does. */
async function expectMigrated(path: string, fresh: string): Promise<void> {
  openDatabase(fresh, { synchronous: 'normal' }).close()
  expect(shapeOf(path)).toEqual(shapeOf(fresh))
  setVersion(path, 1)
  const store = sqliteStore(path)
  expect((await store.list()).map(({ id }) => id)).toEqual(['run-2', 'run-1'])
  expect(await store.read('run-1')).toMatchObject({ input: { n: 1 } })
  expect(await store.nextDue(['guide'])).toBe(5)
  await store.close()
}

test('CKP-07 SQLite: migrates a file of an earlier layout in place, with its runs', async () => {
  using place = temporaryFolder()
  const path = place.file('runs.db')
  makeOlder(path)
  openDatabase(path, { synchronous: 'normal', layout: newerLayout }).close()
  expect(dumpStore(path).layout).toBe(2)
  await expectMigrated(path, place.file('new.db'))
})

test('CKP-07 SQLite: refuses a file of a later layout, and leaves it unchanged', () => {
  using place = temporaryFolder()
  const path = place.file('runs.db')
  openDatabase(path, { synchronous: 'normal', layout: newerLayout }).close()
  const before = dumpStore(path)
  expect(() => sqliteStore(path)).toThrow(
    'has layout 2; this version of statewright reads layout 1. Nothing was changed',
  )
  expect(dumpStore(path)).toEqual(before)
})

test.for([...statement.keys(), statement.length])(
  'CKP-07 SQLite: a migration that fails before statement %i leaves the file unchanged',
  async (at) => {
    using place = temporaryFolder()
    const path = place.file('runs.db')
    makeOlder(path)
    const before = dumpStore(path)
    const broken: Layout = { ...newerLayout, migrations: [statement.toSpliced(at, 0, 'SELECT no_such_function()')] }
    expect(() => openDatabase(path, { synchronous: 'normal', layout: broken })).toThrow('no such function')
    expect(dumpStore(path)).toEqual(before)
  },
)

test.for(Array.from({ length: inTransaction }, (_, at) => at))(
  'CKP-07 SQLite: the next process completes a migration that was killed at statement %i',
  async (at) => {
    using place = temporaryFolder()
    const path = place.file('runs.db')
    makeOlder(path)
    const before = dumpStore(path)
    expect(await startChild('migrate', path, String(at)).ended()).toEqual({ code: null, complaint: '' })
    expect(dumpStore(path)).toEqual(before)
    const next = startChild('migrate', path)
    expect(await next.line()).toBe('migrated')
    expect(await next.ended()).toEqual({ code: 0, complaint: '' })
    expect(dumpStore(path).layout).toBe(2)
    await expectMigrated(path, place.file('new.db'))
  },
)

test('CKP-07 SQLite: several processes that open a file of an earlier layout migrate it once', async () => {
  using place = temporaryFolder()
  const path = place.file('runs.db')
  makeOlder(path)
  const children = [1, 2, 3].map(() => startChild('migrate', path))
  expect(await Promise.all(children.map((child) => child.line()))).toEqual(['migrated', 'migrated', 'migrated'])
  expect(await Promise.all(children.map((child) => child.ended()))).toEqual(
    children.map(() => ({ code: 0, complaint: '' })),
  )
  expect(dumpStore(path).layout).toBe(2)
  await expectMigrated(path, place.file('new.db'))
})

test('CKP-07 SQLite: does nothing if another process migrates a file between two checks of it', async () => {
  using place = temporaryFolder()
  const path = place.file('runs.db')
  makeOlder(path)
  const { exec } = DatabaseSync.prototype
  let isFirst = true
  DatabaseSync.prototype.exec = function (sql) {
    if (isFirst && sql === 'BEGIN IMMEDIATE') {
      isFirst = false
      openDatabase(path, { synchronous: 'normal', layout: newerLayout }).close()
    }
    return exec.call(this, sql)
  }
  try {
    openDatabase(path, { synchronous: 'normal', layout: newerLayout }).close()
  } finally {
    DatabaseSync.prototype.exec = exec
  }
  expect(isFirst).toBe(false)
  expect(dumpStore(path).layout).toBe(2)
  await expectMigrated(path, place.file('new.db'))
})

test('CKP-07 SQLite: a migration that runs out of space leaves the file unchanged, however far it came', () => {
  using place = temporaryFolder()
  const path = place.file('runs.db')
  makeOlder(path)
  const before = dumpStore(path)
  const database = new DatabaseSync(path)
  const pages = Number(database.prepare('PRAGMA page_count').get()?.['page_count'])
  const many = `
    WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 50)
    INSERT INTO inputs (number, body) SELECT n + 100, hex(zeroblob(500)) FROM counted`
  let room = 0
  for (; !fits(database, pages + room, [...statement, many]); room++) expect(dumpStore(path)).toEqual(before)
  expect(room).toBeGreaterThan(10)
  database.close()
  expect(dumpStore(path).layout).toBe(2)
})

/** Migrates a file that may have so many pages. Returns false if the file is full before. */
function fits(database: DatabaseSync, pages: number, statements: readonly string[]): boolean {
  database.exec(`PRAGMA max_page_count = ${pages}`)
  try {
    migrate(database, { ...newerLayout, migrations: [statements] }, () => {
      const found = Number(database.prepare('PRAGMA user_version').get()?.['user_version'])
      return found
    })
    return true
  } catch (error) {
    if (error instanceof Error && error.message.includes('full')) return false
    throw error
  }
}

test('CKP-06 SQLite: refuses a file of a version that was never released', () => {
  using place = temporaryFolder()
  for (const version of [1, 7]) {
    const path = place.file(`${version}.db`)
    openDatabase(path, { synchronous: 'normal', layout }).close()
    const database = new DatabaseSync(path)
    database.exec(`PRAGMA application_id = ${unreleasedFileId}; PRAGMA user_version = ${version}`)
    database.close()
    expect(() => sqliteStore(path)).toThrow(
      expect.objectContaining({
        code: 'store_foreign',
        message:
          `The store "${path}" comes from a version of statewright that was never released. ` +
          'Nothing was changed: choose another path.',
      }),
    )
  }
})
