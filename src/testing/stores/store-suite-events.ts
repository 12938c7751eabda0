import assert from 'node:assert/strict'
import type { LogEntry } from '../../core/domain/log.ts'
import { StoreError } from '../../core/domain/store-error.ts'
import type { Store } from '../../core/ports/store.ts'
import {
  call,
  checkpoint,
  createDriver,
  rejectsWith,
  says,
  slot,
  start,
  type StoreCase,
  ttl,
} from './store-suite-fixtures.ts'

/** Returns an entry with the events of a commit; the last event has the number `last`. */
function tells(last: number, ...types: readonly string[]): (seq: number) => LogEntry {
  return (seq) => ({ kind: 'events', seq, last, kept: { at: start, events: types.map((type) => ({ type })) } })
}

/** Stores three commits with five events. */
async function storeFive(store: Store, id = 'run'): Promise<void> {
  const driver = await createDriver(store, id)
  await driver.commit({ entries: [says('Hi'), tells(2, 'a', 'b'), checkpoint('one')] })
  await driver.commit({ entries: [tells(3, 'c')] })
  await driver.commit({ entries: [tells(5, 'd', 'e'), checkpoint('three')] })
}

/** Cases of the events that a store returns for commits, and of their numbers. */
export const eventCases: readonly StoreCase[] = [
  [
    'gives the input of a run alone, as its last commit left it',
    async ({ store }) => {
      const driver = await createDriver(store, 'run', { input: { prompt: 'Hi' } })
      assert.deepEqual(await store.input('run'), { prompt: 'Hi' })
      await driver.commit({ input: { subject: 'talk' } })
      assert.deepEqual(await store.input('run'), (await store.read('run')).input)
      assert.deepEqual(await store.input('run'), { subject: 'talk' })
      await rejectsWith('run_unknown', 'other', store.input('other'))
    },
  ],
  [
    'gives events back from any number on, those of a commit together and in order',
    async ({ store }) => {
      await storeFive(store)
      const numbers = async (after: number, limit = 10, from?: number) =>
        (await store.events('run', after, limit, from)).map(({ last, seq }) => [last, seq])
      const all = [
        [2, 2],
        [3, 4],
        [5, 5],
      ]
      assert.deepEqual(await numbers(0), all)
      assert.deepEqual(await numbers(1), all)
      assert.deepEqual(await numbers(2), all.slice(1))
      assert.deepEqual(await numbers(4), all.slice(2))
      assert.deepEqual(await numbers(5), [])
      assert.deepEqual(await numbers(0, 2), all.slice(0, 2))
      assert.deepEqual(await numbers(2, 10, 2), all.slice(1))
      assert.deepEqual(await numbers(5, 10, 5), [])
      assert.deepEqual(await store.events('run', 2, 1), [tells(3, 'c')(4)])
    },
  ],
  [
    'keeps suspensions that were written over beside the events',
    async ({ store }) => {
      const kept = { at: start, events: [{ type: 'a' }], replaced: [{ id: 's1', reason: 'approval' }] }
      const driver = await createDriver(store, 'run')
      await driver.commit({ entries: [(seq) => ({ kind: 'events', seq, last: 1, kept })] })
      assert.deepEqual(await store.events('run', 0, 1), [{ kind: 'events', seq: 1, last: 1, kept }])
    },
  ],
  [
    'leaves events out of the log, of checkpoints and of every other reading',
    async ({ store }) => {
      await storeFive(store)
      const whole = await store.read('run')
      assert.deepEqual(
        whole.log.map(({ kind, seq }) => [kind, seq]),
        [['message', 1]],
      )
      assert.equal(whole.record.version, 3)
      assert.deepEqual(
        (await store.checkpoint('run', 3)).log.map(({ kind }) => kind),
        ['message'],
      )
    },
  ],
  [
    'gives single entries of the log as they stand now',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      await driver.commit({ entries: [says('Hi'), slot((seq) => call(seq)), tells(1, 'a'), checkpoint('one')] })
      const settled = call(2, { status: 'succeeded' })
      await driver.commit({ calls: [{ record: settled, document: null }] })
      const entries = await store.entries('run', [2, 1, 2, 3, 4, 99, 0, -5])
      assert.deepEqual(entries, [says('Hi')(1), { kind: 'call', seq: 2, call: settled }])
      assert.deepEqual(await store.entries('run', []), [])
    },
  ],
  [
    'keeps the events of each run apart, and deletes them with it',
    async ({ store, clock }) => {
      await storeFive(store)
      await storeFive(store, 'other')
      clock.set(start + ttl)
      await store.delete('run')
      await rejectsWith('run_unknown', 'run', store.events('run', 0, 10))
      await createDriver(store, 'run')
      assert.deepEqual(await store.events('run', 0, 10), [])
      assert.equal((await store.events('other', 0, 10)).length, 3)
    },
  ],
  [
    'keeps no events of a commit that is refused',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      const plan = driver.plan({ entries: [tells(1, 'a')] })
      await assert.rejects(store.commit({ ...plan, expectedVersion: 7 }), StoreError)
      assert.deepEqual(await store.events('run', 0, 10), [])
    },
  ],
]
