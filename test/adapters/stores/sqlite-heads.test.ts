import { expect, test } from 'vitest'
import { type RunHead, RunHeads } from '../../../src/adapters/stores/sqlite/heads.ts'
import { openDatabase } from '../../../src/adapters/stores/sqlite/open.ts'
import { createSession } from '../../../src/adapters/stores/sqlite/session.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import {
  checkpoint,
  createDriver,
  driverOf,
  ownerNamed,
  says,
} from '../../../src/testing/stores/store-suite-fixtures.ts'
import { temporaryFolder } from './temporary-folder.ts'

const hour = 3_600_000
const later = Date.UTC(2100, 0)

/** Stores that are opened otherwise share no connection. */
const otherConnection = { pollMs: 100, clock: { now: () => later } }

const head: RunHead = {
  number: 1,
  base: 2 ** 24,
  first: 1,
  fence: 1,
  owner: 'first',
  status: 'running',
  reason: null,
  code: null,
  error: null,
  version: 0,
  lastSeq: 0,
}

/** Two connections to one store, and a run the first one has committed to. */
async function twoConnections() {
  const folder = temporaryFolder()
  const first = sqliteStore(folder.file('runs.db'))
  const second = sqliteStore(folder.file('runs.db'), otherConnection)
  const driver = await createDriver(first, 'run')
  await driver.commit({ entries: [says('one')] })
  await driver.commit({ entries: [says('two')] })
  return {
    first,
    second,
    driver,
    async [Symbol.asyncDispose]() {
      await first.close()
      await second.close()
      folder[Symbol.dispose]()
    },
  }
}

test('CKP-05 SQLite: refuses a commit even if only another connection knows the new driver', async () => {
  await using stores = await twoConnections()
  await stores.second.claim('run', ownerNamed('second'), hour)
  await expect(stores.driver.commit({ entries: [says('three')] })).rejects.toMatchObject({ code: 'fence_conflict' })
  expect((await stores.first.read('run')).log).toHaveLength(2)
})

test('CKP-05 SQLite: refuses a commit if another connection has committed that version', async () => {
  await using stores = await twoConnections()
  const { lease } = stores.driver
  await driverOf(stores.second, lease, { version: 2, seq: 2 }).commit({ entries: [says('theirs')] })
  await expect(stores.driver.commit({ entries: [says('ours')] })).rejects.toMatchObject({ code: 'version_conflict' })
  expect((await stores.first.read('run')).log).toMatchObject([{}, {}, { message: { content: [{ text: 'theirs' }] } }])
})

test('CKP-05 SQLite: continues where another connection left the run', async () => {
  await using stores = await twoConnections()
  const { lease } = stores.driver
  await driverOf(stores.second, lease, { version: 2, seq: 2 }).commit({ entries: [says('theirs')] })
  const next = driverOf(stores.first, lease, { version: 3, seq: 3 })
  expect(await next.commit({ entries: [says('ours')] })).toEqual({ version: 4 })
})

test('CKP-05 SQLite: forgets a failed commit with everything that it would have left', async () => {
  await using stores = await twoConnections()
  const broken = driverOf(stores.first, stores.driver.lease, { version: 2, seq: 7 })
  await expect(broken.commit({ entries: [says('a gap')] })).rejects.toThrow('appends log entry 8 where 3 is next')
  expect(await stores.driver.commit({ entries: [says('three')] })).toEqual({ version: 3 })
})

