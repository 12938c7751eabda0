import assert from 'node:assert/strict'
import type { Store } from '../../core/ports/store.ts'
import { done, texts } from './store-suite-chain-runs.ts'
import {
  createDriver,
  livingOwner,
  newRun,
  rejectsWith,
  start,
  type StoreCase,
  ttl,
  steering,
} from './store-suite-fixtures.ts'
import { beginRun, end, sessionState, keepSession, inSession } from './store-suite-sessions.ts'
import { deleteSession } from '../../core/driving/delete-runs.ts'
import { listSessions, findSession } from '../../core/driving/find-sessions.ts'
import { changeSession, removeIdleSession } from '../../core/domain/session-record.ts'
import { together } from '../../core/domain/records/record-change.ts'

/** Stores a session whose runs each continue the run before. */
async function sessionOf(store: Store, session: string, runs: readonly string[]): Promise<void> {
  for (const [index, runId] of runs.entries()) await sayAfter(store, session, runId, runs[index - 1])
}

/** Stores one more run of a session, which continues another run or none. */
async function sayAfter(store: Store, session: string, runId: string, before?: string): Promise<void> {
  const continues = before === undefined ? {} : { continues: { runId: before } }
  const { version = 0, runs = 0 } = (await findSession(store, session)) ?? {}
  const state = sessionState(session, { runs: runs + 1, lastRun: runId })
  await done(store, runId, {
    ...continues,
    at: start + runs,
    ...inSession(state, version, start + runs),
    says: [runId],
  })
}

const runIds = async (store: Store, filter?: Parameters<Store['list']>[0]) =>
  (await store.list(filter)).map(({ id }) => id)

