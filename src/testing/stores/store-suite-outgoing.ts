import assert from 'node:assert/strict'
import {
  dropItem,
  failItem,
  markSent,
  nextReads,
  outgoingKind,
  type OutgoingItem,
  type OutgoingQuery,
  type OutgoingRow,
  retryItem,
  sendItems,
  takeItems,
} from '../../core/domain/outgoing.ts'
import { listOutgoing } from '../../core/driving/list-outgoing.ts'
import type { Store } from '../../core/ports/store.ts'
import { createDriver, driverOf, newRun, ownerNamed, says, start, type StoreCase, ttl } from './store-suite-fixtures.ts'

/** Cases of outgoing items. */
export const outgoingCases: readonly StoreCase[] = [
  [
    'gives what a commit sends to whoever asks for its kind, in order, and holds it from everybody else',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      await driver.commit({ entries: [says('on')], records: sends([item('a', 'oslo'), item('b', 'rome')]) })
      await driver.commit({ records: sends([{ ...item('m', 'oslo'), kind: 'memory' }]) })
      const [first, second, ...others] = await take(store)
      assert.deepEqual(others, [])
      const { key: _, ...told } = first ?? assert.fail('expected a row')
      assert.deepEqual(told, { ...item('a', 'oslo'), runId: 'run', state: 'pending', at: start + 1, ...taken(1) })
      assert.equal(second?.id, 'b')
      assert.deepEqual(await take(store), [])
      assert.deepEqual(idsOf(await take(store, { kinds: ['memory'] })), ['m'])
      assert.deepEqual(idsOf(await take(store, { now: late + 500 })), ['a', 'b'])
    },
  ],
  [
    'writes what is sent with its commit, or not at all, and with the commit that a run is created with',
    async ({ store }) => {
      const first = await store.create(newRun('run'), ownerNamed('first'), ttl, {
        at: start,
        status: 'running',
        append: [],
        calls: [],
        document: '{}',
        consumed: [],
        records: sends([item('a', 'oslo')]),
      })
      const driver = driverOf(store, first, { version: 1, seq: 0 })
      await store.post('run', { kind: 'cancel' }, start)
      assert.deepEqual(await driver.commit({ status: 'waiting', records: sends([item('b', 'oslo')]) }), {
        refused: 'inbox',
      })
      const lost = { ...driver.plan({ records: sends([item('c', 'oslo')]) }), fence: 9 }
      await assert.rejects(store.commit(lost))
      assert.deepEqual(idsOf(await listOutgoing(store, { runId: 'run' })), ['a'])
    },
  ],
  [
    'keeps the order of what one run sends to one destination, whatever becomes of it',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      const other = await createDriver(store, 'other')
      await driver.commit({ records: sends([item('a1', 'a'), item('b1', 'b'), item('a2', 'a')]) })
      await other.commit({ records: sends([item('o1', 'a')], 'other') })
      const [a1] = await take(store)
      assert.deepEqual(idsOf(await take(store, { now: late + 500 })), ['a1', 'b1', 'o1'])
      await store.change(failItem({ key: a1?.key ?? '', attempts: 1 }, { problem: 'late', until: late }))
      assert.deepEqual(idsOf(await take(store, { now: late + 600 })), [])
      await failed(store, 'a1', { problem: 'down', until: late + 5000 })
      assert.deepEqual(idsOf(await take(store, { now: late + 4999 })), ['b1', 'o1'])
      // `a2` has long been due and is queued behind `a1`. A caller that asked again at that time would ask without end.
      assert.equal(await nextDue(store, 'event'), late + 5000)
      assert.deepEqual(idsOf(await take(store, { now: late + 6000 })), ['a1', 'b1', 'o1'])
      await failed(store, 'a1', { problem: 'gone' })
      assert.deepEqual(idsOf(await take(store, { now: late + 6000 })), ['a2'])
    },
  ],
  [
    'knows what was sent, what waits and what was set aside, and lets go of what it is told to',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      await driver.commit({ records: sends(['a', 'b', 'c', 'd'].map((id) => item(id, id))) })
      // Due at once, even if the clock of the commit was ahead.
      assert.equal(await nextDue(store, 'event'), 0)
      assert.equal(await nextDue(store, 'memory'), undefined)
      await take(store)
      assert.equal(await nextDue(store, 'event'), late + 500)
      for (const id of ['a', 'a']) await store.change(markSent(await keyOf(store, id)))
      await failed(store, 'a', { problem: 'too late' })
      await failed(store, 'b', { problem: 'gone' })
      await failed(store, 'c', { problem: 'down', until: late + 900 })
      const rows = await listOutgoing(store)
      assert.deepEqual(
        rows.map(({ id, body, state, attempts, due, problem }) => ({ id, body, state, attempts, due, problem })),
        [
          { id: 'a', body: null, state: 'sent', attempts: 1, due: undefined, problem: undefined },
          { id: 'b', body: { to: 'b' }, state: 'aside', attempts: 1, due: undefined, problem: 'gone' },
          { id: 'c', body: { to: 'c' }, state: 'pending', attempts: 1, due: late + 900, problem: 'down' },
          { id: 'd', body: { to: 'd' }, state: 'pending', attempts: 1, due: late + 500, problem: undefined },
        ],
      )
      assert.deepEqual(idsOf(await listOutgoing(store, { state: 'aside' })), ['b'])
      assert.deepEqual(idsOf(await listOutgoing(store, { runId: 'run', state: 'pending', limit: 1 })), ['c'])
      assert.deepEqual(idsOf(await listOutgoing(store, { runId: 'other' })), [])
      for (const id of ['b', 'c']) assert.equal(await store.change(retryItem(await keyOf(store, id))), true)
      assert.equal(await store.change(retryItem(await keyOf(store, 'a'))), false)
      assert.deepEqual(
        (await take(store)).map(({ id, attempts }) => ({ id, attempts })),
        [
          { id: 'b', attempts: 1 },
          { id: 'c', attempts: 1 },
        ],
      )
      const dropped = await keyOf(store, 'd')
      assert.equal(await store.change(dropItem(dropped)), true)
      assert.equal(await store.change(dropItem(dropped)), false)
      await store.change(markSent(dropped))
      assert.deepEqual(idsOf(await listOutgoing(store)), ['a', 'b', 'c'])
    },
  ],
  [
    'gives each row to exactly one of two publishers that ask at once',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      const ids = Array.from({ length: 12 }, (_, index) => `id-${index}`)
      await driver.commit({ records: sends(ids.map((id) => item(id, id))) })
      const found = await Promise.all([take(store, { limit: 8 }), take(store, { limit: 8 })])
      const again = await take(store)
      assert.deepEqual(idsOf([...found.flat(), ...again]).toSorted(), ids.toSorted())
    },
  ],
  [
    'forgets with a run what was sent, and keeps the rest until it is sent',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      await driver.commit({ status: 'done', release: true, records: sends(['a', 'b', 'c'].map((id) => item(id, id))) })
      await take(store)
      await store.change(markSent(await keyOf(store, 'a')))
      await failed(store, 'c', { problem: 'gone' })
      await store.release(driver.lease)
      await store.delete('run')
      assert.deepEqual(idsOf(await listOutgoing(store)), ['b', 'c'])
      for (const id of ['b', 'c']) await store.change(markSent(await keyOf(store, id)))
      assert.deepEqual(await listOutgoing(store), [])
    },
  ],
  [
    'tells whoever watches all runs of what is to be sent',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      const told = new Promise<void>((resolve) => store.watch(undefined, resolve))
      await driver.commit({ records: sends([item('a', 'oslo')]) })
      await told
    },
  ],
]

