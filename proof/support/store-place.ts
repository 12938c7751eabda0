import { join } from 'node:path'
import { postgresStore } from '../../src/adapters/stores/postgres/postgres-store.ts'
import { sqliteStore } from '../../src/adapters/stores/sqlite/sqlite-store.ts'
import type { Store } from '../../src/core/ports/store.ts'
import type { WorkStore } from '../../src/core/ports/work.ts'
import { hasPostgres, noPostgres, type PostgresServer, startPostgres } from './postgres-server.ts'
import { plantBug } from './planted-store.ts'
import { freshSchema, runSql } from './postgres-subject.ts'

/** A store that several processes open by its address. */
export interface StorePlace {
  /** The argument of `openStore` in every process. */
  readonly address: string
  /** The server of the store; absent for a file. */
  readonly server?: PostgresServer
  readonly close: () => Promise<void>
}

/** A new store of a proof: `SQLite` in a folder, or `Postgres`. Throws for another name, and where there is no server. */
export async function newPlace(name: string, folder: string): Promise<StorePlace> {
  if (name === 'SQLite') return { address: join(folder, 'runs.db'), close: async () => {} }
  if (name !== 'Postgres') throw new Error(`There is no store "${name}"; known are SQLite and Postgres.`)
  if (!hasPostgres) throw new Error(`${noPostgres}.`)
  const server = await startPostgres('fsync=on')
  const address = new URL(server.url)
  const schema = freshSchema()
  address.hash = schema
  // The server keeps no process alive, nor does a connection that waits for it.
  const alive = setInterval(() => undefined, 60_000)
  return {
    address: address.href,
    server,
    close: async () => {
      await runSql(server.url, `DROP SCHEMA IF EXISTS ${schema} CASCADE`)
      await server.stop?.()
      clearInterval(alive)
    },
  }
}

/**
 * Opens the store of an address: a file, or a database with the schema behind `#`. It waits out a restart. `bug` names one
 * that is planted in the store.
 */
export function openStore(address: string, bug?: string): Store & WorkStore {
  if (!address.startsWith('postgres:')) return plantBug(sqliteStore(address, { synchronous: 'normal' }), bug)
  const url = new URL(address)
  const schema = url.hash.slice(1)
  url.hash = ''
  return plantBug(postgresStore({ connectionString: url.href, schema, patienceMs: 60_000 }), bug)
}
