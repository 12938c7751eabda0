import assert from 'node:assert/strict'
import type { Store } from '../../core/ports/store.ts'
import { done, goOn, logs, ordersOf, texts, told } from './store-suite-chain-runs.ts'
import {
  call,
  checkpoint,
  createDriver,
  driverOf,
  newRun,
  ownerNamed,
  rejectsWith,
  says,
  slot,
  start,
  type StoreCase,
  suspendedCall,
  ttl,
} from './store-suite-fixtures.ts'

/** Cases of runs that continue other runs: their logs, and the entries of deleted runs that they keep. */
export const chainCases: readonly StoreCase[] = [
  [
    'gives a run that goes on what it goes on from, numbers its entries behind it, and keeps the rest apart',
    async ({ store }) => {
      await done(store, 'a', { says: ['one', 'two'] })
      const next = await goOn(store, 'b', { runId: 'a' })
      assert.deepEqual((await store.read('b')).continues, { runId: 'a', seq: 5 })
      await next.commit({ entries: [says('three'), slot(call), checkpoint('"b"')], timers: [{ key: 't', due: start }] })
      const { log, calls, checkpoint: last, record } = await store.read('b')
      assert.deepEqual(log, [...(await store.read('a')).log, says('three')(6), slot(call)(7)])
      assert.deepEqual(calls, [{ record: call(7), document: null, version: 1 }])
      assert.deepEqual([last, record.version], [{ document: '"b"', version: 1, seq: 8 }, 1])
      assert.deepEqual(await seqs(store.calls('b')), [7])
      assert.deepEqual(
        (await store.checkpoints('b')).map(({ seq }) => seq),
        [8],
      )
      assert.deepEqual(
        (await store.checkpoints('a')).map(({ seq }) => seq),
        [5],
      )
      const entries = await store.entries('b', 0, 3)
      assert.deepEqual(
        entries.map(({ seq }) => seq),
        [6, 7, 8],
      )
      assert.deepEqual((await store.checkpoint('b', 1)).log, log)
      assert.deepEqual((await store.read('a')).log.length, 4)
      await rejectsWith('run_unknown', 'b', store.checkpoint('b', 2))
    },
  ],
  [
    'lets a run that goes on be claimed, and written to behind what it goes on from',
    async ({ store }) => {
      await done(store, 'a', { says: ['one'] })
      const { lease } = await goOn(store, 'b', { runId: 'a' })
      await store.release(lease)
      const { lease: taken, run } = await store.claim('b', ownerNamed('second'), ttl)
      assert.deepEqual(run, await store.read('b'))
      assert.ok(taken)
      const driver = driverOf(store, taken, { version: 0, seq: 4 })
      assert.deepEqual(await driver.commit({ entries: [says('own')] }), { version: 1 })
      await assert.rejects(store.commit({ ...driver.plan(), append: [says('a gap')(7)] }), RangeError)
      await assert.rejects(
        store.commit({ ...driver.plan(), calls: [{ record: call(2), document: null }] }),
        'a run may not change a call of another one',
      )
      await driver.commit({ entries: [slot(call)] })
      await driver.commit({ calls: [{ record: call(6, { status: 'failed' }), document: null }] })
      assert.deepEqual(texts(await store.read('b')), ['one', 'own'])
    },
  ],
  [
    'goes on twice from one run, and from an entry in its middle, each without the other',
    async ({ store }) => {
      await done(store, 'a', { says: ['one', 'two'] })
      await done(store, 'b', { continues: { runId: 'a' }, says: ['b'] })
      await done(store, 'c', { continues: { runId: 'a' }, says: ['c'] })
      await done(store, 'd', { continues: { runId: 'b', seq: 1 }, says: ['d'] })
      await done(store, 'e', { continues: { runId: 'd' }, says: ['e'] })
      await done(store, 'f', { continues: { runId: 'b' }, says: ['f'] })
      assert.deepEqual(await told(store), {
        a: ['one', 'two'],
        b: ['one', 'two', 'b'],
        c: ['one', 'two', 'c'],
        d: ['one', 'd'],
        e: ['one', 'd', 'e'],
        f: ['one', 'two', 'b', 'f'],
      })
      assert.deepEqual((await store.read('d')).continues, { runId: 'b', seq: 1 })
    },
  ],
  [
    'goes on twice from one run before either has written, and from a run that has written nothing',
    async ({ store }) => {
      await done(store, 'a', { says: ['one'] })
      const drivers = [await goOn(store, 'b', { runId: 'a' }), await goOn(store, 'c', { runId: 'a' })]
      const empty = await goOn(store, 'd', { runId: 'b' })
      await empty.commit({ entries: [says('d')] })
      for (const driver of drivers) await driver.commit({ entries: [says(driver.lease.runId)] })
      await createDriver(store, 'nothing')
      await (await goOn(store, 'e', { runId: 'nothing' })).commit({ entries: [says('e')] })
      const { a: _, ...later } = await told(store)
      assert.deepEqual(later, { b: ['one', 'b'], c: ['one', 'c'], d: ['one', 'd'], nothing: [], e: ['e'] })
      assert.deepEqual((await store.read('e')).continues, { runId: 'nothing', seq: 0 })
    },
  ],
  [
    'keeps what a running run writes later from those that go on from it',
    async ({ store }) => {
      const driver = await createDriver(store, 'a')
      await driver.commit({ entries: [says('one')] })
      await (await goOn(store, 'b', { runId: 'a' })).commit({ entries: [says('b')] })
      await driver.commit({ entries: [says('two')] })
      assert.deepEqual(await told(store), { a: ['one', 'two'], b: ['one', 'b'] })
    },
  ],
  [
    'gives a fork the calls of what it was forked from, and judges decisions to them',
    async ({ store }) => {
      await done(store, 'a', { says: ['one'] })
      await done(store, 'b', { continues: { runId: 'a' }, says: ['two'] })
      const fork = await goOn(store, 'f', { runId: 'b', seq: 7 }, { forkedFrom: { runId: 'b', version: 1 } })
      await fork.commit({ entries: [says('own'), slot((seq) => suspendedCall(seq, 'open'))] })
      await goOn(store, 'g', { runId: 'f', seq: 9 }, { forkedFrom: { runId: 'f', version: 1 } })
      assert.deepEqual(await seqs(store.calls('f')), [6, 9])
      assert.deepEqual(await seqs(store.calls('g')), [6, 9])
      const wanted = new Set(await seqs(store.calls('f', ['call-6'])))
      assert.ok(wanted.has(6))
      assert.deepEqual(
        (await store.read('f')).calls.map(({ record }) => record.seq),
        [9],
      )
      const decisions = ['call-6', 'call-2', 'open'].map((target) => ({ target, action: 'resume' as const }))
      const receipts = await store.decide('f', decisions, start)
      assert.deepEqual(
        receipts.map(({ answer }) => answer),
        ['stale', 'unknown', 'applied'],
      )
    },
  ],
  [
    'refuses to go on from a run or an entry that is not there, and stores nothing',
    async ({ store }) => {
      await done(store, 'a', { says: ['one'] })
      await rejectsWith('run_unknown', 'gone', goOn(store, 'b', { runId: 'gone' }))
      for (const seq of [5, -1, 0.5, Number.NaN])
        await assert.rejects(goOn(store, 'b', { runId: 'a', seq }), RangeError)
      await rejectsWith('run_exists', 'a', goOn(store, 'a', { runId: 'gone' }))
      await rejectsWith('run_exists', 'a', goOn(store, 'a', { runId: 'a' }))
      assert.deepEqual(
        (await store.list()).map(({ id }) => id),
        ['a'],
      )
      await done(store, 'b', { continues: { runId: 'a' }, says: ['b'] })
      assert.deepEqual(texts(await store.read('b')), ['one', 'b'])
    },
  ],
  [
    'takes a first commit behind what a run goes on from, whole or not at all',
    async ({ store }) => {
      await done(store, 'a', { says: ['one'] })
      const first = { at: start, status: 'running' as const, calls: [], document: '{}', consumed: [] }
      const run = newRun('b', { continues: { runId: 'a' } })
      const gap = store.create(run, ownerNamed('first'), ttl, { ...first, append: [says('gap')(9)] })
      await assert.rejects(gap, RangeError)
      await store.create(run, ownerNamed('first'), ttl, { ...first, append: [says('b')(5)] })
      assert.deepEqual(texts(await store.read('b')), ['one', 'b'])
    },
  ],
  [
    'keeps of a deleted run what others go on from, names these, and takes its id anew',
    async ({ store }) => {
      await done(store, 'a', { says: ['one'] })
      await done(store, 'b', { continues: { runId: 'a' }, says: ['b'] })
      await done(store, 'c', { continues: { runId: 'b' }, says: ['c'] })
      await done(store, 'd', { continues: { runId: 'a', seq: 1 }, says: ['d'] })
      const before = await logs(store, ['c', 'd'])
      assert.deepEqual(await store.delete('b'), { runs: ['b'], readers: ['c'] })
      assert.deepEqual((await store.delete('a')).readers.toSorted(), ['c', 'd'])
      for (const id of ['a', 'b']) await rejectsWith('run_unknown', id, store.read(id))
      await done(store, 'a', { says: ['anew'] })
      await done(store, 'b', { continues: { runId: 'a' }, says: ['b anew'] })
      assert.deepEqual(await logs(store, ['c', 'd']), before)
      assert.deepEqual(texts(await store.read('b')), ['anew', 'b anew'])
      assert.deepEqual(await store.delete('c'), { runs: ['c'], readers: [] })
      assert.deepEqual(texts(await store.read('d')), ['one', 'd'])
      await done(store, 'e', { continues: { runId: 'd' }, says: ['e'] })
      assert.deepEqual(texts(await store.read('e')), ['one', 'd', 'e'])
    },
  ],
  [
    'leaves no run another log, in whatever order related runs are deleted',
    async (under) => {
      for (const order of ordersOf(['a', 'b', 'c', 'd', 'e'])) {
        const { store } = under
        await done(store, 'a', { says: ['one', 'two'] })
        await done(store, 'b', { continues: { runId: 'a' }, says: ['b'] })
        await done(store, 'c', { continues: { runId: 'a' }, says: ['c'] })
        await done(store, 'd', { continues: { runId: 'b' }, says: ['d'] })
        await done(store, 'e', {
          continues: { runId: 'b', seq: 6 },
          says: ['e'],
          forkedFrom: { runId: 'b', version: 1 },
        })
        const readers = { a: ['b', 'c', 'd', 'e'], b: ['d', 'e'], c: [], d: [], e: [] }
        const whole = await logs(store, order)
        for (const [index, id] of order.entries()) {
          const rest = order.slice(index + 1)
          const expected = readers[id as 'a'].filter((reader) => rest.includes(reader))
          assert.deepEqual((await store.delete(id)).readers.toSorted(), expected, `${id} of ${order.join()}`)
          assert.deepEqual(await logs(store, rest), whole.slice(index + 1), `after ${id} of ${order.join()}`)
        }
        assert.deepEqual(await store.list(), [])
      }
    },
  ],
  [
    'goes on from a run whose next one was deleted, without what that one wrote',
    async ({ store }) => {
      await done(store, 'a', { says: ['one'] })
      await done(store, 'b', { continues: { runId: 'a' }, says: ['b'] })
      await done(store, 'c', { continues: { runId: 'b' }, says: ['c'] })
      await store.delete('b')
      await done(store, 'd', { continues: { runId: 'a' }, says: ['d'] })
      await store.delete('c')
      await done(store, 'e', { continues: { runId: 'a' }, says: ['e'] })
      assert.deepEqual(await told(store), { a: ['one'], d: ['one', 'd'], e: ['one', 'e'] })
    },
  ],
  [
    'writes nothing where one that goes on from a deleted run without a message has left off',
    async ({ store }) => {
      await done(store, 'a', { says: ['one'] })
      const silent = await goOn(store, 'silent', { runId: 'a' })
      await silent.commit({ entries: [checkpoint('"silent"')], status: 'done' })
      await store.release(silent.lease)
      await done(store, 'b', { continues: { runId: 'silent' }, says: ['b'] })
      await done(store, 'c', { continues: { runId: 'silent' }, says: ['c'] })
      await store.delete('b')
      await store.delete('silent')
      await done(store, 'd', { continues: { runId: 'a' }, says: ['d'] })
      assert.deepEqual(await told(store), { a: ['one'], c: ['one', 'c'], d: ['one', 'd'] })
    },
  ],
]

async function seqs(calls: ReturnType<Store['calls']>): Promise<readonly number[]> {
  return (await calls).map(({ record }) => record.seq)
}
