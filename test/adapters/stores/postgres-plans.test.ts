import { once } from 'node:events'
import { afterAll, describe, expect, test } from 'vitest'
import { Pool, type QueryConfig } from 'pg'
import type { CallRecord } from '../../../src/core/domain/call.ts'
import { currentOwner } from '../../../src/core/domain/owner.ts'
import { postgresStore } from '../../../src/adapters/stores/postgres/postgres-store.ts'
import { call, driverOf, newRun, slot } from '../../../src/testing/stores/store-suite-fixtures.ts'
import { hasPostgres, postgresServer, sayNoPostgres } from '../../../proof/support/postgres-server.ts'
import { freshSchema, runSql } from '../../../proof/support/postgres-subject.ts'
import { copyInPostgres, storeFirstWaiting, waitingCall, waitingId } from '../../../proof/support/waiting-runs.ts'

sayNoPostgres('tests of the plans of Postgres are')

const { url } = hasPostgres ? await postgresServer() : { url: '' }
const schema = freshSchema()
const runs = 20_000

afterAll(async () => {
  if (hasPostgres) await runSql(url, `DROP SCHEMA IF EXISTS "${schema}" CASCADE`)
})

/** A pool that notes each statement with its values, as it was sent. */
function notingPool(sent: Sent[], answered: string[] = []): Pool {
  const pool = new Pool({ connectionString: url, max: 3 })
  pool.on('connect', (client) => {
    const query = client.query.bind(client)
    Object.assign(client, {
      query: (config: QueryConfig) => {
        sent.push({ text: config.text, values: config.values ?? [] })
        return query(config).then((answer: unknown) => {
          answered.push(config.text)
          return answer
        })
      },
    })
  })
  return pool
}

interface Sent {
  readonly text: string
  readonly values: readonly unknown[]
}

/** The tables that a statement reads from the first row to the last. */
async function scannedWhole({ text, values }: Sent): Promise<readonly string[]> {
  const [row] = await runSql(url, `EXPLAIN (FORMAT JSON) ${text}`, values)
  const plan = JSON.stringify(row?.['QUERY PLAN'])
  const scans = [...plan.matchAll(/"Node Type":"Seq Scan".*?"Relation Name":"(\w+)"/g)]
  return scans.map(([, name = '']) => name)
}

/** The conditions by which a statement looks rows of the log up. */
async function logLookups({ text, values }: Sent): Promise<readonly string[]> {
  const [row] = await runSql(url, `EXPLAIN (FORMAT JSON) ${text}`, values)
  const plan = JSON.stringify(row?.['QUERY PLAN'])
  return [...plan.matchAll(/"Index Name":"log_pkey".*?"Index Cond":"(.*?)"/g)].map(([, condition = '']) => condition)
}

