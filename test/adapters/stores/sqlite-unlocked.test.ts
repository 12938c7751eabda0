import { DatabaseSync, StatementSync } from 'node:sqlite'
import { expect, test, vi } from 'vitest'
import { openDatabase } from '../../../src/adapters/stores/sqlite/open.ts'
import { createSession } from '../../../src/adapters/stores/sqlite/session.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { checkpoint, createDriver, ownerNamed, says } from '../../../src/testing/stores/store-suite-fixtures.ts'
import { temporaryFolder } from './temporary-folder.ts'

const documentOf = (text: string) => JSON.stringify({ text })

/** Whether others may write now, as another connection finds. */
function probeOf(path: string): { readonly isLocked: () => boolean; readonly close: () => void } {
  const database = new DatabaseSync(path)
  database.exec('PRAGMA busy_timeout = 0')
  return {
    isLocked() {
      try {
        database.exec('BEGIN IMMEDIATE; ROLLBACK')
        return false
      } catch {
        return true
      }
    },
    close: () => database.close(),
  }
}

test('CKP-09 SQLite: packs a checkpoint before it locks the file', async () => {
  using folder = temporaryFolder()
  const path = folder.file('runs.db')
  const store = sqliteStore(path)
  const driver = await createDriver(store, 'run')
  await driver.commit({ entries: [checkpoint(documentOf('before'))] })
  const probe = probeOf(path)
  const seen: boolean[] = []
  const watched = (seq: number) => ({
    ...checkpoint('')(seq),
    get document() {
      seen.push(probe.isLocked())
      return documentOf('after')
    },
  })
  await driver.commit({ entries: [watched] })
  expect(new Set(seen)).toEqual(new Set([false]))
  expect((await store.read('run')).checkpoint?.document).toBe(documentOf('after'))
  probe.close()
  await store.close()
})

test('CKP-09 DEC-07 SQLite: judges a post before it locks the file, and again if another process wrote meanwhile', () => {
  using folder = temporaryFolder()
  const path = folder.file('runs.db')
  const session = createSession(openDatabase(path, { synchronous: 'normal' }), path)
  const other = createSession(openDatabase(path, { synchronous: 'normal' }), path)
  const probe = probeOf(path)
  const count = () => session.sql('SELECT count(*) AS count FROM timers').get()?.['count']
  const seen: unknown[] = []
  const judge = (meanwhile: () => void) => () => {
    const found = [count(), probe.isLocked()]
    if (seen.length === 0) meanwhile()
    seen.push(found)
    return found[0]
  }
  const settle = (meanwhile: () => void) => session.settle(judge(meanwhile), () => undefined, { runId: 'run' })
  expect(settle(() => undefined)).toBe(0)
  expect(seen.splice(0)).toEqual([[0, false]])
  expect(settle(() => other.write(() => other.sql("INSERT INTO timers VALUES ('run', 'key', 'guide', 1)").run()))).toBe(
    1,
  )
  expect(seen).toEqual([
    [0, false],
    [1, true],
  ])
  session.close()
  other.close()
  probe.close()
})

test("CKP-09 SQLite: reads a claimed run's log while others may write", async () => {
  using folder = temporaryFolder()
  const path = folder.file('runs.db')
  const store = sqliteStore(path)
  const driver = await createDriver(store, 'run')
  await driver.commit({ entries: [says('one'), checkpoint(documentOf('kept'))] })
  await store.release(driver.lease)
  const probe = probeOf(path)
  const seen: boolean[] = []
  const all = StatementSync.prototype.all
  vi.spyOn(StatementSync.prototype, 'all').mockImplementation(function (this: StatementSync, ...given) {
    if (/\bFROM log\b/.test(this.sourceSQL)) seen.push(probe.isLocked())
    return all.apply(this, given)
  })
  const { lease, run } = await store.claim('run', ownerNamed('second'), 60_000)
  expect([lease?.fence, run.log.map(({ kind }) => kind)]).toEqual([2, ['message']])
  expect(seen.length).toBeGreaterThan(0)
  expect(new Set(seen)).toEqual(new Set([false]))
  probe.close()
  await store.close()
})

test('CKP-05 SQLite: rejects the commit of a driver that lost its lease between the claim and the read', async () => {
  using folder = temporaryFolder()
  const path = folder.file('runs.db')
  const [store, other] = [sqliteStore(path), sqliteStore(path, { pollMs: 100 })]
  const driver = await createDriver(store, 'run')
  await store.release(driver.lease)
  const claim = store.claim('run', ownerNamed('second'), -1)
  // Queued work is written in the next microtask, and read after it.
  await Promise.resolve()
  const taken = other.claim('run', ownerNamed('third'), 60_000)
  const [{ lease }, { lease: standing }] = await Promise.all([claim, taken])
  expect([lease?.fence, standing?.fence]).toEqual([2, 3])
  const plan = { ...driver.plan({ entries: [says('late')] }), owner: 'second', fence: 2 }
  await expect(store.commit(plan)).rejects.toMatchObject({ code: 'fence_conflict' })
  await store.close()
  await other.close()
})
