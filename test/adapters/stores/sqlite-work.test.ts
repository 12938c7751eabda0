import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { deadOwner } from '../../../proof/support/dead-owner.ts'
import type { Store } from '../../../src/core/ports/store.ts'
import type { ClaimedWork, WorkStore } from '../../../src/core/ports/work.ts'
import { openDatabase } from '../../../src/adapters/stores/sqlite/open.ts'
import { findingStatements } from '../../../src/adapters/stores/sqlite/find-work.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { readLiveAnswer } from '../../../src/core/driving/store-live-answer.ts'
import { newRun, ownerNamed, start, ttl } from '../../../src/testing/stores/store-suite-fixtures.ts'
import { temporaryFolder } from './temporary-folder.ts'

async function storeFree(store: Store, id: string): Promise<void> {
  await store.release(await store.create(newRun(id), ownerNamed('first'), ttl))
}

function next(store: WorkStore, id = 'worker'): Promise<readonly ClaimedWork[]> {
  const owner = ownerNamed(id)
  return store.claimNext({ agents: ['guide'], now: start, limit: 100, owner, ttlMs: ttl })
}

const idsOf = (found: readonly ClaimedWork[]) => found.map(({ lease }) => lease.runId)

test.for(Object.entries(findingStatements))(
  'SCALE-01 SQLite: finds work without scanning the waiting runs: %s',
  ([, statement]) => {
    using folder = temporaryFolder()
    const database = openDatabase(folder.file('runs.db'), { synchronous: 'normal' })
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${statement}`).all()
    database.close()
    const lines = plan.map(({ detail }) => String(detail))
    // These hold nothing but what is postponed, answered or due, or are walked in order up to the first that fits.
    const small = /USING (COVERING )?INDEX (runs_postponed|inbox_changing|timers_by_due)/
    expect(lines.filter((line) => line.startsWith('SCAN') && !small.test(line))).toEqual([])
    expect(lines.filter((line) => /runs_open|runs_by_/.test(line))).toEqual([])
  },
)

test.for(['due', 'nextTimer'] as const)("SCALE-01 SQLite: a worker reads only its own agent's timers: %s", (name) => {
  using folder = temporaryFolder()
  const path = folder.file('runs.db')
  const database = openDatabase(path, { synchronous: 'normal' })
  const plan = () => String(database.prepare(`EXPLAIN QUERY PLAN ${findingStatements[name]}`).all()[0]?.['detail'])
  const expected = /^SEARCH timers USING (COVERING )?INDEX timers_of_agent \(agent=\?/
  expect(plan()).toMatch(expected)
  database.exec(`
      WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 10000)
      INSERT INTO timers (run_id, key, agent, due) SELECT 'run-' || n, 'key', 'other', n FROM counted;
      ANALYZE`)
  expect(plan()).toMatch(expected)
  database.close()
})

test('EVT-04 SQLite: deletes marks of departed readers with the next mark', async () => {
  using folder = temporaryFolder()
  const path = folder.file('runs.db')
  let now = start
  const store = sqliteStore(path, { clock: { now: () => now } })
  for (const id of ['one', 'two', 'three']) {
    await storeFree(store, id)
    await readLiveAnswer(store, id)
    now += 20_001
  }
  const database = new DatabaseSync(path)
  expect(database.prepare('SELECT key FROM record_reader').all()).toEqual([{ key: 'three' }])
  database.close()
  await store.close()
})

test('SCALE-01 SQLite: a search that finds nothing writes nothing', async () => {
  using folder = temporaryFolder()
  const path = folder.file('runs.db')
  const store = sqliteStore(path, { synchronous: 'normal' })
  await store.create(newRun('held'), ownerNamed('first'), ttl)
  const other = new DatabaseSync(path)
  const version = () => other.prepare('PRAGMA data_version').get()
  const before = version()
  expect(await next(store)).toEqual([])
  expect(version()).toEqual(before)
  other.close()
  await store.close()
})

test('SCALE-01 SQLite: gives each of many runs to one of two processes that claim at once', async () => {
  using folder = temporaryFolder()
  const path = folder.file('runs.db')
  const left = sqliteStore(path, { synchronous: 'normal' })
  const right = sqliteStore(path, { synchronous: 'normal', pollMs: 100 })
  const ids = Array.from({ length: 30 }, (_, index) => `run-${index}`)
  for (const id of ids) await storeFree(left, id)
  const found = await Promise.all([next(left, 'left'), next(right, 'right')])
  expect(found.flatMap(idsOf).toSorted()).toEqual(ids.toSorted())
  await left.close()
  await right.close()
})

test('SCALE-01 SQLite: a watcher of the whole store notices the writes of another process', async () => {
  using folder = temporaryFolder()
  const path = folder.file('runs.db')
  const store = sqliteStore(path, { synchronous: 'normal' })
  const other = sqliteStore(path, { synchronous: 'normal', pollMs: 100 })
  const told = Promise.withResolvers<void>()
  const stop = store.watch(undefined, () => told.resolve())
  await storeFree(other, 'run')
  await expect(told.promise).resolves.toBeUndefined()
  stop()
  await other.close()
  await store.close()
})

test('CKP-09 SQLite: claims an unreadable run with its error, and still claims the others', async () => {
  using folder = temporaryFolder()
  const path = folder.file('runs.db')
  const store = sqliteStore(path, { synchronous: 'normal' })
  for (const id of ['bad', 'good']) await storeFree(store, id)
  const database = new DatabaseSync(path)
  database.exec("UPDATE inputs SET body = 'no JSON' WHERE number = (SELECT number FROM runs WHERE id = 'bad')")
  database.close()
  const [bad, good] = await next(store)
  expect(bad).toMatchObject({ lease: { runId: 'bad' }, run: { damaged: expect.stringContaining('"bad"') } })
  expect(good).toMatchObject({ lease: { runId: 'good' }, run: { record: { id: 'good' } } })
  if (bad !== undefined) await store.release(bad.lease, { failures: 0, problem: 'damaged' })
  expect(await store.postponed({ isAside: true })).toMatchObject([{ runId: 'bad', problem: 'damaged' }])
  await store.close()
})

test("CKP-05 SQLite: a process that opens the file later knows how often a run's drivers have died", async () => {
  using folder = temporaryFolder()
  const path = folder.file('runs.db')
  for (const [index, failures] of [0, 1, 2].entries()) {
    const store = sqliteStore(path, { synchronous: 'normal' })
    if (index === 0) await storeFree(store, 'run')
    const owner = deadOwner(`worker-${index}`)
    const found = await store.claimNext({ agents: ['guide'], now: start, limit: 1, owner, ttlMs: ttl })
    expect(found).toMatchObject([{ failures, wasHeld: index > 0 }])
    await store.close()
  }
})
