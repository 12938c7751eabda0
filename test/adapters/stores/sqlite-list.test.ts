import { expect, test } from 'vitest'
import type { Store } from '../../../src/core/ports/store.ts'
import type { RunFilter } from '../../../src/core/ports/store-lists.ts'
import {
  createListing,
  listRuns,
  pageSize,
  recordColumns,
  selectRuns,
} from '../../../src/adapters/stores/sqlite/list.ts'
import { openDatabase } from '../../../src/adapters/stores/sqlite/open.ts'
import { createReading, selectDue } from '../../../src/adapters/stores/sqlite/reading.ts'
import { createSession, type Session } from '../../../src/adapters/stores/sqlite/session.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { checkpoint, createDriver, recordOf, start } from '../../../src/testing/stores/store-suite-fixtures.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Returns SQLite's query plan for a statement, one line each. */
function planOf(path: string, statement: string): readonly string[] {
  const database = openDatabase(path, { synchronous: 'normal' })
  const lines = database.prepare(`EXPLAIN QUERY PLAN ${statement}`).all()
  database.close()
  return lines.map(({ detail }) => String(detail))
}

test('CKP-09 SQLite: finds due timers without reading the others', () => {
  using folder = temporaryFolder()
  expect(planOf(folder.file('runs.db'), selectDue)[0]).toBe('SEARCH timers USING COVERING INDEX timers_by_due (due<?)')
})

test.for<readonly [RunFilter, string]>([
  [{}, 'runs_by_age (created_at<?)'],
  [{ updatedBefore: 5 }, 'runs_by_age (created_at<?)'],
  [{ agent: 'a' }, 'runs_by_agent (agent=? AND created_at<?)'],
  [{ status: 'waiting' }, 'runs_open (status=? AND created_at<?)'],
  [{ status: 'running', agent: 'a', updatedBefore: 5 }, 'runs_open (status=? AND created_at<?)'],
  [{ status: 'done', agent: 'a' }, 'runs_by_agent (agent=? AND created_at<?)'],
  [{ session: 's' }, 'runs_of_session (session=? AND created_at<?)'],
  [{ subject: 'x' }, 'runs_of_subject (subject=? AND created_at<?)'],
])('CKP-09 SQLite: lists runs of %j in the order of an index', ([filter, index]) => {
  using folder = temporaryFolder()
  const plan = planOf(folder.file('runs.db'), selectRuns(filter, recordColumns))
  expect(plan[0]).toBe(`SEARCH runs USING INDEX ${index}`)
  expect(plan.filter((line) => /SCAN|TEMP B-TREE/.test(line) && !line.startsWith('CORRELATED'))).toEqual([])
})

/** A store of so many runs, all of one moment. */
async function storeOf(path: string, count: number): Promise<Store> {
  const store = sqliteStore(path, { synchronous: 'normal' })
  await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const driver = await createDriver(store, `run-${index}`)
      await driver.commit({ entries: [checkpoint('{}', start + index)], at: start })
    }),
  )
  return store
}

const count = 2 * pageSize + 7

test('CKP-09 SQLite: lists many runs in pages, each once, so that other work gets its turn', async () => {
  using folder = temporaryFolder()
  const store = await storeOf(folder.file('runs.db'), count)
  let turns = 0
  const tick = () => {
    turns++
    ticking = setImmediate(tick)
  }
  let ticking = setImmediate(tick)
  const listed = await store.list({ limit: 10 * count })
  clearImmediate(ticking)
  expect(turns).toBeGreaterThanOrEqual(2)
  const ids = Array.from({ length: count }, (_, index) => `run-${count - 1 - index}`)
  expect(listed.map(({ id }) => id)).toEqual(ids)
  expect((await store.list({ limit: pageSize + 1 })).map(({ id }) => id)).toEqual(ids.slice(0, pageSize + 1))
  expect((await store.list({ limit: count, updatedBefore: start + 3 })).map(({ id }) => id)).toEqual(ids.slice(-3))
  expect(listed[0]).toMatchObject(await recordOf(store, `run-${count - 1}`))
  await store.close()
})

test('CKP-09 SQLite: reads a page of runs in one transaction and one statement', async () => {
  using folder = temporaryFolder()
  const path = folder.file('runs.db')
  await (await storeOf(path, count)).close()
  const session = createSession(openDatabase(path, { synchronous: 'normal' }), path)
  let transactions = 0
  let statements = 0
  const counting: Session = {
    ...session,
    sql: (text) => {
      statements++
      return session.sql(text)
    },
    read: (work, runId) => {
      transactions++
      return session.read(work, runId)
    },
  }
  const page = createListing(counting, createReading(counting).record)
  const listed = await listRuns({ limit: count }, async (after, wanted) => page({}, after, wanted))
  expect(listed).toHaveLength(count)
  expect({ transactions, statements }).toEqual({ transactions: 3, statements: 3 })
  session.close()
})
