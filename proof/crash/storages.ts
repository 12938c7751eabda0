import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '../../src/core/ports/clock.ts'
import type { Store } from '../../src/core/ports/store.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { objectStore } from '../../src/adapters/stores/durable-object/object-store.ts'
import { recordTables } from '../../src/adapters/stores/postgres/record-parts.ts'
import { postgresStore } from '../../src/adapters/stores/postgres/postgres-store.ts'
import { sqliteStore } from '../../src/adapters/stores/sqlite/sqlite-store.ts'
import type { CrashStorage } from '../../src/testing/crash/crash-scenario.ts'
import { type LocalStorage, localStorage } from '../support/object-storage.ts'
import { postgresServer } from '../support/postgres-server.ts'
import { freshSchema, runSql } from '../support/postgres-subject.ts'

/** The clock by which leases expire. */
type LeaseClock = Pick<Clock, 'now'>

/** A memory store that outlives the processes of the walk. */
export function memoryStorage(clock: LeaseClock): CrashStorage {
  const store = memoryStore({ clock })
  return { reopen: async () => store, dispose: () => store.close() }
}

/** A file that every process of the walk opens anew; those that died leave it as it is. */
export function sqliteStorage(clock: LeaseClock): CrashStorage {
  const folder = mkdtempSync(join(tmpdir(), 'crash-'))
  const stores: Store[] = []
  return {
    reopen: async () => {
      const store = sqliteStore(join(folder, 'runs.db'), { synchronous: 'normal', clock })
      stores.push(store)
      return store
    },
    dispose: async () => {
      for (const store of stores) await store.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The storage of an object, of which every process of the walk is another life. */
export function objectStorage(clock: LeaseClock): CrashStorage {
  const folder = mkdtempSync(join(tmpdir(), 'crash-'))
  const opened: LocalStorage[] = []
  return {
    reopen: async () => {
      const storage = localStorage(join(folder, 'object.db'))
      opened.push(storage)
      return objectStore(storage, { clock })
    },
    dispose: async () => {
      for (const { database } of opened) database.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Schemas that trials are done with, empty, each with a store that keeps its connections for the next trial. */
const emptySchemas: { readonly schema: string; readonly kept: Store }[] = []

/** A schema that every process of the walk opens anew. */
export function postgresStorage(clock: LeaseClock): CrashStorage {
  let place = emptySchemas.pop()
  const stores: Store[] = []
  return {
    reopen: async () => {
      const { url } = await postgresServer()
      const open = (schema: string) => postgresStore({ connectionString: url, schema, connections: 4, clock })
      const schema = place?.schema ?? freshSchema()
      place ??= { schema, kept: open(schema) }
      const store = open(schema)
      stores.push(store)
      return store
    },
    dispose: async () => {
      for (const store of stores) await store.close()
      if (place === undefined) return
      const { url } = await postgresServer()
      const tables = ['runs', 'transcripts', 'inputs', 'files', 'log', 'inbox', ...recordTables.keys()]
      await runSql(url, tables.map((table) => `DELETE FROM ${place?.schema}.${table}`).join('; '))
      emptySchemas.push(place)
    },
  }
}
