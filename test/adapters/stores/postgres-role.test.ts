import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { postgresStore } from '../../../src/adapters/stores/postgres/postgres-store.ts'
import { driverOf, newRun, ownerNamed, says, start } from '../../../src/testing/stores/store-suite-fixtures.ts'
import { hasPostgres, postgresServer, sayNoPostgres } from '../../../proof/support/postgres-server.ts'
import { freshSchema, runSql } from '../../../proof/support/postgres-subject.ts'
import { userMessage } from '../../../src/core/domain/message.ts'

sayNoPostgres('tests of a role with few rights are')

const { url } = hasPostgres ? await postgresServer() : { url: '' }
const [, grants = ''] = /```sql\n(.*?)```/s.exec(readFileSync('docs/guides/postgres.md', 'utf8')) ?? []

describe.skipIf(!hasPostgres)('Postgres', () => {
  test("CKP-06 Postgres: a role with the guide's rights drives runs, and may not change the tables", async () => {
    const schema = freshSchema()
    const role = `${schema}_app`
    const owner = postgresStore({ connectionString: url, schema })
    await owner.list()
    await owner.close()
    await runSql(url, grants.replaceAll('runs_app', role).replaceAll('SCHEMA statewright', `SCHEMA ${schema}`))

    const asRole = new URL(url)
    asRole.username = role
    const store = postgresStore({ connectionString: asRole.href, schema })
    const driver = driverOf(store, await store.create(newRun('run'), ownerNamed('first'), 60_000))
    await driver.commit({ entries: [says('one')], status: 'done', release: true })
    await store.create(newRun('next', { continues: { runId: 'run' } }), ownerNamed('first'), -1)
    await store.post('next', { kind: 'steer', messages: [userMessage('more', 1)] }, start)
    expect((await store.claim('next', ownerNamed('second'), 60_000)).run.log).toHaveLength(1)
    expect(await store.delete('run')).toEqual({ runs: ['run'], readers: ['next'] })
    await store.close()

    await expect(runSql(asRole.href, `DROP TABLE "${schema}".runs`)).rejects.toThrow('must be owner')
    await expect(runSql(asRole.href, `CREATE TABLE "${schema}".more (id int)`)).rejects.toThrow('permission denied')
    await runSql(url, `DROP SCHEMA "${schema}" CASCADE; DROP OWNED BY ${role}; DROP ROLE ${role}`)
  })
})
