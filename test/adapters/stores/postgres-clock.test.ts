import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { postgresStore } from '../../../src/adapters/stores/postgres/postgres-store.ts'
import { newRun, ownerNamed } from '../../../src/testing/stores/store-suite-fixtures.ts'
import { hasPostgres, postgresServer, sayNoPostgres } from '../../../proof/support/postgres-server.ts'
import { freshSchema, runSql } from '../../../proof/support/postgres-subject.ts'

sayNoPostgres('tests of the clock of Postgres are')

const { url } = hasPostgres ? await postgresServer() : { url: '' }
const schema = freshSchema()
const hour = 3_600_000

afterAll(async () => {
  if (hasPostgres) await runSql(url, `DROP SCHEMA IF EXISTS "${schema}" CASCADE`)
})

describe.skipIf(!hasPostgres)('Postgres', () => {
  test("CKP-05 Postgres: measures leases by the server's time, however wrong the client's clock is", async () => {
    const store = postgresStore({ connectionString: url, schema })
    const now = Date.now()
    vi.useFakeTimers({ toFake: ['Date'], now: now - hour })
    onTestFinished(() => void vi.useRealTimers())
    const lease = await store.create(newRun('run', { at: now - hour }), ownerNamed('behind'), 60_000)
    vi.setSystemTime(now + hour)
    expect((await store.record('run')).isDriven).toBe(true)
    const early = store.claim('run', ownerNamed('ahead'), 60_000)
    await expect(early).rejects.toMatchObject({ code: 'run_is_driven' })
    await expect(store.delete('run')).rejects.toMatchObject({ code: 'run_is_driven' })
    vi.setSystemTime(now - hour)
    await store.renew(lease, 60_000)
    expect((await store.record('run')).isDriven).toBe(true)

    // A lease of no time is over at once, however far behind the clock of its owner is.
    await store.renew(lease, -1)
    expect((await store.record('run')).isDriven).toBe(false)
    expect((await store.claim('run', ownerNamed('ahead'), 60_000)).lease?.fence).toBe(2)
    await store.close()
  })

  test("CKP-05 Postgres: measures due times by the client's clock", async () => {
    const store = postgresStore({ connectionString: url, schema })
    const due = Date.now() + hour
    const { fence, owner } = await store.create(newRun('timed'), ownerNamed('first'), 60_000)
    const commit = { runId: 'timed', owner: owner.id, fence, expectedVersion: 0, at: 0, status: 'running' } as const
    await store.commit({ ...commit, append: [], calls: [], document: '1', consumed: [], timers: [{ key: 'k', due }] })
    expect([await store.due(due - 1), await store.due(due)]).toEqual([[], ['timed']])
    await store.close()
  })
})
