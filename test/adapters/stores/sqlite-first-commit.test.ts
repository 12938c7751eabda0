import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { FirstCommit } from '../../../src/core/ports/store.ts'
import { RunHeads } from '../../../src/adapters/stores/sqlite/heads.ts'
import { createLeases } from '../../../src/adapters/stores/sqlite/leases.ts'
import { createReading } from '../../../src/adapters/stores/sqlite/reading.ts'
import { openDatabase } from '../../../src/adapters/stores/sqlite/open.ts'
import { createSession, type Session } from '../../../src/adapters/stores/sqlite/session.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import {
  createDriver,
  driverOf,
  newRun,
  ownerNamed,
  says,
  start,
  ttl,
} from '../../../src/testing/stores/store-suite-fixtures.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { createRecords } from '../../../src/adapters/stores/sqlite/records.ts'
import { createWatchers } from '../../../src/core/stores/rows/watchers.ts'

const owner = ownerNamed('first')
const first: FirstCommit = {
  at: start + 1,
  status: 'waiting',
  outcome: { reason: 'suspended' },
  append: [says('one')(1)],
  calls: [],
  document: '{}',
  consumed: [],
}

/** A session whose transactions do their work and then fail to end. */
function failingAtTheEnd(session: Session): Session {
  return {
    ...session,
    write: (work) =>
      session.write(() => {
        work()
        throw new Error('No room is left.')
      }),
  }
}

test('CKP-06 SQLite: a run whose transaction fails to end leaves no trace, in the file or in memory', () => {
  using folder = temporaryFolder()
  const session = createSession(openDatabase(folder.file('runs.db'), { synchronous: 'normal' }), 'runs.db')
  const heads = new RunHeads(session)
  const create = (over: Session) =>
    over.write(
      createLeases(over, heads, {
        fetch: createReading(over).fetch,
        clock: Date,
        records: createRecords(over, { clock: Date, watchers: createWatchers() }),
      }).creation(newRun('run'), owner, ttl, first),
    )

  expect(() => create(failingAtTheEnd(session))).toThrow('No room is left.')
  expect(session.sql('SELECT count(*) AS runs FROM runs').get()).toEqual({ runs: 0 })
  expect(heads.of('run')).toBeUndefined()
  expect(create(session)).toEqual({ runId: 'run', owner, fence: 1 })
  session.close()
})

test('CKP-06 SQLite: distinguishes a recreated run from the one that another connection has deleted', async () => {
  using folder = temporaryFolder()
  const store = sqliteStore(folder.file('runs.db'))
  const other = sqliteStore(folder.file('runs.db'), { pollMs: 100, clock: { now: () => Date.now() + ttl } })
  const driver = await createDriver(store, 'run')
  await driver.commit({ entries: [says('old')] })
  await other.delete('run')

  const lease = await store.create(newRun('run'), owner, ttl, first)
  const next = driverOf(store, lease, { version: 1, seq: 1 })
  expect(await next.commit({ entries: [says('two')] })).toEqual({ version: 2 })
  expect((await other.read('run')).log).toEqual([says('one')(1), says('two')(2)])
  await store.close()
  await other.close()
})

test('CKP-06 SQLite: does not create a resting run if its inbox already has rows', async () => {
  using folder = temporaryFolder()
  const store = sqliteStore(folder.file('runs.db'))
  const database = new DatabaseSync(folder.file('runs.db'))
  database.exec(`INSERT INTO inbox (run_id, kind, body, at) VALUES ('run', 'cancel', '{"kind":"cancel"}', ${start})`)
  database.close()

  await expect(store.create(newRun('run'), owner, ttl, first)).rejects.toMatchObject({
    code: 'run_damaged',
    message: 'Run "run" was not created: its inbox holds rows, and that of a new run is empty. Choose another id.',
  })
  expect(await store.list()).toEqual([])
  await store.close()
})
