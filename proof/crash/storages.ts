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

/** A file that every process of the walk opens anew. */
export function sqliteStorage(): CrashStorage {
  const folder = mkdtempSync(join(tmpdir(), 'crash-'))
  let store: Store | undefined
  return {
    reopen: async () => {
      await store?.close()
      store = sqliteStore(join(folder, 'runs.db'), { synchronous: 'normal' })
      return store
    },
    dispose: async () => {
      await store?.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
