import { afterAll, describe, expect, test } from 'vitest'
import { Client } from 'pg'
import { migrate } from '../../../src/adapters/stores/postgres/migrate.ts'
import { postgresStore } from '../../../src/adapters/stores/postgres/postgres-store.ts'
import { type Steps, steps as today } from '../../../src/adapters/stores/postgres/schema.ts'
import { quoted, type Sql } from '../../../src/adapters/stores/postgres/session.ts'
import { hasPostgres, postgresServer, sayNoPostgres } from '../../../proof/support/postgres-server.ts'
import { freshSchema, runSql } from '../../../proof/support/postgres-subject.ts'

sayNoPostgres('tests of migrations in Postgres are')

const { url } = hasPostgres ? await postgresServer() : { url: '' }
const schemas: string[] = []

afterAll(async () => {
  for (const schema of schemas) await runSql(url, `DROP SCHEMA IF EXISTS ${quoted(schema)} CASCADE`)
})

/** An artificial layout before that of today: the input of a run was in its row, and no run went on from another. */
const older: Steps = [
  [...today.flat(), 'ALTER TABLE @.runs ADD COLUMN input text', 'DROP TABLE @.inputs', 'DROP TABLE @.transcripts'],
]
const isNew = (statement: string) => /TABLE @.(?:inputs|transcripts)|ON @.transcripts/.test(statement)
/** The layout of today, as if the older one had been released before it. */
const newer: Steps = [
  older.flat().filter((statement) => !isNew(statement)),
  [
    ...today.flat().filter((statement) => isNew(statement)),
    'INSERT INTO @.inputs (number, body) SELECT number, input FROM @.runs',
    'ALTER TABLE @.runs DROP COLUMN input',
  ],
]

/** Migrates a schema on a connection of its own, which ends before the statement of a number, if one is given. */
async function migrateTo(steps: Steps, schema: string, cutAt?: number): Promise<void> {
  const client = new Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  let statements = 0
  const sql: Sql = async (text, ...values) => {
    if (cutAt !== undefined && statements++ === cutAt) await client.end()
    const whole = text.replaceAll('@.', `${quoted(schema)}.`).replaceAll('@SCHEMA', quoted(schema))
    return (await client.query(whole, [...values])).rows
  }
  try {
    await migrate(sql, { schema, place: 'here', steps })
  } finally {
    await client.end()
  }
}

/** Makes a store of the older layout that holds runs. */
async function makeOlder(): Promise<string> {
  const schema = freshSchema()
  schemas.push(schema)
  await migrateTo(older, schema)
  await runSql(
    url,
    `INSERT INTO "${schema}".runs (id, agent, status, created_at, updated_at, version, written_seq, fence, lease_expires,
       first_seq, calls_from, created_by, input)
     SELECT 'run-' || n, 'guide', 'done', n, n, 0, 0, 1, 0, 1, 1, 'owner', '{"n":' || n || '}' FROM generate_series(1, 2) AS n`,
  )
  return schema
}

async function contentOf(schema: string): Promise<unknown> {
  const columns = `SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = $1 ORDER BY 1, 2`
  const indexes = 'SELECT indexname FROM pg_indexes WHERE schemaname = $1 ORDER BY 1'
  return [await runSql(url, columns, [schema]), await runSql(url, indexes, [schema])]
}

async function layoutIn(schema: string): Promise<unknown> {
  return runSql(url, `SELECT version FROM "${schema}".layout`)
}

/** Compares a migrated schema with a new one, and reads its runs as the store of today does. */
async function expectMigrated(schema: string): Promise<void> {
  const fresh = freshSchema()
  schemas.push(fresh)
  await migrateTo(today, fresh)
  expect(await contentOf(schema)).toEqual(await contentOf(fresh))
  await runSql(url, `UPDATE "${schema}".layout SET version = 1`)
  const store = postgresStore({ connectionString: url, schema })
  expect((await store.list()).map(({ id }) => id)).toEqual(['run-2', 'run-1'])
  expect(await store.read('run-1')).toMatchObject({ input: { n: 1 } })
  await store.close()
}

describe.skipIf(!hasPostgres)('Postgres', () => {
  test('CKP-07 Postgres: migrates a schema of an earlier layout in place, with its runs', async () => {
    const schema = await makeOlder()
    await migrateTo(newer, schema)
    expect(await layoutIn(schema)).toEqual([{ version: 2 }])
    await expectMigrated(schema)
  })

  test('CKP-07 Postgres: refuses a schema of a later layout', async () => {
    const schema = await makeOlder()
    await migrateTo(newer, schema)
    await expect(migrateTo(today, schema)).rejects.toThrow('has layout 2; this version of statewright reads layout 1')
  })

  test('CKP-07 Postgres: refuses a schema of an earlier layout that lacks a table, and does not change it', async () => {
    const schema = await makeOlder()
    await runSql(url, `DROP TABLE "${schema}".inbox`)
    await expect(migrateTo(newer, schema)).rejects.toThrow('lacks the tables inbox of its layout 1')
    expect(await layoutIn(schema)).toEqual([{ version: 1 }])
  })

  test("CKP-07 Postgres: creates a record kind's missing table without a new layout", async () => {
    const schema = await makeOlder()
    await migrateTo(newer, schema)
    await runSql(url, `DROP TABLE "${schema}".record_account`)
    await migrateTo(newer, schema)
    await expectMigrated(schema)
    expect(await layoutIn(schema)).toEqual([{ version: 1 }])
  })

  test('CKP-07 Postgres: the next migration completes one whose connection ended at any statement', async () => {
    const schema = await makeOlder()
    const before = await contentOf(schema)
    let cutAt = 0
    for (; !(await succeeds(migrateTo(newer, schema, cutAt))); cutAt++) expect(await contentOf(schema)).toEqual(before)
    expect(cutAt).toBeGreaterThan(8)
    expect(await layoutIn(schema)).toEqual([{ version: 2 }])
    await expectMigrated(schema)
  })

  test('CKP-07 Postgres: several processes that open a schema of an earlier layout migrate it once', async () => {
    const schema = await makeOlder()
    await Promise.all([1, 2, 3].map(() => migrateTo(newer, schema)))
    expect(await layoutIn(schema)).toEqual([{ version: 2 }])
    await expectMigrated(schema)
  })
})

async function succeeds(work: Promise<void>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  )
}
