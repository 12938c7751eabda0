import { copyFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { createDriver, says } from '../../../src/testing/stores/store-suite-fixtures.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** The ids of the runs in a file, as a store that is opened on it lists them. */
async function runsIn(path: string): Promise<readonly string[]> {
  const store = sqliteStore(path)
  const runs = await store.list()
  await store.close()
  return runs.map(({ id }) => id)
}

test('CKP-06 SQLite: a copy of the main file without its -wal is an empty store if everything is in the -wal', async () => {
  using folder = temporaryFolder()
  const store = sqliteStore(folder.file('runs.db'))
  await (await createDriver(store, 'run')).commit({ entries: [says('hello')] })
  copyFileSync(folder.file('runs.db'), folder.file('alone.db'))
  for (const end of ['', '-wal']) copyFileSync(folder.file(`runs.db${end}`), folder.file(`both.db${end}`))
  expect([await runsIn(folder.file('alone.db')), await runsIn(folder.file('both.db'))]).toEqual([[], ['run']])
  await store.close()
  copyFileSync(folder.file('runs.db'), folder.file('closed.db'))
  expect(await runsIn(folder.file('closed.db'))).toEqual(['run'])
})

test('CKP-06 SQLite: VACUUM INTO makes a complete copy of a store in use', async () => {
  using folder = temporaryFolder()
  const store = sqliteStore(folder.file('runs.db'))
  const driver = await createDriver(store, 'run')
  await driver.commit({ entries: [says('hello')] })
  const other = new DatabaseSync(folder.file('runs.db'))
  other.prepare('VACUUM INTO ?').run(folder.file('copy.db'))
  other.close()
  await driver.commit({ entries: [says('later')] })
  const copy = sqliteStore(folder.file('copy.db'))
  expect((await copy.read('run')).log).toEqual([says('hello')(1)])
  await copy.close()
  await store.close()
})
