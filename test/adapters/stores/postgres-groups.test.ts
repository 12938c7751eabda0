import { afterAll, describe, expect, test } from 'vitest'
import { Pool, type QueryConfig } from 'pg'
import type { Store } from '../../../src/core/ports/store.ts'
import { type PostgresStoreOptions, postgresStore } from '../../../src/adapters/stores/postgres/postgres-store.ts'
import {
  call,
  type Driver,
  driverOf,
  newRun,
  ownerNamed,
  says,
  slot,
} from '../../../src/testing/stores/store-suite-fixtures.ts'
import { hasPostgres, postgresServer, sayNoPostgres } from '../../../proof/support/postgres-server.ts'
import { freshSchema, runSql } from '../../../proof/support/postgres-subject.ts'
import { cutLine, type CutMoment } from './cut-line.ts'

sayNoPostgres('tests of commits that share a statement are')

const { url } = hasPostgres ? await postgresServer() : { url: '' }
const moments: readonly CutMoment[] = ['before', 'after']
const closings: (() => Promise<unknown>)[] = []
/** More than go at once by themselves. */
const names = Array.from({ length: 12 }, (_, index) => `run-${index}`)
const lastName = 'run-11'

afterAll(async () => {
  for (const close of closings.toReversed()) await close()
})

interface Placed {
  readonly store: Store
  readonly schema: string
  readonly drivers: readonly Driver[]
  /** The statements that were sent. */
  readonly sent: string[]
}

/** A store with a driver of each run, each of which has a call in its log. */
async function placed(address = url, options: Pick<PostgresStoreOptions, 'patienceMs'> = {}): Promise<Placed> {
  const schema = freshSchema()
  const sent: string[] = []
  const pool = new Pool({ connectionString: address, max: 10 })
  pool.on('connect', (client) => {
    const query = client.query.bind(client)
    Object.assign(client, {
      query: (config: QueryConfig) => {
        sent.push(config.text)
        return query(config)
      },
    })
  })
  const store = postgresStore({ pool, schema, ...options })
  closings.push(
    () => runSql(url, `DROP SCHEMA "${schema}" CASCADE`),
    () => pool.end(),
    () => store.close(),
  )
  const drivers: Driver[] = []
  for (const name of names) {
    const driver = driverOf(store, await store.create(newRun(name), ownerNamed('first'), 60_000))
    await driver.commit({ entries: [slot((seq) => call(seq))] })
    drivers.push(driver)
  }
  sent.length = 0
  return { store, schema, drivers, sent }
}

const sharing = (sent: readonly string[]) => sent.filter((text) => text.includes('SKIP LOCKED')).length

/** The rows that a commit of each driver writes: a changed call, a message and a call. */
const change = (driver: Driver) => ({
  entries: [says(`the text of ${driver.lease.runId}`), slot((seq: number) => call(seq, { callId: 'other' }))],
  calls: [{ record: call(1, { status: 'succeeded', revision: 1 }), document: null }],
})

function commitAll(drivers: readonly Driver[]): Promise<readonly unknown[]> {
  return Promise.all(drivers.map((driver) => driver.commit(change(driver)).catch((error: unknown) => error)))
}

async function textsOf(store: Store, runId: string): Promise<readonly unknown[]> {
  const { log, record } = await store.read(runId)
  return [record.version, ...log.map((entry) => [entry.seq, entry.kind, JSON.stringify(entry)])]
}

