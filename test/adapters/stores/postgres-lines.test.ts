import { afterAll, describe, expect, test } from 'vitest'
import { Pool } from 'pg'
import type { Store } from '../../../src/core/ports/store.ts'
import { type PostgresStoreOptions, postgresStore } from '../../../src/adapters/stores/postgres/postgres-store.ts'
import { createSession } from '../../../src/adapters/stores/postgres/session.ts'
import {
  call,
  driverOf,
  newRun,
  ownerNamed,
  says,
  slot,
  start,
} from '../../../src/testing/stores/store-suite-fixtures.ts'
import { hasPostgres, postgresServer, sayNoPostgres, startPostgres } from '../../../proof/support/postgres-server.ts'
import { freshSchema, runSql } from '../../../proof/support/postgres-subject.ts'
import { type CutLine, cutLine, type CutMoment } from './cut-line.ts'
import { userMessage } from '../../../src/core/domain/message.ts'

sayNoPostgres('tests of lost connections to Postgres are')

const { url } = hasPostgres ? await postgresServer() : { url: '' }
const ttl = 60_000
const moments: readonly CutMoment[] = ['before', 'after']
const closings: (() => Promise<unknown>)[] = []

afterAll(async () => {
  for (const close of closings.toReversed()) await close()
})

interface Cut {
  readonly store: Store
  readonly line: CutLine
}

/** A store over a line that can be cut, with a connection that is there already. */
async function cutStore(options: Omit<PostgresStoreOptions, 'pool' | 'connectionString'> = {}): Promise<Cut> {
  const line = await cutLine(url)
  const schema = freshSchema()
  const store = postgresStore({ connectionString: line.url, schema, ...options })
  closings.push(
    () => runSql(url, `DROP SCHEMA "${schema}" CASCADE`),
    () => line.close(),
    () => store.close(),
  )
  await store.list()
  return { store, line }
}

async function textsOf(store: Store): Promise<readonly number[]> {
  return (await store.read('run')).log.map(({ seq }) => seq)
}

