import { afterAll, describe, expect, test } from 'vitest'
import { Pool } from 'pg'
import { postgresStore } from '../../../src/adapters/stores/postgres/postgres-store.ts'
import { newRun, ownerNamed, start } from '../../../src/testing/stores/store-suite-fixtures.ts'
import { hasPostgres, postgresServer, sayNoPostgres } from '../../../proof/support/postgres-server.ts'
import { freshSchema, runSql } from '../../../proof/support/postgres-subject.ts'
import { userMessage } from '../../../src/core/domain/message.ts'

sayNoPostgres('tests of listening on Postgres are')

const { url } = hasPostgres ? await postgresServer() : { url: '' }
const schemas: string[] = []
const never = 2 ** 30

afterAll(async () => {
  for (const schema of schemas) await runSql(url, `DROP SCHEMA IF EXISTS "${schema}" CASCADE`)
})

/** Two stores as of two processes, and who is heard of a run by the second. */
async function twoStores(runId: string, pollMs: number) {
  const schema = freshSchema()
  schemas.push(schema)
  const pools = [1, 2].map(() => new Pool({ connectionString: url, max: 4, application_name: schema }))
  const [poster, watcher] = pools.map((pool) => postgresStore({ pool, schema, pollMs }))
  if (poster === undefined || watcher === undefined) throw new Error('There are two pools.')
  await poster.create(newRun(runId), ownerNamed('first'), 60_000)
  let told = 0
  const stop = watcher.watch(runId, () => void told++)
  return {
    schema,
    told: () => told,
    post: () => poster.post(runId, { kind: 'steer', messages: [userMessage('heard', 1)] }, start),
    listeners: async () => {
      const select = "SELECT pid FROM pg_stat_activity WHERE application_name = $1 AND query LIKE 'LISTEN%'"
      return (await runSql(url, select, [schema])).map(({ pid }) => pid)
    },
    close: async () => {
      stop()
      for (const store of [poster, watcher]) await store.close()
      for (const pool of pools) await pool.end()
    },
  }
}

describe.skipIf(!hasPostgres)('Postgres', () => {
  test('DEC-07 Postgres: a process is notified once of each row that another process posts', async () => {
    const { told, post, listeners, close } = await twoStores('run', never)
    await expect.poll(listeners, { timeout: 60_000 }).toHaveLength(1)
    for (const count of [1, 2, 3]) {
      await post()
      await expect.poll(told, { timeout: 60_000 }).toBe(count)
    }
    await close()
  })

  test('DEC-07 Postgres: is notified of a run with the longest possible id, and of one with an odd id', async () => {
    const { told, post, listeners, close } = await twoStores(`${'ü'.repeat(995)} \0\n`, never)
    await expect.poll(listeners, { timeout: 60_000 }).toHaveLength(1)
    await post()
    await expect.poll(told, { timeout: 60_000 }).toBe(1)
    await close()
  })

  test('DEC-07 Postgres: listens again after its connection ended, and finds the rows posted meanwhile', async () => {
    const { told, post, listeners, close } = await twoStores('run', 50)
    await expect.poll(listeners, { timeout: 60_000 }).toHaveLength(1)
    const [first] = await listeners()
    await runSql(url, 'SELECT pg_terminate_backend($1)', [first])
    await post()
    await expect.poll(told, { timeout: 60_000 }).toBe(1)
    await expect.poll(async () => (await listeners()).some((pid) => pid !== first), { timeout: 60_000 }).toBe(true)
    await close()
  })

  test('DEC-07 Postgres: finds rows by polling if no notification came', async () => {
    const { schema, told, listeners, close } = await twoStores('run', 20)
    await expect.poll(listeners, { timeout: 60_000 }).toHaveLength(1)
    const insert = `INSERT INTO "${schema}".inbox (run, kind, body, at, token) SELECT number, 'cancel', '{"kind":"cancel"}', 1, 'x y' FROM "${schema}".runs`
    await runSql(url, insert)
    await expect.poll(told, { timeout: 60_000 }).toBe(1)
    await close()
  })
})
