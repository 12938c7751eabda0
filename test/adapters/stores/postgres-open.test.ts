import { afterAll, describe, expect, test } from 'vitest'
import { Pool } from 'pg'
import { StoreError, type StoreErrorCode } from '../../../src/core/domain/store-error.ts'
import { type PostgresStoreOptions, postgresStore } from '../../../src/adapters/stores/postgres/postgres-store.ts'
import { quoted } from '../../../src/adapters/stores/postgres/session.ts'
import { newRun, ownerNamed, ttl } from '../../../src/testing/stores/store-suite-fixtures.ts'
import { hasPostgres, postgresServer, sayNoPostgres } from '../../../proof/support/postgres-server.ts'
import { freshSchema, runSql } from '../../../proof/support/postgres-subject.ts'

sayNoPostgres('tests of opening a Postgres store are')

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

/** The code and the message that a store refuses its first question with. */
async function refusalOf(options: PostgresStoreOptions): Promise<Refusal> {
  const store = postgresStore(options)
  const error: unknown = await store.list().catch((cause: unknown) => cause)
  await store.close()
  return error instanceof StoreError ? { code: error.code, message: error.message } : { code: 'none', message: '' }
}

interface Refusal {
  readonly code: string
  readonly message: string
}

function refusal(code: StoreErrorCode, said: string): Refusal {
  return { code, message: expect.stringContaining(said) }
}

function addressed(change: (address: URL) => void): string {
  const address = new URL(url)
  change(address)
  return address.href
}

async function sessionsOf(name: string): Promise<number> {
  const select = 'SELECT count(*)::int AS open FROM pg_stat_activity WHERE application_name = $1'
  return Number((await runSql(url, select, [name]))[0]?.['open'])
}

