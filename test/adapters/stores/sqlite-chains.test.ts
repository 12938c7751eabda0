import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { sampled } from '../../../proof/support/sampled.ts'
import type { Store } from '../../../src/core/ports/store.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { done, goOn, logs, ordersOf } from '../../../src/testing/stores/store-suite-chain-runs.ts'
import { call, checkpoint, says, slot } from '../../../src/testing/stores/store-suite-fixtures.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { transactionsOf } from './transactions.ts'

type Row = Readonly<Record<string, unknown>>

function rowsOf(path: string, sql: string): readonly Row[] {
  const database = new DatabaseSync(path)
  try {
    return database.prepare(sql).all()
  } finally {
    database.close()
  }
}

function change(path: string, sql: string): void {
  const database = new DatabaseSync(path)
  database.exec(sql)
  database.close()
}

const tables = ['runs', 'transcripts', 'inputs', 'log', 'inbox', 'timers']

function countsOf(path: string): readonly unknown[] {
  return tables.map((table) => rowsOf(path, `SELECT count(*) AS rows FROM ${table}`)[0]?.['rows'])
}

/** A line of three runs, a second run behind the first, and a branch in the middle of the second. */
async function related(store: Store): Promise<readonly string[]> {
  await done(store, 'a', { says: ['one', 'two'] })
  await done(store, 'b', { continues: { runId: 'a' }, says: ['b', 'more'] })
  await done(store, 'c', { continues: { runId: 'b' }, says: ['c'] })
  await done(store, 'd', { continues: { runId: 'a' }, says: ['d'] })
  await done(store, 'e', { continues: { runId: 'b', seq: 7 }, says: ['e'] })
  return ['a', 'b', 'c', 'd', 'e']
}

test('CKP-06 SQLite: runs of one branch write one transcript, and only forks begin another', async () => {
  using place = temporaryFolder()
  const path = place.file('runs.db')
  const store = sqliteStore(path)
  await related(store)
  const columns = 'id, transcript, first_seq, last_seq, calls_from, continued_run'
  expect(rowsOf(path, `SELECT ${columns} FROM runs ORDER BY number`).map(Object.values)).toEqual([
    ['a', null, 1, 5, 1, null],
    ['b', 1, 6, 10, 6, 'a'],
    ['c', 1, 11, null, 11, 'b'],
    ['d', null, 6, null, 6, 'a'],
    ['e', null, 8, null, 8, 'b'],
  ])
  expect(rowsOf(path, 'SELECT * FROM transcripts ORDER BY number').map(Object.values)).toEqual([
    [4, 1, 5],
    [5, 1, 7],
  ])
  await store.close()
})

test('CKP-06 SQLite: the file has only what existing runs read, and is empty after the last run, in any order of deletion', async () => {
  for (const order of sampled(ordersOf(['a', 'b', 'c', 'd', 'e']), 3)) {
    using place = temporaryFolder()
    const path = place.file('runs.db')
    const store = sqliteStore(path, { synchronous: 'normal' })
    await related(store)
    for (const [index, id] of order.entries()) {
      await store.delete(id)
      const rest = order.slice(index + 1)
      const read = new Set<string>()
      for (const other of rest) {
        const { log, checkpoint: last } = await store.read(other)
        for (const { seq } of log) read.add(`${transcriptIn(other, seq)} ${seq}`)
        read.add(`${transcriptIn(other, last?.seq ?? 0)} ${last?.seq}`)
      }
      const kept = rowsOf(path, `SELECT id / ${2 ** 24} AS transcript, id % ${2 ** 24} AS seq FROM log ORDER BY id`)
      const unread = kept
        .map((row) => `${Number(row['transcript'])} ${Number(row['seq'])}`)
        .filter((row) => !read.has(row))
      expect({ order, unread, missing: read.size - kept.length }).toEqual({ order, unread: [], missing: 0 })
    }
    expect({ order, counts: countsOf(path) }).toEqual({ order, counts: [0, 0, 0, 0, 0, 0] })
    await store.close()
  }
})

/** In which transcript an entry stands that a run of `related` reads. */
function transcriptIn(id: string, seq: number): number {
  if (id === 'd' && seq > 5) return 4
  return id === 'e' && seq > 7 ? 5 : 1
}

test('CKP-06 SQLite: deletes documents of calls with their run, even if others continue from it', async () => {
  using place = temporaryFolder()
  const path = place.file('runs.db')
  const store = sqliteStore(path)
  const { lease, commit } = await goOn(store, 'a', undefined)
  await commit({ entries: [says('one'), slot(call)] })
  await commit({ calls: [{ record: call(2), document: '"secret"' }], status: 'done' })
  await store.release(lease)
  await done(store, 'b', { continues: { runId: 'a' }, says: ['b'] })
  const secrets = () => rowsOf(path, "SELECT id FROM log WHERE document LIKE '%secret%'").length
  expect(secrets()).toBe(1)
  expect(await store.delete('a')).toEqual({ runs: ['a'], readers: ['b'] })
  expect(secrets()).toBe(0)
  await store.close()
})

