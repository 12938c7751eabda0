import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryStore } from '../../src/stores/memory/memory-store.ts'
import { sqliteStore } from '../../src/stores/sqlite/sqlite-store.ts'
import type { StoreUnderTest } from '../../src/testing/stores/store-suite.ts'
import { deadOwner } from '../support/dead-owner.ts'
import { hasPostgres } from '../support/postgres-server.ts'
import { postgresSubject } from '../support/postgres-subject.ts'

/** A fresh, empty store of every implementation, by its name; Postgres only where a server can be had. */
export const storeSubjects: Readonly<Record<string, () => Promise<StoreUnderTest>>> = {
  memory: async () => {
    const store = memoryStore()
    return { store, deadOwner, dispose: () => store.close() }
  },
  SQLite: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'conformance-'))
    const store = sqliteStore(join(folder, 'runs.db'), { synchronous: 'normal' })
    const dispose = async () => {
      await store.close()
      rmSync(folder, { recursive: true })
    }
    return { store, deadOwner, dispose }
  },
  ...(hasPostgres ? { Postgres: postgresSubject } : {}),
}
