import type { Store } from '../../../index.ts'
import { sqliteStore } from '../../../adapters/stores/sqlite/sqlite-store.ts'
import type { Places } from './places.ts'

/** Opens the store of a command: a file, or a Postgres database. */
export async function openStore({ file, database }: Places): Promise<Store> {
  if (database === undefined) return sqliteStore(file)
  const { postgresStore } = await import('../../../adapters/stores/postgres/postgres-store.ts')
  return postgresStore({ connectionString: database })
}
