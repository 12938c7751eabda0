import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '../../src/core/ports/clock.ts'
import type { Store } from '../../src/core/ports/store.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { objectStore } from '../../src/adapters/stores/durable-object/object-store.ts'
import { sqliteStore } from '../../src/adapters/stores/sqlite/sqlite-store.ts'
import type { CrashStorage } from '../../src/testing/crash/crash-scenario.ts'
import { type LocalStorage, localStorage } from '../support/object-storage.ts'
import { emptySchemas, type StoreSchema } from '../support/postgres-subject.ts'

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

const takeSchema = emptySchemas(true)

/** A schema that every process of the walk opens anew. */
export function postgresStorage(clock: LeaseClock): CrashStorage {
  let place: StoreSchema | undefined
  const stores: Store[] = []
  return {
    reopen: async () => {
      place ??= await takeSchema(clock)
      const store = place.open()
      stores.push(store)
      return store
    },
    dispose: async () => {
      for (const store of stores) await store.close()
      await place?.giveBack()
    },
  }
}
