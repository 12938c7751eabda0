import { readFileSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { Store } from '../../../src/core/ports/store.ts'
import { openDatabase } from '../../../src/adapters/stores/sqlite/open.ts'
import { createSession, type Session } from '../../../src/adapters/stores/sqlite/session.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { createSuspended } from '../../../src/adapters/stores/sqlite/suspended.ts'
import { createDriver, slot, start, suspendedCall } from '../../../src/testing/stores/store-suite-fixtures.ts'
import { beginRun, sessionState, keepSession } from '../../../src/testing/stores/store-suite-sessions.ts'
import { startChild } from './child.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { deleteSession } from '../../../src/core/driving/delete-runs.ts'
import { findSession, listSessions } from '../../../src/core/driving/find-sessions.ts'

/** Changes a store's file behind the back of the store. */
function withFile(path: string, statement: string): void {
  const database = new DatabaseSync(path)
  database.exec(statement)
  database.close()
}

/** Stores a number of runs that each wait for an answer. */
async function waitingRuns(store: Store, count: number): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const { commit } = await createDriver(store, `run-${index}`, { at: start + index })
      await commit({ status: 'waiting', entries: [slot((seq) => suspendedCall(seq, `sus-${index}`))] })
    }),
  )
}

test('CKP-09 SQLite: reads 2,000 waiting runs with their calls in one statement', async () => {
  using folder = temporaryFolder()
  const path = folder.file('runs.db')
  const store = sqliteStore(path, { synchronous: 'normal' })
  await waitingRuns(store, 2000)
  await store.close()
  const session = createSession(openDatabase(path, { synchronous: 'normal' }), path)
  const statements: string[] = []
  const counting: Session = {
    ...session,
    sql: (text) => {
      statements.push(text)
      return session.sql(text)
    },
  }
  const found = createSuspended(counting)({ limit: 5000 })
  const ids = found.map((run) => ('calls' in run ? run.calls[0]?.suspension?.id : run.damaged))
  expect(ids).toEqual(Array.from({ length: 2000 }, (_, index) => `sus-${1999 - index}`))
  expect(statements).toHaveLength(1)
  session.close()
})

test('CKP-05 SQLite: a session with an unreadable row hides no other, and can be deleted with its runs', async () => {
  using folder = temporaryFolder()
  const path = folder.file('runs.db')
  const store = sqliteStore(path)
  for (const [index, id] of ['sound', 'torn', 'odd', 'wild'].entries()) {
    const driver = await beginRun(store, id, `run-of-${id}`, { at: start + index })
    await store.release(driver.lease)
  }
  withFile(path, `UPDATE record_session SET body = '{"runs":' WHERE key = 'torn'`)
  withFile(path, `UPDATE record_session SET body = json_set(body, '$.runs', -1) WHERE key = 'odd'`)
  withFile(path, `UPDATE runs SET status = 'lost' WHERE id = 'run-of-wild'`)
  const listed = await listSessions(store)
  expect(listed.map((session) => ('damaged' in session ? `${session.id}!` : session.id))).toEqual([
    'wild!',
    'odd!',
    'torn!',
    'sound',
  ])
  expect(listed[1]).toMatchObject({
    damaged: expect.stringContaining('The session "odd" is damaged'),
    cursor: expect.any(String),
  })
  for (const id of ['torn', 'odd', 'wild'])
    await expect(findSession(store, id)).rejects.toMatchObject({ code: 'record_damaged' })
  expect(await store.read('run-of-torn')).toMatchObject({ record: { session: 'torn' } })
  expect(await deleteSession(store, 'torn')).toEqual({ runs: ['run-of-torn'], readers: [] })
  expect((await listSessions(store, { before: listed[1]?.cursor ?? '' })).map(({ id }) => id)).toEqual(['sound'])
  await store.close()
})

test('CKP-05 SQLite: lists a run with unreadable labels as damaged, for any requested labels', async () => {
  using folder = temporaryFolder()
  const path = folder.file('runs.db')
  const store = sqliteStore(path)
  for (const id of ['a', 'b', 'c']) await createDriver(store, id, { labels: { team: 'north' }, at: start })
  withFile(path, `UPDATE runs SET labels = '{"team":' WHERE id = 'b'`)
  withFile(path, `UPDATE runs SET labels = '["north"]' WHERE id = 'c'`)
  const told = async (team: string) =>
    (await store.list({ labels: { team } })).map((run) => ('damaged' in run ? `${run.id}!` : run.id))
  expect(await told('north')).toEqual(['b!', 'a'])
  expect(await told('south')).toEqual(['b!'])
  await store.close()
})

test('CKP-05 SQLite: lists a run whose waiting call is unreadable as damaged among the waiting runs', async () => {
  using folder = temporaryFolder()
  const path = folder.file('runs.db')
  const store = sqliteStore(path)
  await waitingRuns(store, 3)
  withFile(path, `UPDATE log SET body = body || '}' WHERE id = (SELECT number << 24 | 1 FROM runs WHERE id = 'run-1')`)
  const found = await store.suspended()
  expect(found.map((run) => ('damaged' in run ? `${run.id}!` : run.record.id))).toEqual(['run-2', 'run-1!', 'run-0'])
  const [, torn] = found
  const before = torn !== undefined && 'damaged' in torn ? torn.cursor : ''
  expect(await store.suspended({ before })).toHaveLength(1)
  await store.close()
})

test('CKP-05 SQLite: an unreadable page damages the runs on it and next to it, and hides no other waiting run', async () => {
  using folder = temporaryFolder()
  const path = folder.file('runs.db')
  const store = sqliteStore(path)
  for (const index of [0, 1, 2, 3, 4]) {
    const { commit } = await createDriver(store, `run-${index}`, { at: start + index })
    // Long enough for a page of its own.
    const suspension = { id: `sus-${index}`, reason: 'approval', message: 'x'.repeat(700) } as const
    await commit({ status: 'waiting', entries: [slot((seq) => suspendedCall(seq, suspension.id, { suspension }))] })
  }
  await store.close()
  const bytes = readFileSync(path)
  const torn = Math.floor(bytes.indexOf('"id":"sus-2"') / 1024) * 1024
  writeFileSync(path, bytes.fill(0xff, torn, torn + 8))
  const opened = sqliteStore(path)
  const found = await opened.suspended()
  const told = found.map((run) => ('damaged' in run ? `${run.id}!` : run.record.id))
  expect(told).toHaveLength(5)
  expect([told[0], told[2], told[4]]).toEqual(['run-4', 'run-2!', 'run-0'])
  expect(await opened.suspended({ limit: 1 })).toEqual(found.slice(0, 1))
  await opened.close()
})

test('CKP-05 SQLite: one of several processes that begin a run of one session at once succeeds', async () => {
  using folder = temporaryFolder()
  const path = folder.file('runs.db')
  const store = sqliteStore(path)
  const version = await keepSession(store, sessionState('shared'), 0)
  const ids = ['a', 'b', 'c', 'd']
  const children = ids.map((id) => startChild('begin-session-run', path, id, `${version}`))
  const ends = await Promise.all(children.map((child) => child.ended()))
  expect(ends.map(({ code }) => String(code)).toSorted()).toEqual(['0', '3', '3', '3'])
  const [begun, ...others] = await store.list()
  expect(others).toEqual([])
  expect(await findSession(store, 'shared')).toMatchObject({ lastRun: begun?.id, active: { runId: begun?.id } })
  await store.close()
})