describe.skipIf(!hasPostgres)('Postgres', () => {
  test('SCALE-01 CKP-06 Postgres: finds work, due times and one run among many waiting ones by indexes', async () => {
    const filling = postgresStore({ connectionString: url, schema })
    await storeFirstWaiting(filling)
    await filling.close()
    await copyInPostgres(url, schema, runs)

    const sent: Sent[] = []
    const pool = notingPool(sent)
    const store = postgresStore({ pool, schema })
    await store.record(waitingId(0))
    const asked: number[] = []
    for (const limit of [2, 60]) {
      sent.length = 0
      const listed = await store.suspended({ limit })
      expect(listed.filter((run) => 'calls' in run && run.calls[0]?.arguments !== undefined)).toHaveLength(limit)
      asked.push(sent.length)
    }
    expect(asked[1]).toBe(asked[0])
    sent.length = 0
    const now = Date.now()
    const owner = currentOwner('worker')
    const query = { agents: ['clerk'], now, limit: 8, owner, ttlMs: 60_000 }
    expect(await store.claimNext(query)).toEqual([])
    expect(await store.backlog(query)).toBe(0)
    expect([await store.nextDue(['clerk']), await store.due(now), await store.postponed()]).toEqual([undefined, [], []])
    const [answer] = await store.decide(waitingId(7), [{ target: waitingCall, action: 'resume' }], now)
    expect(answer?.answer).toBe('applied')
    const [claimed] = await store.claimNext(query)
    expect(claimed?.lease.runId).toBe(waitingId(7))
    const created = Array.from({ length: 8 }, (_, index) => store.create(newRun(`new-${index}`), owner, 60_000))
    const drivers = (await Promise.all(created)).map((lease) => driverOf(store, lease))
    for (const change of [{ entries: [slot((seq) => call(seq))] }, { calls: [{ record: call(1), document: null }] }])
      await Promise.all(drivers.map((driver) => driver.commit(change)))
    expect(sent.filter(({ text }) => text.includes('SKIP LOCKED')).length).toBeGreaterThan(1)
    await store.close()
    await pool.end()

    const byDocument = { text: `SELECT number FROM "${schema}".runs WHERE document = $1`, values: ['none'] }
    expect(await scannedWhole(byDocument)).toEqual(['runs'])
    const explained = sent.filter(({ text }) => /^\s*(?:SELECT|WITH|INSERT|UPDATE)/.test(text))
    expect(explained.length).toBeGreaterThan(8)
    const whole = await Promise.all(explained.map(async (one) => ({ text: one.text, scans: await scannedWhole(one) })))
    // The inbox holds one row.
    expect(whole.filter(({ scans }) => scans.some((name) => name !== 'inbox'))).toEqual([])
  })

  test('SCALE-01 CKP-04 Postgres: a commit reads the call that it changes, and no other log entry, in a new schema too', async () => {
    const sent: Sent[] = []
    const pool = notingPool(sent)
    const name = freshSchema()
    const store = postgresStore({ pool, schema: name })
    const owner = currentOwner('driver')
    const created = Array.from({ length: 8 }, (_, index) => store.create(newRun(`run-${index}`), owner, 60_000))
    const drivers = (await Promise.all(created)).map((lease) => driverOf(store, lease))
    await Promise.all(drivers.map((driver) => driver.commit({ entries: [slot((seq) => call(seq))] })))
    sent.length = 0
    await Promise.all(drivers.map((driver) => driver.commit({ calls: [{ record: call(1), document: null }] })))
    await store.close()
    await pool.end()

    const changing = sent.filter(({ text }) => text.includes('changed AS'))
    const isOfGroup = ({ text }: Sent) => text.includes('SKIP LOCKED')
    expect([changing.some(isOfGroup), changing.every(isOfGroup)]).toEqual([true, false])
    const lookups = (await Promise.all(changing.map(logLookups))).flat()
    // Each statement looks whether the call is there, and changes it.
    expect(lookups.length).toBe(2 * changing.length)
    expect(lookups.filter((condition) => !/\(seq = [^A]/.test(condition))).toEqual([])
    await runSql(url, `DROP SCHEMA IF EXISTS "${name}" CASCADE`)
  })

  test('CKP-04 Postgres: writes a commit of few or many entries completely, or not at all', async () => {
    const name = freshSchema()
    const store = postgresStore({ connectionString: url, schema: name })
    const counts = [1, 2, 3, 4, 5, 6]
    const odd = 'a "quoted" \\ text, {of, a list}, NULL, \0 and ü'
    for (const count of counts) {
      const driver = driverOf(store, await store.create(newRun(`run-${count}`), currentOwner('driver'), 60_000))
      const changed = (status: CallRecord['status']) =>
        counts
          .slice(0, count)
          .map((seq) => ({ record: call(seq, { status, toolCallId: odd }), document: `${odd} ${seq}` }))
      await driver.commit({ entries: changed('running').map(({ record }) => slot(() => record)) })
      await driver.commit({ calls: changed('succeeded') })
      const missing = { ...driver.plan(), calls: [...changed('failed').slice(1), { record: call(9), document: null }] }
      await expect(store.commit(missing)).rejects.toThrow('slot 9, which the log does not have')
      const { log, calls } = await store.read(`run-${count}`)
      expect(log).toEqual(changed('succeeded').map(({ record }) => ({ kind: 'call', seq: record.seq, call: record })))
      expect(calls.map(({ document }) => document)).toEqual(changed('succeeded').map(({ document }) => document))
    }
    await store.close()
    await runSql(url, `DROP SCHEMA IF EXISTS "${name}" CASCADE`)
  })

  test('SCALE-01 Postgres: an answer, a claim and a read need few round trips', async () => {
    const [sent, answered]: [Sent[], string[]] = [[], []]
    const pool = notingPool(sent, answered)
    const name = freshSchema()
    const store = postgresStore({ pool, schema: name })
    const texts = async (ask: () => Promise<unknown>) => {
      while (answered.length < sent.length) await once(pool, 'release')
      const before = answered.length
      await ask()
      return answered.slice(before)
    }
    const asked = async (ask: () => Promise<unknown>) => (await texts(ask)).length
    await storeFirstWaiting(store)
    const runId = waitingId(0)
    // The end of a reading is not waited for, and may be answered at the same moment.
    const read = (await texts(() => store.read(runId))).filter((text) => text !== 'COMMIT').length
    const decide = () => store.decide(runId, [{ target: waitingCall, action: 'resume' }], Date.now())
    const trips = {
      read,
      decide: await asked(decide),
      post: await asked(() => store.post(runId, { kind: 'cancel' }, Date.now())),
      claim: await asked(() => store.claim(runId, currentOwner('driver'), 60_000)),
    }
    expect(trips).toEqual({ read: 3, decide: 7, post: 6, claim: 5 })
    await store.close()
    await pool.end()
    await runSql(url, `DROP SCHEMA IF EXISTS "${name}" CASCADE`)
  })
})
