import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileSessionStore } from '../../src/adapters/recorder/file-session-store.ts'
import type { SessionStoreUnderTest } from '../../src/testing/sessions/session-store-suite.ts'

/** A fresh, empty session store of every implementation, by its name. */
export const sessionStoreSubjects: Readonly<Record<string, () => Promise<SessionStoreUnderTest>>> = {
  files: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sessions-'))
    const store = fileSessionStore(folder)
    return {
      store,
      plant: (id, text) => writeFileSync(join(folder, `${id}.json`), text),
      stored: (id) => readFileSync(join(folder, `${id}.json`), 'utf8'),
      dispose: async () => {
        await store.close()
        rmSync(folder, { recursive: true })
      },
    }
  },
}