test('CKP-06 SQLite: creates a continuing run in one transaction, and deletes one in one', async () => {
  using place = temporaryFolder()
  const path = place.file('runs.db')
  const store = sqliteStore(path)
  await related(store)
  const before = transactionsOf(`${path}-wal`)
  await store.delete('b')
  expect(transactionsOf(`${path}-wal`)).toBe(before + 1)
  await store.release(
    await store.create({ id: 'f', agent: 'g', input: {}, at: 1, continues: { runId: 'c' } }, owner, 9),
  )
  expect(transactionsOf(`${path}-wal`)).toBe(before + 3)
  await store.close()
})

const owner = { id: 'owner', host: 'elsewhere', pid: 1, pidStart: '' }

/** Damage to what run "b" wrote, which "c" goes on from and "e" in part; and what the errors say. */
const damage = [
  { sql: 'DELETE FROM log WHERE id = $base + 8', row: 8, hit: ['c'] },
  { sql: 'DELETE FROM log WHERE id = $base + 7', row: 7, hit: ['c', 'e'] },
  { sql: "UPDATE log SET body = '{' WHERE id = $base + 6", row: 6, hit: ['c', 'e'] },
  { sql: "UPDATE log SET kind = 'ghost' WHERE id = $base + 6", row: 6, hit: ['c', 'e'] },
]

test.for(damage)(
  'CKP-09 SQLite: runs before a damaged one are readable, and later ones name it ($sql)',
  async (planted) => {
    const { sql, row, hit } = planted
    using place = temporaryFolder()
    const path = place.file('runs.db')
    const sound = sqliteStore(path)
    const ids = await related(sound)
    const whole = ids.filter((id) => id !== 'b' && !hit.includes(id))
    const before = await logs(sound, whole)
    await sound.close()
    change(path, sql.replace('$base', String(2 ** 24)))
    const store = sqliteStore(path)
    expect(await logs(store, whole)).toEqual(before)
    await expect(store.read('b')).rejects.toThrow(`Run "b" is damaged: log row ${row}`)
    for (const id of hit) {
      const named = `Run "${id}" continues from log row ${row} of run "b", which is damaged.`
      await expect(store.read(id)).rejects.toMatchObject({
        code: 'run_damaged',
        message: expect.stringContaining(named),
      })
    }
    for (const id of ids) await store.delete(id)
    expect(countsOf(path)).toEqual([0, 0, 0, 0, 0, 0])
    await store.close()
  },
)

const unreferenced = [
  'DELETE FROM transcripts',
  'UPDATE transcripts SET at_seq = 99',
  'UPDATE transcripts SET parent = number',
]

test.for(unreferenced)('CKP-09 SQLite: a damaged transcript reference causes no endless read (%s)', async (sql) => {
  using place = temporaryFolder()
  const path = place.file('runs.db')
  const sound = sqliteStore(path)
  await related(sound)
  const before = await logs(sound, ['a', 'b', 'c'])
  await sound.close()
  change(path, sql)
  const store = sqliteStore(path)
  expect(await logs(store, ['a', 'b', 'c'])).toEqual(before)
  for (const id of ['d', 'e']) await expect(store.read(id)).rejects.toMatchObject({ code: 'run_damaged' })
  await store.close()
})

test('CKP-09 SQLite: a missing number of a deleted run is no damage, but one of an existing run is', async () => {
  using place = temporaryFolder()
  const path = place.file('runs.db')
  const store = sqliteStore(path)
  await related(store)
  await store.delete('b')
  const before = await logs(store, ['c', 'e'])
  expect(before).toHaveLength(2)
  change(path, `DELETE FROM log WHERE id = ${2 ** 24} + 4`)
  const named = 'Run "c" continues from log row 4 of run "a", which is damaged.'
  await expect(store.read('c')).rejects.toMatchObject({ message: expect.stringContaining(named) })
  await store.close()
})

test('CKP-09 SQLite: the missing rows of two deleted runs do not damage a run that writes at their border', async () => {
  using place = temporaryFolder()
  const store = sqliteStore(place.file('runs.db'))
  await done(store, 'a', { says: [] })
  await goOn(store, 'running', { runId: 'a', seq: 2 })
  const { lease, commit } = await goOn(store, 'b', { runId: 'a', seq: 2 })
  await commit({ entries: [checkpoint('{}')] })
  await commit({ entries: [says('b'), checkpoint('{}')], status: 'done' })
  await store.release(lease)
  await done(store, 'c', { continues: { runId: 'b' }, says: ['c'] })
  const before = await logs(store, ['c'])
  await store.delete('a')
  await store.delete('b')
  expect(await logs(store, ['c'])).toEqual(before)
  await store.close()
})