/** Cases of sessions with deleted runs, and of runs with a deleted session. */
export const sessionRunCases: readonly StoreCase[] = [
  [
    'AGT-01 leaves a session whose last run is deleted with the newest that remains, and raises its version',
    async ({ store }) => {
      await sessionOf(store, 's-1', ['a', 'b', 'c'])
      await store.delete('b')
      const before = await findSession(store, 's-1')
      assert.equal(before?.lastRun, 'c')
      await store.delete('c')
      const { lastRun, version = 0 } = (await findSession(store, 's-1')) ?? {}
      assert.equal(lastRun, 'a')
      assert.ok(version > (before?.version ?? 0))
      await store.delete('a')
      assert.equal((await findSession(store, 's-1'))?.lastRun, undefined)
    },
  ],
  [
    'AGT-01 leaves no last run where the one that is deleted went on from none',
    async ({ store }) => {
      await sessionOf(store, 's-1', ['a'])
      await end(store, await beginRun(store, 's-1', 'anew'), start + 1)
      await store.delete('anew')
      assert.equal((await findSession(store, 's-1'))?.lastRun, undefined)
      assert.deepEqual(await runIds(store, { session: 's-1' }), ['a'])
    },
  ],
  [
    'AGT-01 leaves no last run of before a reset, whatever of those behind it is deleted first',
    async ({ store }) => {
      await sessionOf(store, 's-1', ['a'])
      await sayAfter(store, 's-1', 'anew')
      await sayAfter(store, 's-1', 'more', 'anew')
      await sayAfter(store, 's-1', 'most', 'more')
      await store.delete('anew')
      await store.delete('most')
      assert.equal((await findSession(store, 's-1'))?.lastRun, 'more')
      await store.delete('more')
      assert.equal((await findSession(store, 's-1'))?.lastRun, undefined)
      assert.deepEqual(await runIds(store, { session: 's-1' }), ['a'])
    },
  ],
  [
    'AGT-01 SES-02 changes the session that another one is rotated from in the write that stores that one, or neither of them',
    async ({ store }) => {
      const queued = [{ item: steering('Be brief'), at: start }] as const
      await sessionOf(store, 's-1', ['a'])
      const first = await findSession(store, 's-1')
      const state = sessionState('s-1', { runs: 1, lastRun: 'a' })
      const read = await keepSession(store, { ...state, queued }, first?.version ?? 0)
      const rotate = (id: string, runId: string, expected: number, of = read) => {
        const change = changeSession(sessionState(id, { lastRun: runId, queued }), expected)
        const records = [together(change, changeSession(state, of))]
        return done(store, runId, { continues: { runId: 'a' }, session: id, records, says: [runId] })
      }
      const whole = [await listSessions(store), await store.list()]
      await rejectsWith('session_conflict', 's-1', rotate('s-2', 'b', 0, read - 1))
      await rejectsWith('session_conflict', 's-2', rotate('s-2', 'b', 7))
      const both = together(changeSession(sessionState('s-2'), 0), changeSession(state, read - 1))
      await rejectsWith('session_conflict', 's-1', store.change(both))
      assert.deepEqual([await listSessions(store), await store.list()], whole)

      await rotate('s-2', 'b', 0)
      const queues = async () => [(await findSession(store, 's-1'))?.queued, (await findSession(store, 's-2'))?.queued]
      assert.deepEqual(await queues(), [[], queued])
      await rejectsWith('session_conflict', 's-1', rotate('s-3', 'c', 0))
      const { version: expected = 0 } = (await findSession(store, 's-2')) ?? {}
      const emptied = sessionState('s-2', { lastRun: 'b' })
      await store.change(together(changeSession(sessionState('s-3', { queued }), 0), changeSession(emptied, expected)))
      assert.deepEqual([...(await queues()), (await findSession(store, 's-3'))?.queued], [[], [], queued])
      assert.deepEqual(texts(await store.read('b')), ['a', 'b'])
    },
  ],
  [
    'SES-02 deletes a session with all its runs, and nothing else',
    async ({ store }) => {
      await sessionOf(store, 's-1', ['a', 'b'])
      await sessionOf(store, 's-2', ['c'])
      await createDriver(store, 'alone', { at: start - 1 })
      assert.deepEqual(await deleteSession(store, 's-1'), { runs: ['b', 'a'], readers: [] })
      assert.equal(await findSession(store, 's-1'), undefined)
      assert.deepEqual(await runIds(store), ['c', 'alone'])
      assert.deepEqual(
        (await listSessions(store)).map(({ id }) => id),
        ['s-2'],
      )
      await rejectsWith('session_unknown', 's-1', deleteSession(store, 's-1'))
      await sessionOf(store, 's-1', ['a'])
      assert.deepEqual(texts(await store.read('a')), ['a'])
    },
  ],
  [
    'CKP-09 AGT-05 deletes named runs at once, with a session or without one, and none of them while one is driven',
    async ({ store }) => {
      await sessionOf(store, 's-1', ['a'])
      await createDriver(store, 'driven', { at: start })
      for (const id of ['b', 'c', 'd']) await done(store, id, { says: [id] })
      await rejectsWith('run_is_driven', 'driven', store.delete({ runs: ['b', 'driven'] }))
      assert.deepEqual(await runIds(store), ['d', 'c', 'b', 'driven', 'a'])
      assert.deepEqual(await store.delete({ runs: ['b', 'c', 'gone'] }), { runs: ['c', 'b'], readers: [] })
      assert.deepEqual(await store.delete({ session: 's-1', runs: ['d'] }), {
        runs: ['d', 'a'],
        readers: [],
      })
      assert.deepEqual(await runIds(store), ['driven'])
    },
  ],
  [
    'SES-02 refuses to delete a session while somebody drives a run of it, and leaves it whole',
    async ({ store, clock }) => {
      await sessionOf(store, 's-1', ['a'])
      const { lease } = await beginRun(store, 's-1', 'b')
      const whole = [await findSession(store, 's-1'), await store.list()]
      clock.set(start + ttl - 1)
      await rejectsWith('run_is_driven', 'b', deleteSession(store, 's-1'))
      assert.deepEqual([await findSession(store, 's-1'), await store.list()], whole)
      await store.release(lease)
      assert.deepEqual((await deleteSession(store, 's-1')).runs, ['b', 'a'])
    },
  ],
  [
    'SES-02 deletes a session whose runs have expired leases that a living process of this host does not renew',
    async ({ store, clock }) => {
      const living = livingOwner('stuck')
      if (living === undefined) return
      for (const id of ['a', 'b']) {
        const expected = id === 'a' ? 0 : ((await findSession(store, 's'))?.version ?? 0)
        const state = sessionState('s', { lastRun: id })
        await store.create(newRun(id, { ...inSession(state, expected) }), living, ttl)
      }
      clock.set(start + ttl)
      const found = ['b', 'a'].map((runId) => ({ runId, fence: 1, expires: start + ttl }))
      await rejectsWith('run_is_driven', 'b', deleteSession(store, 's'))
      await rejectsWith('run_is_driven', 'a', deleteSession(store, 's', {}, found.slice(0, 1)))
      assert.equal((await store.list()).length, 2)
      assert.deepEqual((await deleteSession(store, 's', {}, found)).runs, ['b', 'a'])
    },
  ],
  [
    'SES-02 refuses to delete a session that runs of another one read, names them, and keeps it for them on request',
    async ({ store }) => {
      await sessionOf(store, 's-1', ['a', 'b'])
      const session = inSession(sessionState('s-2', { lastRun: 'reader' }), 0)
      await done(store, 'reader', { continues: { runId: 'b' }, ...session, says: ['reader'] })
      const refused = await deleteSession(store, 's-1').catch((error: unknown) => error)
      assert.deepEqual(refused instanceof Error && 'readers' in refused && refused.readers, ['reader'])
      await rejectsWith('session_is_read', 'reader', deleteSession(store, 's-1', { whereRead: 'refuse' }))
      assert.deepEqual(texts(await store.read('b')), ['a', 'b'])

      const kept = await deleteSession(store, 's-1', { whereRead: 'keep' })
      assert.deepEqual(kept, { runs: ['b', 'a'], readers: ['reader'] })
      assert.deepEqual(texts(await store.read('reader')), ['a', 'b', 'reader'])
      assert.deepEqual(await deleteSession(store, 's-2'), { runs: ['reader'], readers: [] })
      assert.deepEqual(await store.list(), [])
    },
  ],
  [
    'SES-02 removes a session that was neither changed since it was read nor active since a time, and no other',
    async ({ store }) => {
      const read = await keepSession(store, sessionState('s-1'), 0, start + 5)
      const version = await keepSession(store, sessionState('s-2', { createdAt: start + 6 }), 0)
      const whole = await listSessions(store)
      const removed = (id: string, of: number, since: number) => store.change(removeIdleSession(id, of, since))
      assert.equal(await removed('s-1', read, start + 5), false)
      assert.equal(await removed('s-1', read - 1, start + 6), false)
      assert.equal(await removed('s-2', version, start + 6), false)
      assert.deepEqual(await listSessions(store), whole)
      assert.equal(await removed('s-1', read, start + 6), true)
      assert.equal(await removed('s-1', read, start + 6), false)
      assert.deepEqual(
        (await listSessions(store)).map(({ id }) => id),
        ['s-2'],
      )
      await rejectsWith('session_unknown', 's-1', deleteSession(store, 's-1'))
    },
  ],
  [
    'SES-02 deletes a session in every order of its branches',
    async ({ store }) => {
      await sessionOf(store, 's-1', ['a', 'b'])
      for (const runId of ['left', 'right']) {
        const { version: expected = 0 } = (await findSession(store, 's-1')) ?? {}
        const state = sessionState('s-1', { lastRun: runId })
        await done(store, runId, { continues: { runId: 'a' }, ...inSession(state, expected), says: [runId] })
      }
      await store.delete('a')
      assert.deepEqual(texts(await store.read('left')), ['a', 'left'])
      assert.deepEqual((await deleteSession(store, 's-1')).runs, ['right', 'left', 'b'])
      assert.deepEqual(await store.list(), [])
    },
  ],
]
