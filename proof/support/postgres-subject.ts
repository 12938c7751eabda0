import { Client } from 'pg'
import { type PostgresStoreOptions, postgresStore } from '../../src/stores/postgres/postgres-store.ts'
import type { Store } from '../../src/ports/store.ts'
import type { WorkStore } from '../../src/ports/work.ts'
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

/** A fresh, empty store whose leases expire by the `now` that the suite gives. */
export async function postgresSubject(): Promise<StoreUnderTest> {
  const { url } = await postgresServer()
  const schema = freshSchema()
  const store = storeByGivenTime({ connectionString: url, schema, connections: 4 })
  return {
    store,
    deadOwner,
    dispose: async () => {
      await store.close()
      await runSql(url, `DROP SCHEMA IF EXISTS ${schema} CASCADE`)
    },
  }
}

/** A store whose clock is whatever `now` the last call of a lease method gave. */
export function storeByGivenTime(options: PostgresStoreOptions): Store & WorkStore {
  let time = 0
  const store = postgresStore({ ...options, clock: { now: () => time } })
  const at = <Result>(now: number, work: () => Result): Result => {
    time = now
    return work()
  }
  return {
    ...store,
    create: (run, owner, ttlMs, first) => at(run.at, () => store.create(run, owner, ttlMs, first)),
    claim: (runId, owner, ttlMs, now, found) => at(now, () => store.claim(runId, owner, ttlMs, now, found)),
    renew: (lease, ttlMs, now) => at(now, () => store.renew(lease, ttlMs, now)),
    isDriven: async (runId, now) => at(now, async () => (await store.isDriven?.(runId, now)) ?? false),
    claimNext: (query) => at(query.now, () => store.claimNext(query)),
    deleteSession: (id, now, choice) => at(now, () => store.deleteSession(id, now, choice)),
    delete: (runId, now) => at(now, () => store.delete(runId, now)),
  }
}
