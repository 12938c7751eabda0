import { existsSync, rmSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openDatabase } from '../../../src/adapters/stores/sqlite/open.ts'
import { createSession } from '../../../src/adapters/stores/sqlite/session.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { createDriver, says } from '../../../src/testing/stores/store-suite-fixtures.ts'
import { temporaryFolder } from './temporary-folder.ts'

const later = Date.UTC(2100, 0)

test('CKP-06 SQLite: creates files that only their owner can read', async () => {
  using folder = temporaryFolder()
  const path = folder.file('runs.db')
  const store = sqliteStore(path)
  await createDriver(store, 'run')
  expect([path, `${path}-wal`, `${path}-shm`].map((name) => statSync(name).mode & 0o777)).toEqual([0o600, 0o600, 0o600])
  await store.close()
})

test.for([':memory:', 'file:statewright-test?mode=memory'])('CKP-06 SQLite: creates no file for %s', async (path) => {
  onTestFinished(() => rmSync(path, { force: true }))
  const store = sqliteStore(path)
  const driver = await createDriver(store, 'run')
  await driver.commit({ entries: [says('one')] })
  expect((await store.read('run')).log).toHaveLength(1)
  await store.close()
  expect(existsSync(path)).toBe(false)
})

test('CKP-06 DEC-07 SQLite: notifies a store at once of posts by another store of the same process and file', async () => {
  using folder = temporaryFolder()
  const stores = [sqliteStore(folder.file('runs.db')), sqliteStore(folder.file('runs.db'))] as const
  const driver = await createDriver(stores[0], 'run')
  let heard = 0
  const stop = stores[0].watch('run', () => void heard++)
  await stores[1].post('run', { kind: 'cancel' }, later)
  expect(heard).toBe(1)
  stop()
  await stores[0].release(driver.lease)
  await stores[0].close()
  expect(await stores[1].inbox('run', { isOpen: true })).toHaveLength(1)
  await stores[1].close()
})

test('CKP-06 SQLite: a closed session reports that it is closed, and may be closed again', () => {
  const session = createSession(new DatabaseSync(':memory:'), ':memory:')
  session.close()
  session.close()
  expect(() => session.sql('SELECT 1')).toThrow(expect.objectContaining({ code: 'store_unavailable' }))
})

test('CKP-06 SQLite: waits for the disk and polls every 200 ms by default, like with those options set', async () => {
  using folder = temporaryFolder()
  const path = folder.file('runs.db')
  const stores = [sqliteStore(path), sqliteStore(path, { synchronous: 'full', pollMs: 200 })] as const
  const other = sqliteStore(path, { synchronous: 'normal' })
  await createDriver(stores[0], 'run')
  const heard: string[] = []
  stores[0].watch('run', () => void heard.push('alike'))
  other.watch('run', () => void heard.push('otherwise'))
  await stores[1].post('run', { kind: 'cancel' }, later)
  expect(heard).toEqual(['alike'])
  await stores[0].close()
  expect(() => stores[0].watch('run', () => {})).toThrow(expect.objectContaining({ code: 'store_unavailable' }))
  await expect(stores[0].read('run')).rejects.toMatchObject({ code: 'store_unavailable' })
  expect((await stores[1].read('run')).record.id).toBe('run')
  for (const store of [stores[1], other]) await store.close()
})

/** Opens a new file, which another connection opens right before the statement of this number. Returns true if it came that far. */
function openedBetween(path: string, turn: number): boolean {
  const { prepare, exec } = DatabaseSync.prototype
  let calls = 0
  let hasOpened = false
  function look(database: DatabaseSync): void {
    if (hasOpened || calls++ < turn || database.isTransaction) return
    hasOpened = true
    openDatabase(path, { synchronous: 'full' }).close()
  }
  const spies = [
    vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(function (this: DatabaseSync, sql) {
      look(this)
      return prepare.call(this, sql)
    }),
    vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (this: DatabaseSync, sql) {
      look(this)
      return exec.call(this, sql)
    }),
  ]
  try {
    openDatabase(path, { synchronous: 'full' }).close()
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
  return hasOpened
}

test('CKP-06 SQLite: opens a new file in which another process creates a store between any two statements', () => {
  using folder = temporaryFolder()
  let turn = 0
  while (openedBetween(folder.file(`${turn}.db`), turn)) turn++
  expect(turn).toBeGreaterThan(5)
})
