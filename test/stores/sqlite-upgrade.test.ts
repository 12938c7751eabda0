import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { dumpStore, restoreDump } from '../../proof/fixtures/dump-store.ts'
import { layoutOf } from '../../src/stores/sqlite/open.ts'
import { schemaVersion } from '../../src/stores/sqlite/schema.ts'
import { sqliteStore } from '../../src/stores/sqlite/sqlite-store.ts'
import { bringForward, type Upgrades, upgrades } from '../../src/stores/sqlite/upgrades.ts'
import { startChild } from './child.ts'
import { temporaryFolder } from './temporary-folder.ts'

const folder = join(import.meta.dirname, 'fixtures', 'layout-1')
const textOf = (name: string) => readFileSync(join(folder, name), 'utf8')
const names = readdirSync(folder).filter((name) => name !== 'schema.sql')

/** As many runs of layout 1 as wanted, each with an input of its own. */
const manyRuns = (count: number) => `
  WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ${count})
  INSERT INTO runs
  SELECT n, 'many-' || n, 'test', 'done', 'natural_end', NULL, NULL, n, n, 0, NULL, NULL, NULL, NULL, 1, 0, NULL, NULL,
    '{"prompt":"' || hex(zeroblob(500)) || '","n":' || n || '}', NULL
  FROM counted;`

function layoutOne(path: string, ...rows: readonly string[]): void {
  restoreDump(path, [textOf('schema.sql'), ...rows])
}

function shapeOf(path: string): unknown {
  const database = new DatabaseSync(path, { readOnly: true })
  const objects = database.prepare("SELECT type, name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'").all()
  const columns = objects.map(({ name }) => ({
    name: String(name),
    columns: database.prepare('SELECT name, type, "notnull", pk FROM pragma_table_xinfo(?)').all(String(name)),
  }))
  const layout = database.prepare('PRAGMA user_version').get()
  database.close()
  return { layout, columns: columns.toSorted((left, right) => left.name.localeCompare(right.name)) }
}

test.for(names)('CKP-07 SQLite: a file of layout 1 has the shape of a new one once it was opened: %s', async (name) => {
  using place = temporaryFolder()
  layoutOne(place.file('old.db'), textOf(name))
  const old = sqliteStore(place.file('old.db'))
  await sqliteStore(place.file('new.db')).close()
  expect(shapeOf(place.file('old.db'))).toEqual(shapeOf(place.file('new.db')))
  for (const { id } of await old.list()) expect(await old.read(id)).toMatchObject({ record: { id } })
  await old.close()
})

/** The steps with a failure planted before each of their statements, and one after the last. */
const broken: readonly { readonly place: string; readonly steps: Upgrades }[] = upgrades.flatMap((step, index) =>
  [...step, 'the end'].map((statement, at) => ({
    place: `layout ${index + 1}, before ${statement}`,
    steps: upgrades.with(index, [...step.slice(0, at), 'SELECT no_such_function()', ...step.slice(at)]),
  })),
)

test.for(broken)('CKP-07 SQLite: an upgrade that fails leaves the file as it was ($place)', async ({ steps }) => {
  using place = temporaryFolder()
  const path = place.file('runs.db')
  layoutOne(path, textOf('approval.1.sql'))
  const before = dumpStore(path)
  const database = new DatabaseSync(path)
  expect(() => bringForward(database, () => layoutOf(database, path), steps)).toThrow('no such function')
  database.close()
  expect(dumpStore(path)).toEqual(before)
  const store = sqliteStore(path)
  expect((await store.read('run-1')).record).toMatchObject({ status: 'waiting' })
  await store.close()
})

test('CKP-07 SQLite: an upgrade that finds no room leaves the file as it was, however far it came', () => {
  using place = temporaryFolder()
  const path = place.file('runs.db')
  layoutOne(path, manyRuns(50))
  const before = dumpStore(path)
  let room = 0
  for (; !fitsWithin(path, room); room++) expect(dumpStore(path)).toEqual(before)
  expect(room).toBeGreaterThan(10)
  expect(dumpStore(path).layout).toBe(schemaVersion)
})

/** Brings a file forward that may grow by so many pages; false where it is full before. */
function fitsWithin(path: string, room: number): boolean {
  const database = new DatabaseSync(path)
  const pages = Number(database.prepare('PRAGMA page_count').get()?.['page_count'])
  database.exec(`PRAGMA max_page_count = ${pages + room}`)
  try {
    bringForward(database, () => layoutOf(database, path))
    return true
  } catch (error) {
    if (error instanceof Error && error.message.includes('full')) return false
    throw error
  } finally {
    database.close()
  }
}

test('CKP-07 SQLite: processes that open a file of layout 1 at once bring it forward once', async () => {
  using place = temporaryFolder()
  const path = place.file('runs.db')
  layoutOne(path, manyRuns(3000))
  const ids = ['a', 'b', 'c', 'd']
  const children = ids.map((id) => startChild('create-run', path, id))
  const ends = await Promise.all(children.map((child) => child.ended()))
  expect(ends).toEqual(ids.map(() => ({ code: 0, complaint: '' })))
  const store = sqliteStore(path)
  expect(await store.list({ limit: 10_000 })).toHaveLength(3000 + ids.length)
  expect(await store.read('many-2999')).toMatchObject({ input: { n: 2999 } })
  await store.close()
})
