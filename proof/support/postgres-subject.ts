import { Client } from 'pg'
import { postgresStore } from '../../src/adapters/stores/postgres/postgres-store.ts'
import type { Clock } from '../../src/core/ports/clock.ts'
import type { StoreUnderTest } from '../../src/testing/stores/store-suite.ts'
import { deadOwner } from './dead-owner.ts'
import { postgresServer } from './postgres-server.ts'

let lastSchema = 0

/** The name of a schema that nobody has used. */
export function freshSchema(): string {
  return `test_${process.pid}_${Date.now().toString(36)}_${++lastSchema}`
}

/** Runs one statement on the server, with all rights. */
export async function runSql(url: string, text: string, values: readonly unknown[] = []): Promise<readonly SqlRow[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text, [...values])).rows
  } finally {
    await client.end()
  }
}

type SqlRow = Readonly<Record<string, unknown>>

/** A fresh, empty store whose leases expire by a clock. */
export async function postgresSubject(clock: Pick<Clock, 'now'>): Promise<StoreUnderTest> {
  const { url } = await postgresServer()
  const schema = freshSchema()
  const store = postgresStore({ connectionString: url, schema, connections: 4, clock })
  return {
    store,
    deadOwner,
    dispose: async () => {
      await store.close()
      await runSql(url, `DROP SCHEMA IF EXISTS ${schema} CASCADE`)
    },
  }
}
