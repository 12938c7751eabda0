import { mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import {
  checkpoint,
  createDriver,
  driverOf,
  ownerNamed,
  says,
  ttl,
} from '../../../src/testing/stores/store-suite-fixtures.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** After every lease of `writeStore` has ended. */
/** Opens a store after every lease of the suite has expired. */
const afterwards = { clock: { now: () => Date.now() + ttl } }

/** Ways to have no store at a path, and what opening it says. */
const broken: readonly {
  readonly name: string
  readonly prepare: (path: string) => void | Promise<void>
  readonly code: string
  readonly says: RegExp
}[] = [
  {
    name: 'a text file',
    prepare: (path) => writeFileSync(path, 'Dear diary, '.repeat(500)),
    code: 'store_foreign',
    says: /is not a SQLite database\. Choose another path/,
  },
  {
    name: 'the database of another program',
    prepare: (path) => withDatabase(path, 'CREATE TABLE users (name TEXT); PRAGMA user_version = 1'),
    code: 'store_foreign',
    says: /of another program\. Nothing was changed: choose another path/,
  },
  {
    name: 'a store of a later layout',
    prepare: async (path) => {
      await writeStore(path)
      withDatabase(path, 'PRAGMA user_version = 2')
    },
    code: 'store_foreign',
    says: /has layout 2; this version of statewright reads layout 1/,
  },
  {
    name: 'a truncated store',
    prepare: async (path) => {
      await writeStore(path)
      truncateSync(path, 5 * 1024)
    },
    code: 'store_unavailable',
    says: /is damaged: .* Restore it from a copy/,
  },
  {
    name: 'a store whose first page is overwritten behind its header',
    prepare: async (path) => {
      await writeStore(path)
      writeFileSync(path, readFileSync(path).fill(0xff, 100, 1024))
    },
    code: 'store_unavailable',
    says: /is damaged: .* Restore it from a copy/,
  },
  {
    name: 'a folder',
    prepare: (path) => mkdirSync(path),
    code: 'store_unavailable',
    says: /cannot be opened\. Check that its folder exists, and that it is a file/,
  },
]

test.for(broken)('CKP-09 SQLite: refuses $name and leaves it unchanged', async ({ prepare, code, says: expected }) => {
  using folder = temporaryFolder()
  const path = folder.file('runs.db')
  await prepare(path)
  const before = contentOf(path)
  const open = () => sqliteStore(path)
  expect(open).toThrow(expect.objectContaining({ name: 'StoreError', code, message: expect.stringMatching(expected) }))
  expect(open).toThrow(path)
  expect(contentOf(path)).toEqual(before)
})

test("CKP-09 SQLite: gives advice if the file's folder does not exist", () => {
  using folder = temporaryFolder()
  expect(() => sqliteStore(folder.file('missing/runs.db'))).toThrow(
    expect.objectContaining({
      code: 'store_unavailable',
      message: expect.stringMatching(/Check that its folder exists/),
    }),
  )
})

test('CKP-06 SQLite: refuses to poll less often than decisions must be seen', () => {
  using folder = temporaryFolder()
  for (const pollMs of [0, 251, Number.NaN]) {
    expect(() => sqliteStore(folder.file('runs.db'), { pollMs })).toThrow(/at most 250 milliseconds/)
  }
})

/** Damage to the run "two", as a statement, and the row its error names. */
const damage = [
  { sql: 'UPDATE log SET body = \'{"message":\' WHERE id = $base + 1', row: 'log row 1' },
  { sql: 'UPDATE log SET body = \'{"message":{"role":"ghost"}}\' WHERE id = $base + 1', row: 'log row 1' },
  {
    sql: 'UPDATE log SET body = \'{"message":{"role":"user","content":[],"__proto__":{}}}\' WHERE id = $base + 1',
    row: 'log row 1',
  },
  {
    sql: 'UPDATE log SET body = \'{"message":{"role":"user","content":[],"\\u005f_proto__":1}}\' WHERE id = $base + 1',
    row: 'log row 1',
  },
  { sql: "UPDATE log SET kind = 'ghost' WHERE id = $base + 1", row: 'log row 1' },
  { sql: "UPDATE log SET kind = 'call' WHERE id = $base + 3", row: 'log row 3' },
  { sql: 'UPDATE log SET document = NULL WHERE id = $base + 2', row: 'log row 2' },
  { sql: 'DELETE FROM log WHERE id = $base + 1', row: 'log row 1' },
  { sql: "UPDATE inputs SET body = 'prompt' WHERE number = 2", row: 'its input' },
  { sql: 'DELETE FROM inputs WHERE number = 2', row: 'column input of a row' },
  { sql: "UPDATE runs SET document = NULL WHERE id = 'two'", row: 'its run row' },
  { sql: "UPDATE runs SET status = 'sleeping' WHERE id = 'two'", row: 'its run row', isListed: true },
  { sql: "UPDATE runs SET reason = 'boredom' WHERE id = 'two'", row: 'its run row', isListed: true },
  { sql: "UPDATE runs SET error = '[]' WHERE id = 'two'", row: 'its run row', isListed: true },
  { sql: "UPDATE runs SET version = 9007199254740993 WHERE id = 'two'", row: 'a row of it', isListed: true },
  { sql: 'UPDATE log SET body = \'{"names":7}\' WHERE id = $base + 2', row: 'log row 2' },
  { sql: "UPDATE log SET body = 'x' WHERE id = $base + 2", row: 'log row 2' },
]

test.for(damage)(
  'CKP-09 SQLite: one damaged run leaves all other runs readable ($sql)',
  async ({ sql, row, isListed = false }) => {
    using folder = temporaryFolder()
    const path = folder.file('runs.db')
    await writeStore(path)
    const sound = sqliteStore(path)
    const before = [await sound.read('one'), await sound.read('three')]
    await sound.close()
    withDatabase(path, sql.replace('$base', String(2 * 2 ** 24)))

    const store = sqliteStore(path, afterwards)
    const whatIsWrong = {
      code: 'run_damaged',
      message: expect.stringMatching(new RegExp(`^Run "two" is damaged: ${row}.* Other runs are not affected`, 's')),
    }
    await expect(store.read('two')).rejects.toMatchObject(whatIsWrong)
    await expect(store.claim('two', ownerNamed('next'), ttl)).rejects.toMatchObject(whatIsWrong)
    expect([await store.read('one'), await store.read('three')]).toEqual(before)
    const list = await store.list()
    expect(list.map(({ id }) => id)).toEqual(['three', 'two', 'one'])
    expect(list.map((run) => 'damaged' in run)).toEqual([false, isListed, false])
    await store.delete('two')
    expect((await store.list()).map(({ id }) => id)).toEqual(['three', 'one'])
    await store.close()
  },
)

test('CKP-09 SQLite: a page that cannot be read damages only its own run', async () => {
  using folder = temporaryFolder()
  const path = folder.file('runs.db')
  await writeStore(path, 40)
  const bytes = readFileSync(path)
  const page = Math.floor(bytes.indexOf('message 20 of two') / 1024)
  writeFileSync(path, bytes.fill(0xff, page * 1024, page * 1024 + 8))

  const store = sqliteStore(path, afterwards)
  await expect(store.read('two')).rejects.toMatchObject({ code: 'run_damaged' })
  const claims = ['one', 'two'].map((id) => store.claim(id, ownerNamed('next'), ttl))
  expect((await Promise.allSettled(claims)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  expect((await store.read('one')).log).toHaveLength(41)
  expect((await store.read('three')).log).toHaveLength(41)
  expect((await store.list()).map(({ id }) => id)).toEqual(['three', 'two', 'one'])
  await store.close()
})

test('CKP-09 SQLite: a page that cannot be read fails the commits of its run, not others in the same tick', async () => {
  using folder = temporaryFolder()
  const path = folder.file('runs.db')
  await writeStore(path, 40)
  const bytes = readFileSync(path)
  const page = Math.floor(bytes.indexOf('last message of two') / 1024)
  writeFileSync(path, bytes.fill(0xff, page * 1024, page * 1024 + 8))

  const store = sqliteStore(path)
  const commit = (runId: string) => {
    const lease = { runId, owner: ownerNamed('first'), fence: 1 }
    return driverOf(store, lease, { version: 41, seq: 42 }).commit({ entries: [says('one more')] })
  }
  const outcomes = await Promise.allSettled(['two', 'one', 'two'].map(commit))
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected'])
  expect((await store.read('one')).log).toHaveLength(42)
  await store.close()
})

function withDatabase(path: string, sql: string): void {
  const database = new DatabaseSync(path)
  database.exec(sql)
  database.close()
}

/** Three runs, each with `count` messages, a checkpoint after the first of them and a state after the last. */
async function writeStore(path: string, count = 1): Promise<void> {
  const store = sqliteStore(path)
  for (const [index, id] of ['one', 'two', 'three'].entries()) {
    const driver = await createDriver(store, id, { at: index })
    await driver.commit({ entries: [says(`message 1 of ${id}`), checkpoint('{"n":1}')] })
    for (let number = 2; number <= count; number++) {
      await driver.commit({ entries: [says(`message ${number} of ${id} ${'.'.repeat(500)}`)] })
    }
    await driver.commit({ entries: [says(`last message of ${id}`)] })
  }
  await store.close()
}

function contentOf(path: string): Buffer | 'folder' {
  return statSync(path).isDirectory() ? 'folder' : readFileSync(path)
}
