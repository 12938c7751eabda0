import { Pool, type QueryConfig } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { hasPostgres, postgresServer, sayNoPostgres } from '../../../proof/support/postgres-server.ts'
import { freshSchema, runSql } from '../../../proof/support/postgres-subject.ts'
import { postgresStore } from '../../../src/adapters/stores/postgres/postgres-store.ts'
import { driverOf, newRun, ownerNamed, says } from '../../../src/testing/stores/store-suite-fixtures.ts'

sayNoPostgres('the order of commits and reads on Postgres is')

test.skipIf(!hasPostgres)('CKP-06 Postgres: a read waits for an earlier commit', async () => {
  const { url } = await postgresServer()
  const schema = freshSchema()
  const pool = new Pool({ connectionString: url, max: 4 })
  pool.on('connect', (client) => {
    const query = client.query.bind(client)
    // A commit is as slow as many questions that others ask meanwhile.
    const slowly = async (config: QueryConfig) => {
      for (let asked = 0; asked < 10; asked++) await runSql(url, 'SELECT 1')
      return query(config)
    }
    Object.assign(client, {
      query: (config: QueryConfig) => (config.text?.includes('appended AS') ? slowly(config) : query(config)),
    })
  })
  const store = postgresStore({ pool, schema })
  onTestFinished(async () => {
    await store.close()
    await pool.end()
    await runSql(url, `DROP SCHEMA "${schema}" CASCADE`)
  })
  const driver = driverOf(store, await store.create(newRun('run'), ownerNamed('first'), 60_000))
  const commit = driver.commit({ entries: [says('seen')] })
  const [{ log }, entries] = await Promise.all([store.read('run'), store.entries('run', 0, 1)])
  expect([log, entries]).toEqual([[says('seen')(1)], [says('seen')(1)]])
  expect(await commit).toEqual({ version: 1 })
})
