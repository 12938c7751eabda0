import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from '../../src/ports/store.ts'
import { memoryStore } from '../../src/stores/memory/memory-store.ts'
import { sqliteStore } from '../../src/stores/sqlite/sqlite-store.ts'
import type { CrashStorage } from '../../src/testing/crash/crash-scenario.ts'

/** A memory store that outlives the processes of the walk. */
export function memoryStorage(): CrashStorage {
  const store = memoryStore()
  return { reopen: async () => store, dispose: () => store.close() }
}

/** A file that every process of the walk opens anew; those that died leave it as it is. */
export function sqliteStorage(): CrashStorage {
  const folder = mkdtempSync(join(tmpdir(), 'crash-'))
  const stores: Store[] = []
  return {
    reopen: async () => {
      const store = sqliteStore(join(folder, 'runs.db'), { synchronous: 'normal' })
      stores.push(store)
      return store
    },
    dispose: async () => {
      for (const store of stores) await store.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
