import { afterAll, describe, expect, test } from 'vitest'
import { Pool } from 'pg'
import { beat } from '../../../src/core/domain/worker-record.ts'
import { postgresStore } from '../../../src/adapters/stores/postgres/postgres-store.ts'
import { quoted } from '../../../src/adapters/stores/postgres/session.ts'
import { createDriver, newRun, ownerNamed, says, ttl } from '../../../src/testing/stores/store-suite-fixtures.ts'
import { hasPgbouncer, sayNoPgbouncer, startPgbouncer } from '../../../proof/support/pgbouncer.ts'
import { hasPostgres, postgresServer, sayNoPostgres } from '../../../proof/support/postgres-server.ts'
import { freshSchema, runSql } from '../../../proof/support/postgres-subject.ts'

sayNoPostgres('tests of a pooler are')
sayNoPgbouncer('tests of a pooler are')

const { url } = hasPostgres ? await postgresServer() : { url: '' }
const schemas: string[] = []

function schemaOfOurs(): string {
  const schema = freshSchema()
  schemas.push(schema)
  return schema
}

afterAll(async () => {
  for (const schema of schemas) await runSql(url, `DROP SCHEMA IF EXISTS ${quoted(schema)} CASCADE`)
})

/** Returns the error of a write that a trigger refuses with the time limits of the store's connection. */
async function timeoutsOf(connectionString: string, statementMs: number): Promise<unknown> {
  const schema = schemaOfOurs()
  const store = postgresStore({ connectionString, schema, statementMs })
  await store.list()
  const refusing = `CREATE FUNCTION "${schema}".refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE '% %', current_setting('statement_timeout'), current_setting('idle_in_transaction_session_timeout'); END $$`
  await runSql(url, refusing)
  await runSql(
    url,
    `CREATE TRIGGER refuse BEFORE INSERT ON "${schema}".record_worker EXECUTE FUNCTION "${schema}".refuse()`,
  )
  const worker = { id: 'w', host: 'here', pid: 1, agents: [], concurrency: 1, driving: 0, startedAt: 1 }
  const refused: unknown = await store.change(beat(worker)).catch((error: unknown) => error)
  await store.close()
  return refused
}

describe.skipIf(!hasPostgres || !hasPgbouncer)('Postgres behind PgBouncer', () => {
  test('CKP-06 Postgres: works through a pooler in session mode, and is notified of posts by another process', async () => {
    await using pooler = await startPgbouncer(url, 'session')
    const schema = schemaOfOurs()
    const store = postgresStore({ connectionString: pooler.url, schema, connections: 3 })
    const driver = await createDriver(store, 'run')
    const heard = new Promise<void>((resolve) => store.watch('run', resolve))
    expect(await driver.commit({ entries: [says('one')] })).toEqual({ version: 1 })
    const other = postgresStore({ connectionString: pooler.url, schema, connections: 2 })
    await other.post('run', { kind: 'cancel' }, 1)
    await heard
    expect(await store.inbox('run', { isOpen: true })).toHaveLength(1)
    await other.close()
    await store.close()
  })

  test('CKP-06 Postgres: limits statements on each of its connections, with and without a pooler', async () => {
    await using pooler = await startPgbouncer(url, 'session')
    const limited = expect.objectContaining({ message: expect.stringContaining('45s 45s') })
    expect(await timeoutsOf(url, 45_000)).toEqual(limited)
    expect(await timeoutsOf(pooler.url, 45_000)).toEqual(limited)
  })

  test.for([
    ['hands out the server process that was returned last', []],
    ['hands out the server process that was returned first', ['server_round_robin = 1']],
    ['has one server process', ['default_pool_size = 1']],
  ] as const)(
    'CKP-06 Postgres: refuses a pooler in transaction mode that %s, and leaves no setting behind',
    async ([, settings]) => {
      await using pooler = await startPgbouncer(url, 'transaction', ...settings)
      const schema = schemaOfOurs()
      const plain = new Pool({ connectionString: pooler.url, max: 5 })
      // Several server processes are idle from the start.
      await Promise.all([1, 2, 3].map(() => plain.query('SELECT pg_sleep(0.01)')))
      const before = await plain.query('SHOW statement_timeout')
      for (const from of [{ connectionString: pooler.url }, { pool: plain }]) {
        const store = postgresStore({ ...from, schema })
        await expect(store.create(newRun('run'), ownerNamed('first'), ttl)).rejects.toMatchObject({
          code: 'store_unavailable',
          message: expect.stringMatching(/transaction mode.*use the pooler's session mode/),
        })
        await store.close()
      }
      expect(await plain.query('SHOW statement_timeout')).toMatchObject({ rows: before.rows })
      expect(await runSql(url, 'SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema])).toEqual([])
      await plain.end()
    },
  )
})
