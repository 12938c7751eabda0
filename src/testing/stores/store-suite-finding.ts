import assert from 'node:assert/strict'
import type { Store } from '../../core/ports/store.ts'
import type { RunFilter, SessionFilter } from '../../core/ports/store-lists.ts'
import { done } from './store-suite-chain-runs.ts'
import {
  checkpoint,
  createDriver,
  recordOf,
  slot,
  start,
  type StoreCase,
  suspendedCall,
} from './store-suite-fixtures.ts'
import { beginRun, refusesWith, sessionState, keepSession } from './store-suite-sessions.ts'
import { findSession, listSessions } from '../../core/driving/find-sessions.ts'

const runIds = async (store: Store, filter?: RunFilter) => (await store.list(filter)).map(({ id }) => id)
const sessionIds = async (store: Store, filter?: SessionFilter) =>
  (await listSessions(store, filter)).map(({ id }) => id)

/** Cases of queries: runs by their start options, sessions by their activity, and suspended calls. */
export const findingCases: readonly StoreCase[] = [
  [
    'EVT-01 keeps the session, subject, labels and first line of a run in its record',
    async ({ store }) => {
      const labels = { team: 'north', "it's": '"quoted"', 'a.b': '$[0]' }
      const given = { subject: 'order-7', labels, prompt: 'Weather in Осло? 🏃' }
      await beginRun(store, 's-1', 'run', given)
      const { session, subject, labels: kept, prompt } = await store.record('run')
      assert.deepEqual({ session, subject, labels: kept, prompt }, { session: 's-1', ...given })
      assert.deepEqual((await store.read('run')).record, await recordOf(store, 'run'))
    },
  ],
  [
    'EVT-01 replaces the line of the prompt in a commit, or takes it away',
    async ({ store }) => {
      const { commit } = await createDriver(store, 'run', { prompt: 'my secret' })
      const line = async () => (await store.record('run')).prompt
      await commit({ entries: [checkpoint('{}')] })
      assert.equal(await line(), 'my secret')
      await commit({ entries: [checkpoint('{}')], prompt: 'my [REDACTED]' })
      assert.equal(await line(), 'my [REDACTED]')
      await commit({ prompt: null })
      assert.equal(await line(), undefined)
    },
  ],
  [
    'SES-02 finds runs by session, subject, labels and status, all of them together',
    async ({ store }) => {
      const { commit } = await beginRun(store, 's-1', 'a', { subject: 'x', labels: { team: 'north', tier: '1' } })
      await commit({ status: 'waiting' })
      await beginRun(store, 's-2', 'b', { subject: 'x', labels: { team: 'north' }, at: start + 1 })
      await createDriver(store, 'c', { labels: { team: 'south' }, at: start + 2 })
      await createDriver(store, 'd', { at: start + 3 })
      assert.deepEqual(await runIds(store, { session: 's-1' }), ['a'])
      assert.deepEqual(await runIds(store, { session: 's-9' }), [])
      assert.deepEqual(await runIds(store, { subject: 'x' }), ['b', 'a'])
      assert.deepEqual(await runIds(store, { labels: { team: 'north' } }), ['b', 'a'])
      assert.deepEqual(await runIds(store, { labels: { team: 'north', tier: '1' } }), ['a'])
      assert.deepEqual(await runIds(store, { labels: { tier: 'north' } }), [])
      assert.deepEqual(await runIds(store, { labels: {} }), ['d', 'c', 'b', 'a'])
      assert.deepEqual(await runIds(store, { subject: 'x', status: 'running' }), ['b'])
      assert.deepEqual(await runIds(store, { subject: 'x', status: 'waiting', session: 's-1', agent: 'guide' }), ['a'])
    },
  ],
  [
    'SES-02 lists runs page by page: what is created or deleted between two pages moves nothing',
    async ({ store }) => {
      for (const [index, id] of ['a', 'b', 'c', 'd', 'e'].entries()) {
        const at = start + Math.floor(index / 2)
        const driver = await createDriver(store, id, { at, labels: { page: 'yes' } })
        await store.release(driver.lease)
      }
      const page = async (before?: string) => {
        const runs = await store.list({
          labels: { page: 'yes' },
          limit: 2,
          ...(before === undefined ? {} : { before }),
        })
        return { ids: runs.map(({ id }) => id), next: runs.at(-1)?.cursor }
      }
      const first = await page()
      await createDriver(store, 'new', { at: start + 9, labels: { page: 'yes' } })
      await store.delete('d')
      const second = await page(first.next)
      const third = await page(second.next)
      assert.deepEqual([first.ids, second.ids, third.ids], [['e', 'd'], ['c', 'b'], ['a']])
      assert.deepEqual((await page(third.next)).ids, [])
      for (const before of ['', 'e', '1_2_3', '1_-1', 'x_1']) await refusesWith('bad_cursor', store.list({ before }))
      await refusesWith('bad_cursor', listSessions(store, { before: '1' }))
    },
  ],
  [
    'SES-02 lists sessions by their last activity, the latest first, page by page',
    async ({ store }) => {
      await keepSession(store, sessionState('idle', { createdAt: start + 2 }), 0)
      await keepSession(store, sessionState('old', { subject: 'x' }), 0, start + 1)
      await keepSession(store, sessionState('busy', { agent: 'other' }), 0, start + 3)
      await keepSession(store, sessionState('same', { agent: 'other', subject: 'x' }), 0, start + 3)
      assert.deepEqual(await sessionIds(store), ['same', 'busy', 'idle', 'old'])
      assert.deepEqual(await sessionIds(store, { agent: 'other' }), ['same', 'busy'])
      assert.deepEqual(await sessionIds(store, { subject: 'x' }), ['same', 'old'])
      assert.deepEqual(await sessionIds(store, { subject: 'x', agent: 'guide', limit: 5 }), ['old'])
      const [one, ...rest] = await listSessions(store, { limit: 1 })
      assert.deepEqual(rest, [])
      const { cursor, ...session } = one ?? assert.fail('expected a session')
      assert.deepEqual(session, await findSession(store, 'same'))
      assert.deepEqual(await sessionIds(store, { before: cursor, limit: 2 }), ['busy', 'idle'])
      await keepSession(store, sessionState('new'), 0, start + 9)
      assert.deepEqual(await sessionIds(store, { before: cursor }), ['busy', 'idle', 'old'])
      assert.deepEqual(await sessionIds(store, { limit: 0 }), [])
    },
  ],
  [
    'gives what waits for answers over all runs, with arguments and with what is answered already',
    async ({ store }) => {
      await createDriver(store, 'running')
      const asks = await createDriver(store, 'asks', { at: start + 1, subject: 'x' })
      await asks.commit({
        entries: [
          (seq) => ({ kind: 'message', seq, message: calling(['2.a', '3.b', '4.c']) }),
          slot((seq) => suspendedCall(seq, 'sus-a', { callId: '2.a' })),
          slot((seq) => suspendedCall(seq, 'sus-b', { callId: '3.b', editedArguments: { city: 'Bergen' } })),
          slot((seq) => ({ ...suspendedCall(seq, 'sus-c', { callId: '4.c' }), status: 'succeeded' })),
          checkpoint('{}'),
        ],
        status: 'waiting',
      })
      await store.decide('asks', [{ target: '2.a', action: 'resume' }], start)
      await done(store, 'ended', { says: ['Hello'] })
      const [found, ...others] = await store.suspended()
      assert.deepEqual(others, [])
      const record = (await store.list({ subject: 'x' }))[0]
      assert.deepEqual(found, {
        record,
        calls: [
          { ...suspendedCall(2, 'sus-a', { callId: '2.a' }), arguments: { city: '2.a' } },
          {
            ...suspendedCall(3, 'sus-b', { callId: '3.b', editedArguments: { city: 'Bergen' } }),
            arguments: { city: 'Bergen' },
          },
        ],
        answered: ['2.a'],
      })
      const ids = async (filter: RunFilter) =>
        (await store.suspended(filter)).map((run) => ('record' in run ? run.record.id : run.id))
      assert.deepEqual(await ids({ subject: 'y' }), [])
      assert.deepEqual(await ids({ subject: 'x', status: 'waiting' }), ['asks'])
      assert.deepEqual(await ids({ before: record?.cursor ?? '' }), [])
      for (const id of ['newer', 'newest']) await createDriver(store, id, { at: start + 2 })
      assert.deepEqual(await ids({ limit: 1 }), ['asks'])

      const [decision] = await store.inbox('asks', { isOpen: true })
      await asks.commit({ consumed: [{ id: decision?.id ?? 0 }], status: 'waiting' })
      assert.deepEqual(
        (await store.suspended()).map((run) => 'answered' in run && run.answered),
        [[]],
      )
    },
  ],
]

/** Returns an answer with these calls. */
function calling(callIds: readonly string[]) {
  const content = callIds.map((callId) => ({
    type: 'toolCall' as const,
    id: `provider-${callId}`,
    callId,
    name: 'weather',
    arguments: { city: callId },
  }))
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 }
  const stopReason = 'toolUse' as const
  return { role: 'assistant' as const, content, stopReason, model: 'm', provider: 'p', usage, timestamp: start }
}
