import { expect, test } from 'vitest'
import { openObject } from '../../../src/adapters/stores/durable-object/object-layout.ts'
import { createObjectSession } from '../../../src/adapters/stores/durable-object/object-session.ts'
import { objectStore } from '../../../src/adapters/stores/durable-object/object-store.ts'
import { layout } from '../../../src/adapters/stores/sqlite/schema.ts'
import { createDriver, newRun, ownerNamed, says } from '../../../src/testing/stores/store-suite-fixtures.ts'
import { storeSuite } from '../../../src/testing/stores/store-suite.ts'
import { deadOwner } from '../../../proof/support/dead-owner.ts'
import { localStorage } from '../../../proof/support/object-storage.ts'
import { temporaryFolder } from './temporary-folder.ts'

const suite = storeSuite(async (clock) => {
  const storage = localStorage()
  const store = objectStore(storage, { clock })
  const dispose = async () => {
    await store.close()
    storage.database.close()
  }
  return { store, deadOwner, dispose }
})

/** A row of an object holds at most 2 MB. */
const tooLong = 'keeps messages and documents of 5 MB'

for (const { name, run } of suite.filter((one) => one.name !== tooLong))
  test(`CKP-06 Durable Object: ${name}`, () => expect(run()).resolves.toBeUndefined())

test('CKP-06 Durable Object: refuses a value of 2 MB with advice, and keeps the rest', async () => {
  const store = objectStore(localStorage())
  const driver = await createDriver(store, 'run')
  const code = 'store_unavailable'
  const message = expect.stringContaining('a row holds at most 2 MB. Keep large results elsewhere')
  await expect(driver.commit({ entries: [says('a'.repeat(2_100_000))] })).rejects.toMatchObject({ code, message })
  await driver.commit({ entries: [says('short')] })
  expect((await store.read('run')).log).toHaveLength(1)
})

const all = { agents: ['guide'], now: 1, limit: 1 }
const tablesIn = "SELECT count(*) AS tables FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'"

test('CKP-06 Durable Object: creates no table before the first write', async () => {
  const storage = localStorage()
  let writes = 0
  const store = objectStore(storage, { onWrite: () => void writes++ })
  await expect(store.read('run')).rejects.toMatchObject({ code: 'run_unknown' })
  await expect(store.decide('run', [{ target: 'a', action: 'resume' }], 0)).rejects.toMatchObject({
    code: 'run_unknown',
  })
  const empty = [
    await store.list(),
    await store.suspended(),
    await store.due(1),
    await store.nextDue(),
    await store.backlog(all),
  ]
  expect(empty).toEqual([[], [], [], undefined, 0])
  expect([writes, storage.database.prepare(tablesIn).get()]).toEqual([0, { tables: 0 }])
  await createDriver(store, 'run')
  expect([writes, (await store.record('run')).id]).toEqual([1, 'run'])
})

test('CKP-05 Durable Object: ends the leases of an earlier life of the object, whose driver cannot commit any more', async () => {
  using folder = temporaryFolder()
  const path = folder.file('object.db')
  const before = objectStore(localStorage(path))
  const driver = await createDriver(before, 'run')
  const after = objectStore(localStorage(path))
  const { lease } = await after.claim('run', ownerNamed('next'), 60_000)
  expect(lease?.fence).toBe(2)
  await expect(driver.commit({ entries: [says('late')] })).rejects.toMatchObject({ code: 'fence_conflict' })
})

test('CKP-06 Durable Object: migrates the layout of an older version once', async () => {
  using folder = temporaryFolder()
  const path = folder.file('object.db')
  await createDriver(objectStore(localStorage(path)), 'run')
  const newer = { tables: '', migrations: [['ALTER TABLE runs ADD COLUMN mood TEXT'], ['UPDATE runs SET mood = id']] }
  for (let life = 0; life < 2; life++) openObject(localStorage(path), newer, { isWrite: false })
  expect(localStorage(path).database.prepare('SELECT mood FROM runs').get()).toEqual({ mood: 'run' })
  await expect(objectStore(localStorage(path)).read('run')).rejects.toMatchObject({
    code: 'store_foreign',
    message:
      'The storage of this object has layout 3; this version of statewright reads layout 1. Nothing was changed: deploy the version that wrote it, or a newer one.',
  })
})

test('CKP-06 Durable Object: leaves the old layout if a migration fails', () => {
  const storage = localStorage()
  openObject(storage, layout, { isWrite: true })
  const broken = { tables: '', migrations: [['ALTER TABLE runs ADD COLUMN mood TEXT', 'nonsense']] }
  expect(() => openObject(storage, broken, { isWrite: true })).toThrow(
    expect.objectContaining({ code: 'store_unavailable' }),
  )
  expect(() => openObject(storage, layout, { isWrite: true })).not.toThrow()
})

test('CKP-06 Durable Object: refuses an object with tables of another program', async () => {
  const storage = localStorage()
  storage.sql.exec('CREATE TABLE runs (id TEXT)')
  await expect(objectStore(storage).list()).rejects.toMatchObject({
    code: 'store_foreign',
    message:
      'The storage of this object holds tables of another program. Nothing was changed: use another class or object.',
  })
  expect(storage.database.prepare(tablesIn).get()).toEqual({ tables: 1 })
})

test.each([
  ['database or disk is full: SQLITE_FULL', 'is full. Delete runs that are done, then drive the run again.'],
  ['Network connection lost.', 'failed: Network connection lost.'],
])('CKP-06 Durable Object: reports a storage that throws "%s"', async (said, told) => {
  const storage = localStorage()
  const store = objectStore(storage)
  await createDriver(store, 'run')
  storage.sql.exec = () => {
    throw new Error(said)
  }
  const message = `The storage of this object ${told}`
  for (const asked of [store.read('run'), store.create(newRun('other'), ownerNamed('other'), 1000)])
    await expect(asked).rejects.toMatchObject({ code: 'store_unavailable', message })
})

test('CKP-06 Durable Object: an error of the transaction itself fails every write of the batch', async () => {
  const storage = localStorage()
  const store = objectStore(storage)
  const drivers = [await createDriver(store, 'one'), await createDriver(store, 'two')]
  storage.transactionSync = () => {
    throw new Error('internal error')
  }
  for (const commit of drivers.map((driver) => driver.commit({ entries: [says('hi')] })))
    await expect(commit).rejects.toMatchObject({ code: 'store_unavailable' })
})

test('CKP-06 Durable Object: reports unreadable rows as damage of their run', async () => {
  const storage = localStorage()
  const store = objectStore(storage)
  await createDriver(store, 'run')
  storage.sql.exec = () => {
    throw new Error('database disk image is malformed: SQLITE_CORRUPT')
  }
  await expect(store.read('run')).rejects.toMatchObject({ code: 'run_damaged' })
})

test('CKP-06 Durable Object: a closed session reports that it is closed', () => {
  const session = createObjectSession(localStorage(), { open: () => true, onWrite: () => {} })
  session.close()
  expect(() => session.sql('SELECT 1')).toThrow(expect.objectContaining({ code: 'store_unavailable' }))
})
