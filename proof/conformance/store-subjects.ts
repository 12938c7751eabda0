import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '../../src/core/ports/clock.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { sqliteStore } from '../../src/adapters/stores/sqlite/sqlite-store.ts'
import type { StoreUnderTest } from '../../src/testing/stores/store-suite.ts'
import { deadOwner } from '../support/dead-owner.ts'
import { hasPostgres } from '../support/postgres-server.ts'
import { postgresSubject } from '../support/postgres-subject.ts'

/** A fresh, empty store of every implementation, by its name; Postgres only where a server can be had. */
export const storeSubjects: Readonly<Record<string, (clock: Pick<Clock, 'now'>) => Promise<StoreUnderTest>>> = {
  memory: async (clock) => {
    const store = memoryStore({ clock })
    return { store, deadOwner, dispose: () => store.close() }
  },
  SQLite: async (clock) => {
    const folder = mkdtempSync(join(tmpdir(), 'conformance-'))
    const store = sqliteStore(join(folder, 'runs.db'), { synchronous: 'normal', clock })
    const dispose = async () => {
      await store.close()
      rmSync(folder, { recursive: true })
    }
    return { store, deadOwner, dispose }
  },
  ...(hasPostgres ? { Postgres: postgresSubject } : {}),
}
