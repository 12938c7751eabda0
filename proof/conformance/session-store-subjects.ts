import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileSessionStore } from '../../src/adapters/recorder/file-session-store.ts'
import { memorySessionStore } from '../../src/adapters/recorder/memory-session-store.ts'
import { sqliteSessionStore } from '../../src/adapters/recorder/sqlite-session-store.ts'
import type { SessionStoreUnderTest } from '../../src/testing/sessions/session-store-suite.ts'

/** A fresh, empty session store of every implementation, by its name. */
export const sessionStoreSubjects: Readonly<Record<string, () => Promise<SessionStoreUnderTest>>> = {
  memory: async () => {
    const store = memorySessionStore()
    return { store, dispose: () => store.close() }
  },
  SQLite: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sessions-'))
    const path = join(folder, 'runs.db')
    const store = sqliteSessionStore(path)
    const look = <Result>(use: (database: DatabaseSync) => Result): Result => {
      const database = new DatabaseSync(path)
      try {
        return use(database)
      } finally {
        database.close()
      }
    }
    return {
      store,
      plant: (id, text) =>
        look((database) => database.prepare('UPDATE recorded_sessions SET body = ? WHERE id = ?').run(text, id)),
      stored: (id) =>
        look((database) =>
          String(database.prepare('SELECT body FROM recorded_sessions WHERE id = ?').get(id)?.['body']),
        ),
      dispose: async () => {
        await store.close()
        rmSync(folder, { recursive: true })
      },
    }
  },
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
