import { Client } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { storeSuite } from '../../../src/testing/stores/store-suite.ts'
import { hasPostgres, postgresServer, sayNoPostgres } from '../../../proof/support/postgres-server.ts'
import { postgresSubject, runSql } from '../../../proof/support/postgres-subject.ts'
import { isWhole } from '../../../proof/support/sampled.ts'
import { largeSchema, noteStatements, scannedBy } from './postgres-statements.ts'

sayNoPostgres('the store suite on Postgres is')

// Cases of hundreds of runs make thousands of round trips, which a busy machine is slow at.
const patienceMs = 240_000

const statements = noteStatements()

/** Statements on tables with a row for each run, message or record. The table `layout` has one row. */
const isOfRows = /^\s*(?:SELECT|WITH|INSERT|UPDATE|DELETE)[^]*"@"\.(?!layout)/

// One tree of runs in each of 120 orders. The gate plays random trees in random orders here, and this case on other stores.
const exhaustive = 'leaves no run another log, in whatever order related runs are deleted'
const cases = storeSuite(postgresSubject, patienceMs)

test('CKP-06 Postgres: the suite has the exhaustive case by this name', () => {
  expect(cases.filter(({ name }) => name === exhaustive)).toHaveLength(1)
})

for (const { name, run } of cases.filter((one) => isWhole || one.name !== exhaustive)) {
  test.skipIf(!hasPostgres)(`CKP-06 Postgres: ${name}`, () => expect(run()).resolves.toBeUndefined(), patienceMs)
}

test.skipIf(!hasPostgres)(
  'SCALE-01 Postgres: no statement of the suite scans a table, with or without ANALYZE',
  async () => {
    const { url } = await postgresServer()
    const explained = [...statements].filter(([text]) => isOfRows.test(text))
    expect(explained.length).toBeGreaterThan(80)
    const schema = await largeSchema(url)
    const client = new Client({ connectionString: url })
    await client.connect()
    onTestFinished(() => client.end())
    for (const isAnalysed of [false, true]) {
      if (isAnalysed) await runSql(url, 'ANALYZE')
      const scans: unknown[] = []
      for (const one of explained) {
        const tables = await scannedBy(client, schema, one)
        if (tables.length > 0) scans.push({ isAnalysed, text: one[0], tables })
      }
      expect(scans).toEqual([])
    }
    await runSql(url, `DROP SCHEMA "${schema}" CASCADE`)
  },
  patienceMs,
)
