import assert from 'node:assert/strict'
import type { RunRecord } from '../../core/domain/run-record.ts'
import type { Store } from '../../core/ports/store.ts'
import {
  call,
  checkpoint,
  createDriver,
  newRun,
  ownerNamed,
  rejectsWith,
  says,
  slot,
  start,
  type StoreCase,
  suspendedCall,
  ttl,
  recordOf,
  steering,
} from './store-suite-fixtures.ts'

/** Cases of creating, listing and deleting runs, and of their timers. */
export const runCases: readonly StoreCase[] = [
  [
    'creates a run that is running, at version 0, and held at fence 1',
    async ({ store }) => {
      const owner = ownerNamed('first')
      const lease = await store.create(newRun('run', { forkedFrom: { runId: 'origin', version: 3 } }), owner, ttl)
      assert.deepEqual(lease, { runId: 'run', owner, fence: 1 })
      const record: RunRecord = {
        id: 'run',
        agent: 'guide',
        status: 'running',
        createdAt: start,
        updatedAt: start,
        version: 0,
        forkedFrom: { runId: 'origin', version: 3 },
      }
      assert.deepEqual(await recordOf(store, 'run'), record)
      assert.deepEqual(await store.read('run'), {
        record,
        input: { prompt: 'Weather in Oslo?' },
        checkpoint: null,
        document: null,
        log: [],
        calls: [],
      })
    },
  ],
  [
    'refuses a second run of the same id and leaves the first alone',
    async ({ store }) => {
      await createDriver(store, 'run')
      await rejectsWith('run_exists', 'run', store.create(newRun('run', { agent: 'other' }), ownerNamed('b'), ttl))
      assert.equal((await store.record('run')).agent, 'guide')
    },
  ],
  ['answers run_unknown for a run it does not have', unknownEverywhere],
  [
    'keeps runs apart whatever their ids and texts look like',
    async ({ store }) => {
      const ids = ["it's", '"quoted"', '; DROP TABLE runs; --', '__proto__', 'constructor', 'Пробег-走る-🏃', '%', '']
      for (const id of ids) await (await createDriver(store, id)).commit({ entries: [says(`I am ${id}`)] })
      for (const id of ids) {
        const { record, log } = await store.read(id)
        assert.equal(record.id, id)
        assert.deepEqual(log, [says(`I am ${id}`)(1)])
      }
      assert.deepEqual((await store.list()).map((run) => run.id).toSorted(), ids.toSorted())
    },
  ],
  [
    'lists the newest runs first and filters by status and agent',
    async ({ store }) => {
      await createDriver(store, 'old', { at: start + 1 })
      await (await createDriver(store, 'new', { at: start + 3 })).commit({ status: 'waiting' })
      await createDriver(store, 'middle', { at: start + 2, agent: 'other' })
      const ids = async (filter?: Parameters<Store['list']>[0]) => (await store.list(filter)).map((run) => run.id)
      assert.deepEqual(await ids(), ['new', 'middle', 'old'])
      assert.deepEqual(await ids({ limit: 2 }), ['new', 'middle'])
      assert.deepEqual(await ids({ status: 'running' }), ['middle', 'old'])
      assert.deepEqual(await ids({ status: 'waiting' }), ['new'])
      assert.deepEqual(await ids({ agent: 'guide' }), ['new', 'old'])
      assert.deepEqual(await ids({ agent: 'guide', status: 'running', limit: 5 }), ['old'])
      assert.deepEqual(await ids({ status: 'done' }), [])
      const cursors = (await store.list()).map(({ cursor }) => cursor)
      assert.deepEqual(await store.list({ limit: 1 }), [{ ...(await recordOf(store, 'new')), cursor: cursors[0] }])
      assert.equal(new Set(cursors).size, 3)
    },
  ],
  [
    'lists the runs last updated before a time, up to the limit however many were updated since',
    async ({ store }) => {
      const old = await createDriver(store, 'old')
      await old.commit({ status: 'done', entries: [checkpoint('{}')], at: start + 1 })
      const changed = await createDriver(store, 'changed')
      await changed.commit({ entries: [checkpoint('{}', start + 10)], at: start + 10 })
      await createDriver(store, 'new', { at: start + 10 })
      const ids = async (filter?: Parameters<Store['list']>[0]) => (await store.list(filter)).map((run) => run.id)
      assert.deepEqual(await ids({ updatedBefore: start + 1 }), [])
      assert.deepEqual(await ids({ updatedBefore: start + 2 }), ['old'])
      assert.deepEqual(await ids({ updatedBefore: start + 2, limit: 1 }), ['old'])
      assert.deepEqual(await ids({ updatedBefore: start + 2, status: 'running' }), [])
      assert.deepEqual(await ids({ updatedBefore: start + 10 }), ['old'])
      assert.deepEqual(await ids({ updatedBefore: start + 11, limit: 2 }), ['new', 'changed'])
      assert.deepEqual(await ids({ updatedBefore: start + 11, agent: 'guide', status: 'done' }), ['old'])
    },
  ],
  [
    'lists at most 100 runs unless told otherwise',
    async ({ store }) => {
      for (let index = 0; index < 101; index++) await createDriver(store, `run-${index}`)
      assert.equal((await store.list()).length, 100)
      assert.equal((await store.list({ limit: 200 })).length, 101)
    },
  ],
  [
    'deletes a run with all its rows, and nothing of another',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      const other = await createDriver(store, 'other')
      for (const each of [driver, other]) {
        const entries = [says('hello'), slot((seq) => suspendedCall(seq, 'suspension')), checkpoint('{}')]
        await each.commit({ entries, timers: [{ key: 'expiry', due: start }] })
      }
      for (const id of ['run', 'other']) await store.decide(id, [{ target: 'call-2', action: 'resume' }], start)
      await store.release(driver.lease)
      await store.delete('run')
      await rejectsWith('run_unknown', 'run', store.read('run'))
      assert.deepEqual(await store.due(start), ['other'])
      assert.equal((await store.inbox('other', { kinds: ['decision'] })).length, 1)
      assert.equal((await store.read('other')).log.length, 2)

      const again = await createDriver(store, 'run')
      assert.deepEqual((await store.read('run')).log, [])
      assert.deepEqual(await store.inbox('run', { kinds: ['decision'] }), [])
      assert.deepEqual(await again.commit({ entries: [says('again')] }), { version: 1 })
    },
  ],
  [
    'refuses to delete a run that somebody drives',
    async ({ store, deadOwner, clock }) => {
      await store.create(newRun('run'), ownerNamed('first'), ttl)
      clock.set(start + ttl - 1)
      await rejectsWith('run_is_driven', 'run', store.delete('run'))
      clock.set(start + ttl)
      await store.delete('run')
      await rejectsWith('run_unknown', 'run', store.delete('run'))
      await store.create(newRun('orphan'), deadOwner('gone'), ttl)
      await store.delete('orphan')
      assert.deepEqual(await store.list(), [])
    },
  ],
  [
    'tells which runs have a timer due, the earliest first, and replaces timers whole',
    async ({ store }) => {
      const late = await createDriver(store, 'a-late')
      const early = await createDriver(store, 'b-early')
      await late.commit({
        timers: [
          { key: 'a', due: start + 20 },
          { key: 'b', due: start + 90 },
        ],
      })
      await early.commit({
        timers: [
          { key: 'a', due: start + 10 },
          { key: '__proto__', due: start + 15 },
        ],
      })
      assert.deepEqual(await store.due(start + 9), [])
      assert.deepEqual(await store.due(start + 10), ['b-early'])
      assert.deepEqual(await store.due(start + 20), ['b-early', 'a-late'])
      await early.commit()
      assert.deepEqual(await store.due(start + 10), ['b-early'])
      await early.commit({ timers: [{ key: 'a', due: start + 30 }] })
      assert.deepEqual(await store.due(start + 29), ['a-late'])
      await late.commit({ timers: [] })
      assert.deepEqual(await store.due(start + 90), ['b-early'])
    },
  ],
  [
    'refuses everything once closed',
    async ({ store }) => {
      await createDriver(store, 'run')
      await store.close()
      await store.close()
      await rejectsWith('store_unavailable', '', store.read('run'))
      await rejectsWith('store_unavailable', '', store.list())
    },
  ],
]

async function unknownEverywhere({ store }: { readonly store: Store }): Promise<void> {
  const { lease, plan } = await createDriver(store, 'gone')
  await store.release(lease)
  await store.delete('gone')
  const post = steering('hello')
  const attempts: readonly Promise<unknown>[] = [
    store.claim('gone', ownerNamed('b'), ttl),
    store.renew(lease, ttl),
    store.commit(plan({ entries: [slot(call)] })),
    store.decide('gone', [], start),
    store.post('gone', post, start),
    store.inbox('gone', { isOpen: true }),
    store.inbox('gone'),
    store.read('gone'),
    store.record('gone'),
    store.calls('gone'),
    store.checkpoints('gone'),
    store.checkpoint('gone', 1),
    store.delete('gone'),
  ]
  for (const outcome of await Promise.allSettled(attempts)) {
    const again = outcome.status === 'rejected' ? Promise.reject(outcome.reason) : Promise.resolve(outcome.value)
    await rejectsWith('run_unknown', 'gone', again)
  }
  await store.release(lease)
  assert.deepEqual(await store.list(), [])
}