describe.skipIf(!hasPostgres)('Postgres', () => {
  for (const moment of moments) {
    test(`CKP-05 Postgres: stores a commit once if its connection was cut ${moment} the server had it`, async () => {
      const { store, line } = await cutStore()
      const driver = driverOf(store, await store.create(newRun('run'), ownerNamed('first'), ttl))
      await driver.commit({ entries: [says('one')] })
      line.cutAt('the marked text', moment)
      expect(await driver.commit({ entries: [says('the marked text')] })).toEqual({ version: 2 })
      expect(line.cuts()).toBe(1)
      expect(await driver.commit({ entries: [says('three')] })).toEqual({ version: 3 })
      expect(await textsOf(store)).toEqual([1, 2, 3])
    })

    test(`CKP-05 Postgres: ends a run once if its last commit was cut ${moment} the server had it`, async () => {
      const { store, line } = await cutStore()
      const driver = driverOf(store, await store.create(newRun('run'), ownerNamed('first'), ttl))
      line.cutAt('the marked text', moment)
      const end = { entries: [says('the marked text')], status: 'done', release: true } as const
      expect(await driver.commit(end)).toEqual({ version: 1, released: true })
      expect(line.cuts()).toBe(1)
      expect(await store.claim('run', ownerNamed('second'), ttl)).toMatchObject({
        run: { record: { version: 1 } },
      })
    })

    test(`CKP-05 Postgres: processes a message once if its commit was cut ${moment} the server had it`, async () => {
      const { store, line } = await cutStore()
      const { fence } = await store.create(newRun('run'), ownerNamed('first'), ttl)
      line.cutAt('COMMIT', moment)
      const receipt = await store.post('run', { kind: 'steer', messages: [userMessage('once', 1)] }, start)
      expect([fence, receipt.answer, line.cuts()]).toEqual([1, 'applied', 1])
      expect(await store.inbox('run', { isOpen: true })).toMatchObject([
        { item: { kind: 'steer', messages: [userMessage('once', 1)] } },
      ])
    })

    test(`DEC-07 Postgres: repeats the first answer to a decision whose commit was cut ${moment} the server had it`, async () => {
      const { store, line } = await cutStore()
      const driver = driverOf(store, await store.create(newRun('run'), ownerNamed('first'), ttl))
      await driver.commit({ entries: [slot((seq) => call(seq))] })
      line.cutAt('COMMIT', moment)
      const [receipt] = await store.decide('run', [{ target: 'call-1', action: 'resume' }], start)
      expect([receipt?.answer, line.cuts()]).toEqual(['kept', 1])
      expect(await store.inbox('run', { kinds: ['decision'] })).toHaveLength(1)
    })

    test(`CKP-05 Postgres: creates, claims and deletes a run once if its commit was cut ${moment} the server had it`, async () => {
      const { store, line } = await cutStore()
      line.cutAt('COMMIT', moment)
      const lease = await store.create(newRun('run'), ownerNamed('first'), ttl)
      await expect(store.create(newRun('run'), ownerNamed('other'), ttl)).rejects.toMatchObject({ code: 'run_exists' })
      await store.release(lease)
      line.cutAt('COMMIT', moment)
      const claimed = await store.claim('run', ownerNamed('second'), ttl)
      expect(claimed.lease?.fence).toBe(moment === 'before' ? 2 : 3)
      if (claimed.lease !== undefined) await store.release(claimed.lease)
      line.cutAt('COMMIT', moment)
      expect(await store.delete('run')).toEqual({ runs: ['run'], readers: [] })
      expect([line.cuts(), await store.list()]).toEqual([3, []])
    })

    test(`CKP-05 Postgres: returns the claimed run to a worker whose connection was cut ${moment} the server had the claim`, async () => {
      const { store, line } = await cutStore()
      await store.release(await store.create(newRun('run'), ownerNamed('first'), ttl))
      line.cutAt('COMMIT', moment)
      const query = { agents: ['guide'], now: start, limit: 8, owner: ownerNamed('worker'), ttlMs: ttl }
      const claimed = await store.claimNext(query)
      expect(claimed.map(({ lease, failures }) => [lease.runId, lease.fence, failures])).toEqual([['run', 2, 0]])
      expect(line.cuts()).toBe(1)
      await store.renew(claimed[0]?.lease ?? { runId: '', owner: query.owner, fence: 0 }, ttl)
    })
  }

  test('CKP-05 Postgres: a connection that the server closes at once ends no process, and is reopened', async () => {
    const line = await cutLine(url)
    const schema = freshSchema()
    const pool = new Pool({ connectionString: line.url, max: 2 })
    for (const place of [{ connectionString: line.url }, { pool }]) {
      const store = postgresStore({ ...place, schema })
      await store.list()
      // Two at once are two connections: the second is a new one.
      line.cutNext()
      const found = await Promise.all([store.list(), store.list(), store.list()])
      expect(found).toEqual([[], [], []])
      await store.close()
    }
    expect(line.cuts()).toBe(2)
    await pool.end()
    await line.close()
    await runSql(url, `DROP SCHEMA "${schema}" CASCADE`)
  })

  test('CKP-05 Postgres: reports that a commit is in doubt, and learns the result when it is repeated', async () => {
    const { store, line } = await cutStore({ patienceMs: 0 })
    const driver = driverOf(store, await store.create(newRun('run'), ownerNamed('first'), ttl))
    const plan = driver.plan({ entries: [says('the marked text')] })
    line.cutAt('the marked text', 'after')
    const refused = await store.commit(plan).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'store_unavailable', message: expect.stringContaining('is not known') })
    expect(await store.commit(plan)).toEqual({ version: 1 })
    await expect(store.commit(plan)).rejects.toMatchObject({ code: 'version_conflict' })
    expect(await textsOf(store)).toEqual([1])
  })

  test('CKP-05 Postgres: reports a lost lease to a driver whose commit was in doubt while another took the run', async () => {
    const { store, line } = await cutStore({ patienceMs: 0 })
    const lease = await store.create(newRun('run'), ownerNamed('first'), ttl)
    const driver = driverOf(store, lease)
    const plan = driver.plan({ entries: [says('the marked text')] })
    line.cutAt('the marked text', 'after')
    await expect(store.commit(plan)).rejects.toMatchObject({ code: 'store_unavailable' })
    await store.release(lease)
    await store.claim('run', ownerNamed('second'), ttl)
    const refused = await store.commit(plan).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'fence_conflict', message: expect.stringContaining('cut while version 1') })
  })

  test('CKP-05 Postgres: a transaction that the server rolled back is not a commit, even if its COMMIT succeeds', async () => {
    const pool = new Pool({ connectionString: url, max: 2 })
    const session = createSession({
      pool,
      schema: 'none',
      place: 'here',
      patienceMs: 0,
      answerMs: 60_000,
      statementMs: undefined,
      prepare: async () => undefined,
    })
    const swallowed = session.write(async (sql) => {
      await sql('SELECT 1 / 0').catch(() => undefined)
    })
    await expect(swallowed).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringContaining('rolled back'),
    })
    expect(await session.look((sql) => sql('SELECT 1 AS one'))).toEqual([{ one: 1 }])
    await pool.end()
  })

  test('CKP-05 Postgres: waits for the server to restart, and has lost nothing', { timeout: 120_000 }, async () => {
    const server = await startPostgres('fsync=on')
    const { stop, start: begin } = server
    // A server that others use is not stopped.
    if (stop === undefined || begin === undefined) return
    const store = postgresStore({ connectionString: server.url, patienceMs: 60_000 })
    const told: string[] = []
    const driver = driverOf(store, await store.create(newRun('run'), ownerNamed('first'), ttl))
    const unwatch = store.watch('run', () => void told.push('told'))
    await driver.commit({ entries: [says('one')] })
    await stop()
    const hasty = postgresStore({ connectionString: server.url, patienceMs: 0 })
    await expect(hasty.list()).rejects.toMatchObject({ code: 'store_unavailable' })
    const committed = driver.commit({ entries: [says('two')] })
    await begin()
    expect(await committed).toEqual({ version: 2 })
    expect(await textsOf(store)).toEqual([1, 2])
    const other = postgresStore({ connectionString: server.url, patienceMs: 60_000 })
    await other.post('run', { kind: 'steer', messages: [userMessage('after', 1)] }, start)
    await expect.poll(() => told.length, { timeout: 60_000 }).toBeGreaterThan(0)
    unwatch()
    for (const one of [store, hasty, other]) await one.close()
    await stop()
  })
})