describe.skipIf(!hasPostgres)('Postgres', () => {
  test('CKP-06 Postgres: reports an address without a server at once, without the password', async () => {
    const connectionString = 'postgres://somebody:hidden@127.0.0.1:1/runs'
    const store = postgresStore({ connectionString })
    const error: unknown = await store.list().catch((cause: unknown) => cause)
    expect(String(error)).toContain('127.0.0.1:1/runs')
    expect(String(error)).not.toContain('hidden')
    expect(error).toMatchObject({ code: 'store_unavailable' })
    await store.close()
  })

  test('CKP-06 Postgres: reports a wrong password, database or user', async () => {
    const schema = schemaOfOurs()
    const role = `CREATE ROLE guarded LOGIN PASSWORD 'right'`
    await runSql(url, `DO $$ BEGIN ${role}; EXCEPTION WHEN duplicate_object THEN NULL; END $$`)
    const guarded = addressed((address) => Object.assign(address, { username: 'guarded', password: 'wrong' }))
    expect(await refusalOf({ connectionString: guarded, schema })).toEqual(
      refusal('store_unavailable', 'Check user and password'),
    )
    const nowhere = addressed((address) => Object.assign(address, { pathname: '/nowhere' }))
    expect(await refusalOf({ connectionString: nowhere, schema })).toEqual(
      refusal('store_unavailable', 'no such database'),
    )
    const nobody = addressed((address) => Object.assign(address, { username: 'nobody_here' }))
    expect(await refusalOf({ connectionString: nobody, schema })).toEqual(
      refusal('store_unavailable', 'Check user and password'),
    )
  })

  test('CKP-06 Postgres: reports that a role may not create the schema', async () => {
    await runSql(url, `DO $$ BEGIN CREATE ROLE narrow LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$`)
    const narrow = addressed((address) => Object.assign(address, { username: 'narrow' }))
    expect(await refusalOf({ connectionString: narrow, schema: schemaOfOurs() })).toEqual(
      refusal('store_unavailable', 'open it once as its owner'),
    )
  })

  test("CKP-06 Postgres: does not change another program's schema", async () => {
    for (const table of ['layout (program text)', 'runs (id int)']) {
      const schema = schemaOfOurs()
      await runSql(url, `CREATE SCHEMA "${schema}"`)
      await runSql(url, `CREATE TABLE "${schema}".${table}`)
      expect(await refusalOf({ connectionString: url, schema })).toEqual(refusal('store_foreign', 'another program'))
      const found = await runSql(url, 'SELECT count(*)::int AS tables FROM pg_tables WHERE schemaname = $1', [schema])
      expect(found).toEqual([{ tables: 1 }])
    }
  })

  test('CKP-06 Postgres: refuses a store of an unknown layout, and one that lacks a table', async () => {
    const schema = schemaOfOurs()
    const store = postgresStore({ connectionString: url, schema })
    await store.create(newRun('run'), ownerNamed('first'), ttl)
    await store.close()
    await runSql(url, `ALTER TABLE "${schema}".inbox RENAME TO elsewhere`)
    expect(await refusalOf({ connectionString: url, schema })).toEqual(
      refusal('store_foreign', 'lacks the tables inbox'),
    )
    await runSql(url, `ALTER TABLE "${schema}".elsewhere RENAME TO inbox`)
    for (const version of [99, 0, -1, -99]) {
      await runSql(url, `UPDATE "${schema}".layout SET version = ${version}`)
      expect(await refusalOf({ connectionString: url, schema })).toEqual(
        refusal('store_foreign', `has layout ${version}`),
      )
    }
    expect(await runSql(url, `SELECT id FROM "${schema}".runs`)).toEqual([{ id: 'run' }])
  })

  test('CKP-06 Postgres: refuses a store of a version that was never released, and does not change it', async () => {
    const schema = schemaOfOurs()
    const store = postgresStore({ connectionString: url, schema })
    await store.list()
    await store.close()
    await runSql(url, `UPDATE "${schema}".layout SET program = 'statewright', version = 2`)
    expect(await refusalOf({ connectionString: url, schema })).toEqual(
      refusal('store_foreign', 'comes from a version of statewright that was never released. Nothing was changed'),
    )
    expect(await runSql(url, `SELECT program, version FROM "${schema}".layout`)).toEqual([
      { program: 'statewright', version: 2 },
    ])
  })

  test('CKP-06 Postgres: refuses a database whose encoding cannot store every text', async () => {
    const name = freshSchema()
    await runSql(url, `CREATE DATABASE "${name}" ENCODING 'LATIN1' TEMPLATE template0`)
    const latin = addressed((address) => Object.assign(address, { pathname: `/${name}` }))
    expect(await refusalOf({ connectionString: latin })).toEqual(refusal('store_foreign', 'encoding LATIN1'))
    await runSql(url, `DROP DATABASE "${name}" WITH (FORCE)`)
  })

  test('CKP-06 Postgres: one of several processes creates the tables, and the others find them', async () => {
    const schema = schemaOfOurs()
    const pools = Array.from({ length: 6 }, () => new Pool({ connectionString: url, max: 2 }))
    const stores = pools.map((pool) => postgresStore({ pool, schema }))
    expect(await Promise.all(stores.map((store) => store.list()))).toEqual(stores.map(() => []))
    for (const store of stores) await store.close()
    for (const pool of pools) await pool.end()
  })

  test('CKP-06 Postgres: a failed migration leaves nothing, and the next one is complete', async () => {
    const schema = schemaOfOurs()
    await runSql(url, `CREATE SCHEMA "${schema}"`)
    // An index of the name that one of ours gets, made by nobody's table of ours.
    await runSql(url, `CREATE SEQUENCE "${schema}".runs_due`)
    expect(await refusalOf({ connectionString: url, schema })).toEqual(refusal('store_unavailable', 'runs_due'))
    expect(await runSql(url, 'SELECT tablename FROM pg_tables WHERE schemaname = $1', [schema])).toEqual([])
    await runSql(url, `DROP SEQUENCE "${schema}".runs_due`)
    const store = postgresStore({ connectionString: url, schema })
    expect(await store.list()).toEqual([])
    await store.close()
  })

  test('CKP-06 Postgres: separates the stores of two schemas, with any names', async () => {
    const named = [schemaOfOurs(), `${freshSchema()} "quoted" @.ü $1`]
    schemas.push(...named)
    const stores = named.map((schema) => postgresStore({ connectionString: url, schema }))
    for (const [index, store] of stores.entries()) {
      await store.create(newRun('run', { agent: `agent-${index}` }), ownerNamed('first'), ttl)
    }
    const agents = await Promise.all(stores.map(async (store) => (await store.record('run')).agent))
    expect(agents).toEqual(['agent-0', 'agent-1'])
    for (const store of stores) await store.close()
  })

  test('CKP-06 Postgres: closes its own connections, and leaves a given pool open', async () => {
    const schema = schemaOfOurs()
    const before = await sessionsOf('statewright')
    const stores = [1, 2].map(() => postgresStore({ connectionString: url, schema }))
    await Promise.all(stores.map((store) => store.list()))
    stores[0]?.watch('run', () => undefined)
    expect(await sessionsOf('statewright')).toBeGreaterThan(before)
    for (const store of stores) await store.close()
    await expect.poll(() => sessionsOf('statewright'), { timeout: 30_000 }).toBe(before)

    const pool = new Pool({ connectionString: url, max: 3, application_name: schema })
    const given = postgresStore({ pool, schema })
    const stop = given.watch('run', () => undefined)
    await given.list()
    stop()
    await given.close()
    await expect.poll(() => pool.totalCount - pool.idleCount, { timeout: 30_000 }).toBe(0)
    expect(await pool.query('SELECT 1 AS one')).toMatchObject({ rows: [{ one: 1 }] })
    expect(pool.listenerCount('error')).toBe(0)
    await pool.end()
  })
})

test('CKP-06 Postgres: refuses options that name no database, two databases, or an invalid schema', () => {
  const pool = new Pool({ max: 1 })
  const refused: readonly (readonly [PostgresStoreOptions, string])[] = [
    [{}, 'one of "connectionString" and "pool"'],
    [{ connectionString: 'postgres://localhost', pool }, 'one of "connectionString" and "pool"'],
    [{ pool }, 'Set its max to 2 or more'],
    [{ connectionString: 'postgres://localhost', schema: 'pg_temp' }, 'begin with "pg_"'],
    [{ connectionString: 'postgres://localhost', schema: 'ü'.repeat(32) }, 'at most 63 bytes'],
    [{ connectionString: 'postgres://localhost', schema: 'a\0b' }, 'at most 63 bytes'],
    [{ connectionString: 'postgres://localhost', connections: 1 }, '2 or more connections'],
    [{ connectionString: 'postgres://localhost', pollMs: 0 }, 'more than 0 milliseconds'],
  ]
  for (const [options, said] of refused) expect(() => postgresStore(options)).toThrow(said)
})
