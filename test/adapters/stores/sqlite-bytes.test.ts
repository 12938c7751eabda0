import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import {
  call,
  checkpoint,
  createDriver,
  type Driver,
  says,
  slot,
} from '../../../src/testing/stores/store-suite-fixtures.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { transactionsOf } from './transactions.ts'

const text = 'x'.repeat(940)
const document = JSON.stringify({ state: 'd'.repeat(1190) })
const turn = [says(text), checkpoint(document)]

test('CKP-04 SQLite: a commit writes at most 1.8 times the bytes of a bare append, however long the run is', async () => {
  using folder = temporaryFolder()
  const { store, wal } = openHeld(folder.file('runs.db'))
  const driver = await createDriver(store, 'session.config.1')
  const early = await bytesPerCommit(wal, 200, () => driver.commit({ entries: turn }))
  for (let count = 0; count < 1000; count++) await driver.commit({ entries: turn })
  const late = await bytesPerCommit(wal, 200, () => driver.commit({ entries: turn }))
  const bare = await bareBytes(folder.file('bare.db'))
  expect(early / bare).toBeLessThan(1.8)
  expect(late / bare).toBeLessThan(1.8)
  expect(late / early).toBeLessThan(1.1)
  await store.close()
})

test('CKP-04 SQLite: the bytes of a commit stay bounded with fifty alternating runs', async () => {
  using folder = temporaryFolder()
  const { store, wal } = openHeld(folder.file('runs.db'))
  const drivers: Driver[] = []
  for (let index = 0; index < 50; index++) drivers.push(await createDriver(store, `session.config.${index}`))
  const all = async () => {
    for (const driver of drivers) await driver.commit({ entries: turn })
  }
  const ours = (await bytesPerCommit(wal, 20, all)) / drivers.length
  expect(ours / (await bareBytes(folder.file('bare.db')))).toBeLessThan(1.8)
  await store.close()
})

test('CKP-04 SQLite: commits made in one tick share one transaction', async () => {
  using folder = temporaryFolder()
  const { store, wal } = openHeld(folder.file('runs.db'))
  const empty = transactionsOf(wal)
  const drivers = await Promise.all(Array.from({ length: 20 }, (_, index) => createDriver(store, `run-${index}`)))
  const before = transactionsOf(wal)
  expect(before - empty).toBe(1)
  await Promise.all(drivers.map((driver) => driver.commit({ entries: [says('hello'), slot(call), checkpoint('{}')] })))
  expect(transactionsOf(wal) - before).toBe(1)
  for (const driver of drivers) await driver.commit({ entries: turn })
  expect(transactionsOf(wal) - before).toBe(1 + drivers.length)
  await Promise.all(drivers.map(({ lease }) => store.release(lease)))
  expect(transactionsOf(wal) - before).toBe(2 + drivers.length)
  await store.close()
})

/** A store beside a reader, so that its write-ahead log is never started over and its size counts what was written. */
function openHeld(path: string) {
  const store = sqliteStore(path, { synchronous: 'normal' })
  const reader = new DatabaseSync(path)
  reader.exec('BEGIN; SELECT count(*) FROM runs')
  return { store, wal: `${path}-wal` }
}

async function bytesPerCommit(wal: string, count: number, commit: () => Promise<unknown>): Promise<number> {
  const before = readFileSync(wal).length
  for (let index = 0; index < count; index++) await commit()
  return (readFileSync(wal).length - before) / count
}

async function bareBytes(path: string): Promise<number> {
  const database = new DatabaseSync(path)
  database.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0')
  database.exec('CREATE TABLE messages (id INTEGER PRIMARY KEY, run TEXT, body TEXT)')
  const insert = database.prepare('INSERT INTO messages (run, body) VALUES (?, ?)')
  return bytesPerCommit(`${path}-wal`, 200, async () => insert.run('session.config.1', 'x'.repeat(1000)))
}
