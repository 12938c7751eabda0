import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqliteStore } from '../../src/adapters/stores/sqlite/sqlite-store.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { postgresStore } from '../../src/adapters/stores/postgres/postgres-store.ts'
import type { Store } from '../../src/index.ts'
import type { FakeClock } from '../support/fake-clock.ts'
import { postgresServer } from '../support/postgres-server.ts'
import { freshSchema, runSql } from '../support/postgres-subject.ts'

/** A store whose content can be compared. */
export interface Place {
  readonly store: Store
  /** A digest of what is stored: of each byte on disk, or of each row with the transaction that wrote it. */
  digest(): Promise<string>
  dispose(): Promise<void>
}

/** Opens an empty store of each kind. */
export const places = {
  memory: (clock: FakeClock): Place => ({
    store: memoryStore({ clock }),
    digest: () => Promise.resolve(''),
    dispose: () => Promise.resolve(),
  }),
  SQLite: (clock: FakeClock): Place => {
    const folder = mkdtempSync(join(tmpdir(), 'forecast-'))
    const store = sqliteStore(join(folder, 'runs.db'), { clock })
    return {
      store,
      digest: () => {
        // The index of the log in shared memory also changes when somebody reads.
        const files = readdirSync(folder).filter((name) => !name.endsWith('-shm'))
        return Promise.resolve(
          files
            .sort()
            .map((name) => name + digestOf(readFileSync(join(folder, name))))
            .join(),
        )
      },
      dispose: async () => {
        await store.close()
        rmSync(folder, { recursive: true })
      },
    }
  },
  Postgres: async (clock: FakeClock): Promise<Place> => {
    const { url } = await postgresServer()
    const schema = freshSchema()
    const store = postgresStore({ connectionString: url, schema, connections: 4, clock })
    return {
      store,
      digest: async () => {
        const tables = await runSql(url, 'SELECT tablename FROM pg_tables WHERE schemaname = $1 ORDER BY 1', [schema])
        const texts = tables.map(async ({ tablename: table }) => {
          const rows = `SELECT md5(string_agg(row.xmin::text || row.ctid || row::text, '|' ORDER BY row.ctid)) AS digest`
          return String((await runSql(url, `${rows} FROM ${schema}.${String(table)} row`))[0]?.['digest'])
        })
        return (await Promise.all(texts)).join()
      },
      dispose: async () => {
        await store.close()
        await runSql(url, `DROP SCHEMA IF EXISTS ${schema} CASCADE`)
      },
    }
  },
} satisfies { readonly [name: string]: (clock: FakeClock) => Place | Promise<Place> }

/** The name of a kind of store. */
export type PlaceName = keyof typeof places

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
