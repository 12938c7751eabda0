import { writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { testAgent } from '../../../proof/support/test-agent.ts'
import type { RecordedSession } from '../../../src/adapters/recorder/session-record.ts'
import { sqliteSessionStore } from '../../../src/adapters/recorder/sqlite-session-store.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { temporaryFolder } from '../stores/temporary-folder.ts'

const session: RecordedSession = {
  id: 's-1',
  agentId: 'guide',
  createdAt: 1,
  lastActiveAt: 1,
  formation: { kind: 'explicit' },
  runs: [],
}

function inFile<Result>(path: string, use: (database: DatabaseSync) => Result): Result {
  const database = new DatabaseSync(path)
  try {
    return use(database)
  } finally {
    database.close()
  }
}

const versionOf = (path: string) => inFile(path, (database) => database.prepare('PRAGMA user_version').get())
const tablesOf = (path: string) =>
  inFile(path, (database) => database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all())

describe('SES-03 SQLite', () => {
  test('SES-03 sessions stand beside the runs of one file, whose layout stays', async () => {
    using folder = temporaryFolder()
    const path = folder.file('runs.db')
    const runs = sqliteStore(path)
    const { agent } = testAgent({ replies: ['Hello.'], store: runs })
    await agent.run('Hi', { runId: 'r' })
    const [layout, tables] = [versionOf(path), tablesOf(path)]
    const sessions = sqliteSessionStore(path)
    expect(await sessions.list()).toEqual([])
    expect(tablesOf(path)).toEqual(tables)
    await sessions.save(session)
    await agent.run('Hi', { runId: 'r2' })
    expect(versionOf(path)).toEqual(layout)
    await sessions.close()
    await runs.close()
    const again = sqliteStore(path)
    expect((await again.list()).map(({ id }) => id).toSorted()).toEqual(['r', 'r2'])
    expect(await sqliteSessionStore(path).load('s-1')).toEqual(session)
  })

  test('SES-03 sessions of a later layout are refused, and the runs beside them read', async () => {
    using folder = temporaryFolder()
    const path = folder.file('runs.db')
    const store = sqliteSessionStore(path)
    await store.save(session)
    inFile(path, (database) => database.exec('UPDATE session_layout SET version = 2'))
    for (const use of [
      () => store.list(),
      () => store.load('s-1'),
      () => store.save(session),
      () => store.delete('s-1'),
    ])
      await expect(use()).rejects.toMatchObject({ name: 'SessionError', code: 'session_later' })
    expect(await sqliteStore(path).list()).toEqual([])
  })

  test('SES-03 a file of another program, and one that another process writes to, are typed errors', async () => {
    using folder = temporaryFolder()
    const foreign = folder.file('other.db')
    writeFileSync(foreign, 'no database at all, but long enough to be read as the head of one: '.repeat(20))
    expect(() => sqliteSessionStore(foreign)).toThrow(expect.objectContaining({ code: 'session_foreign' }))
    const path = folder.file('runs.db')
    const store = sqliteSessionStore(path, { waitMs: 0 })
    await store.save(session)
    const other = new DatabaseSync(path)
    other.exec('BEGIN IMMEDIATE')
    await expect(store.save(session)).rejects.toMatchObject({ name: 'SessionError', code: 'locked' })
    expect(await store.load('s-1')).toEqual(session)
    other.close()
    await store.save(session)
  })
})