test('CKP-05 SQLite: a failed commit does not fail others in its tick', async () => {
  await using stores = await twoConnections()
  const other = await createDriver(stores.first, 'other')
  const broken = driverOf(stores.first, stores.driver.lease, { version: 2, seq: 7 })
  const outcomes = await Promise.allSettled([
    other.commit({ entries: [says('one')] }),
    broken.commit({ entries: [says('a gap')] }),
    stores.driver.commit({ entries: [says('three')] }),
    driverOf(stores.first, other.lease, { version: 1, seq: 1 }).commit({ entries: [says('two')] }),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
  expect((await stores.second.read('other')).log).toHaveLength(2)
})

test('CKP-05 SQLite: a run that was released, claimed again or deleted is not mistaken for its earlier state', async () => {
  await using stores = await twoConnections()
  const { first, driver } = stores
  await first.release(driver.lease)
  await expect(driver.commit({ entries: [says('late')] })).rejects.toMatchObject({ code: 'fence_conflict' })
  const { lease = driver.lease } = await first.claim('run', ownerNamed('next'), hour)
  await driverOf(first, lease, { version: 2, seq: 2 }).commit({ entries: [says('next')] })
  await first.release(lease)
  await first.delete('run')
  const again = await createDriver(first, 'run')
  expect(await again.commit({ entries: [says('new')] })).toEqual({ version: 1 })
  expect((await first.read('run')).log).toHaveLength(1)
})

test("CKP-08 SQLite: a run with a deleted run's id inherits none of its checkpoints", async () => {
  using folder = temporaryFolder()
  const store = sqliteStore(folder.file('runs.db'))
  const documentOf = (word: string) => JSON.stringify({ word, same: 'x'.repeat(400) })
  const before = await createDriver(store, 'run')
  await before.commit({ entries: [checkpoint(documentOf('before'))] })
  await store.release(before.lease)
  await store.delete('run')
  const after = await createDriver(store, 'run')
  await after.commit({ entries: [says('one')] })
  await after.commit({ entries: [checkpoint(documentOf('after'))] })
  expect((await store.read('run')).checkpoint?.document).toBe(documentOf('after'))
  await store.close()
})

test('CKP-05 SQLite: checks cached heads in every transaction, and forgets them once another connection has written', async () => {
  using folder = temporaryFolder()
  const path = folder.file('runs.db')
  const [session, other] = [path, path].map((file) =>
    createSession(openDatabase(file, { synchronous: 'normal' }), file),
  )
  if (session === undefined || other === undefined) throw new Error('Two sessions were made.')
  const heads = new RunHeads(session)
  const inTransaction = <Result>(work: () => Result) =>
    session.write(() => {
      heads.expire()
      return work()
    })
  inTransaction(() => heads.keep('run', head))
  expect(inTransaction(() => heads.of('run'))).toEqual(head)
  other.write(() => other.sql("INSERT INTO timers VALUES ('run', 'key', 'guide', 1)").run())
  expect(inTransaction(() => heads.of('run'))).toBe(undefined)
  inTransaction(() => heads.keep('run', head))
  expect(inTransaction(() => heads.of('run'))).toEqual(head)
  session.close()
  other.close()
})

test('CKP-05 SQLite: a head cached first in a transaction does not survive an earlier write of another connection', async () => {
  using folder = temporaryFolder()
  const path = folder.file('runs.db')
  const store = sqliteStore(path)
  const other = sqliteStore(path, otherConnection)
  const one = await createDriver(store, 'one')
  await one.commit({ entries: [says('one')] })
  await other.claim('one', ownerNamed('second'), hour)
  // This run's first commit keeps its head, and looks whether others wrote: the head of the other run goes.
  await createDriver(store, 'two')
  await expect(one.commit({ entries: [says('two')] })).rejects.toMatchObject({ code: 'fence_conflict' })
  await store.close()
  await other.close()
})

test('CKP-05 SQLite: checks once in each transaction whether others have written', () => {
  using folder = temporaryFolder()
  const path = folder.file('runs.db')
  const session = createSession(openDatabase(path, { synchronous: 'normal' }), path)
  const asked: string[] = []
  const heads = new RunHeads({ ...session, sql: (text) => (asked.push(text), session.sql(text)) })
  heads.keep('run', head)
  expect([heads.of('run'), heads.of('other')]).toEqual([head, undefined])
  expect(asked).toEqual(['PRAGMA data_version'])
  heads.expire()
  heads.of('run')
  expect(asked).toHaveLength(2)
  session.close()
})