const late = start + 100_000

function taken(attempts: number) {
  return { attempts, due: late + 500 }
}

function item(id: string, destination: string): OutgoingItem {
  return { id, kind: 'event', destination, body: { to: destination } }
}

function sends(items: readonly OutgoingItem[], runId = 'run') {
  return [sendItems(runId, items, start + 1)]
}

function take(store: Store, changes: Partial<OutgoingQuery> = {}): Promise<readonly OutgoingRow[]> {
  return store.change(takeItems({ kinds: ['event'], now: late, limit: 100, holdMs: 500, ...changes }))
}

async function nextDue(store: Store, kind: string): Promise<number | undefined> {
  const reads = nextReads([kind])
  const found = await store.records(reads)
  return reads.flatMap((read) => found.rows(outgoingKind, read))[0]?.body.due
}

async function rowOf(store: Store, id: string): Promise<OutgoingRow> {
  return (await listOutgoing(store)).find((row) => row.id === id) ?? assert.fail(`expected a row ${id}`)
}

async function keyOf(store: Store, id: string): Promise<string> {
  return (await rowOf(store, id)).key
}

async function failed(
  store: Store,
  id: string,
  failure: { readonly problem: string; readonly until?: number },
): Promise<void> {
  await store.change(failItem(await rowOf(store, id), failure))
}

function idsOf(rows: readonly OutgoingRow[]): readonly string[] {
  return rows.map(({ id }) => id)
}