describe.skipIf(!hasPostgres)('Postgres', () => {
  test('SCALE-01 CKP-06 Postgres: simultaneous commits of several runs share a statement, and write the same as separate ones', async () => {
    const { store, drivers, sent } = await placed()
    expect(await commitAll(drivers)).toEqual(drivers.map(() => ({ version: 2 })))
    expect([sharing(sent), sent.length]).toEqual([1, 5])
    const [alone, ...others] = await Promise.all(names.map((name) => textsOf(store, name)))
    expect(alone).toHaveLength(4)
    for (const [index, texts] of others.entries())
      expect(JSON.stringify(texts).replaceAll(`run-${index + 1}`, 'run-0')).toBe(JSON.stringify(alone))
    const rows = await Promise.all(names.map((name) => store.record(name)))
    expect(new Set(rows.map(({ id: _, ...record }) => JSON.stringify(record))).size).toBe(1)
  })

  test('SCALE-01 CKP-05 Postgres: a refused commit does not fail others in its statement', async () => {
    const { store, drivers, sent } = await placed()
    const [lost, freed, stale, odd, gap, doubled, ...sound] = drivers.toReversed()
    if (!lost || !freed || !stale || !odd || !gap || !doubled) throw new Error('There are 12 drivers.')
    await store.release(lost.lease)
    await store.claim(lost.lease.runId, ownerNamed('first'), 60_000)
    await store.release(freed.lease)
    const early = stale.plan(change(stale))
    await stale.commit()
    sent.length = 0
    const commits = [
      ...sound.map((driver) => driver.commit(change(driver))),
      store.commit(lost.plan(change(lost))),
      store.commit(freed.plan(change(freed))),
      store.commit(early),
      store.commit({ ...odd.plan(), calls: [{ record: call(7), document: null }] }),
      store.commit({ ...gap.plan(), append: [says('late')(9)] }),
      store.commit(doubled.plan(change(doubled))),
    ]
    const twin = store.commit(doubled.plan(change(doubled))).catch((error: unknown) => error)
    const answers = await Promise.all(commits.map((one) => one.catch((error: unknown) => error)))
    expect(sharing(sent)).toBeGreaterThan(0)
    expect(answers.slice(0, -1)).toMatchObject([
      ...sound.map(() => ({ version: 2 })),
      { code: 'fence_conflict' },
      { code: 'fence_conflict' },
      { code: 'version_conflict' },
      { message: expect.stringContaining('slot 7, which the log does not have') },
      { message: expect.stringContaining('appends log entry 9 where 2 is next') },
    ])
    // Which of two that are made at once is first is not told.
    const twins = [answers.at(-1), await twin]
    expect(twins).toContainEqual({ version: 2 })
    expect(twins).toContainEqual(expect.objectContaining({ code: 'version_conflict' }))
    const versions = await Promise.all(names.map(async (name) => (await store.record(name)).version))
    expect(versions).toEqual([...sound.map(() => 2), 2, 1, 1, 2, 1, 1])
  })

  test("SCALE-01 Postgres: an error of the server about one run fails only that run's commit", async () => {
    const { store, schema, drivers, sent } = await placed()
    const whose = `(SELECT number FROM "${schema}".runs WHERE id = $1)`
    await runSql(url, `INSERT INTO "${schema}".log VALUES (${whose}, 2, 1, 'message', '{}')`, [lastName])
    const answers = await commitAll(drivers)
    expect(answers.slice(0, -1)).toEqual(drivers.slice(1).map(() => ({ version: 2 })))
    expect(answers.at(-1)).toMatchObject({
      code: 'store_unavailable',
      message: expect.stringContaining('duplicate key'),
    })
    expect(sharing(sent)).toBe(1)
    expect((await store.record(lastName)).version).toBe(1)
  })

  test('SCALE-01 Postgres: no commit waits for the row of a run that another commit changes', async () => {
    const { drivers, schema } = await placed()
    const holder = new Pool({ connectionString: url, max: 1 })
    const client = await holder.connect()
    await client.query('BEGIN')
    await client.query(`SELECT FROM "${schema}".runs WHERE id = $1 FOR UPDATE`, [lastName])
    const commits = drivers.map((driver) => driver.commit(change(driver)))
    expect(await Promise.all(commits.slice(0, -1))).toEqual(drivers.slice(1).map(() => ({ version: 2 })))
    await client.query('ROLLBACK')
    client.release()
    expect(await commits.at(-1)).toEqual({ version: 2 })
    await holder.end()
  })

  for (const moment of moments) {
    test(`CKP-05 Postgres: stores each commit of a statement once if its connection was cut ${moment} the server had it`, async () => {
      const line = await cutLine(url)
      closings.push(() => line.close())
      const { store, drivers, sent } = await placed(line.url)
      line.cutAt(`the text of ${lastName}`, moment)
      expect(await commitAll(drivers)).toEqual(drivers.map(() => ({ version: 2 })))
      expect([line.cuts(), sharing(sent)]).toEqual([1, 1])
      const logs = await Promise.all(names.map(async (name) => (await store.read(name)).log.map(({ seq }) => seq)))
      expect(logs).toEqual(names.map(() => [1, 2, 3]))
      expect(await commitAll(drivers)).toMatchObject(drivers.map(() => ({ version: 3 })))
    })
  }

  test('CKP-05 Postgres: each commit of a statement in doubt learns the result when it is repeated', async () => {
    const line = await cutLine(url)
    closings.push(() => line.close())
    const { store, drivers } = await placed(line.url, { patienceMs: 0 })
    const plans = drivers.map((driver) => driver.plan(change(driver)))
    line.cutAt(`the text of ${lastName}`, 'after')
    const answers = await Promise.all(plans.map((plan) => store.commit(plan).catch((error: unknown) => error)))
    const unknown = { code: 'store_unavailable', message: expect.stringContaining('is not known') }
    expect(answers).toMatchObject(names.map((_, index) => (index < 4 ? { version: 2 } : unknown)))
    expect(await Promise.all(plans.slice(4).map((plan) => store.commit(plan)))).toEqual(
      names.slice(4).map(() => ({ version: 2 })),
    )
    expect(await Promise.all(names.map(async (name) => (await store.read(name)).log.length))).toEqual(
      names.map(() => 3),
    )
  })
})
