import assert from 'node:assert/strict'
import type { OutboxStore, OutgoingItem, OutgoingQuery, OutgoingRow } from '../../core/ports/outbox.ts'
import type { Store } from '../../core/ports/store.ts'
import { createDriver, driverOf, newRun, ownerNamed, says, start, type StoreCase, ttl } from './store-suite-fixtures.ts'

/** Cases of outgoing items. */
export const outgoingCases: readonly StoreCase[] = [
  [
    'gives what a commit sends to whoever asks for its kind, in order, and holds it from everybody else',
    withOutbox(async (store) => {
      const driver = await createDriver(store, 'run')
      await driver.commit({ entries: [says('on')], outgoing: [item('a', 'oslo'), item('b', 'rome')] })
      await driver.commit({ outgoing: [{ ...item('m', 'oslo'), kind: 'memory' }] })
      assert.deepEqual(await take(store, { now: start }), [])
      const [first, second, ...others] = await take(store)
      assert.deepEqual(others, [])
      const { number, ...told } = first ?? assert.fail('expected a row')
      assert.deepEqual(told, { ...item('a', 'oslo'), runId: 'run', state: 'pending', at: start + 1, ...taken(1) })
      assert.equal(second?.id, 'b')
      assert.ok(number < (second?.number ?? 0))
      assert.deepEqual(await take(store), [])
      assert.deepEqual(idsOf(await take(store, { kinds: ['memory'] })), ['m'])
      assert.deepEqual(idsOf(await take(store, { now: late + 500 })), ['a', 'b'])
    }),
  ],
  [
    'writes what is sent with its commit, or not at all, and with the commit that a run is created with',
    withOutbox(async (store) => {
      const first = await store.create(newRun('run'), ownerNamed('first'), ttl, {
        at: start,
        status: 'running',
        append: [],
        calls: [],
        document: '{}',
        consumed: [],
        outgoing: [item('a', 'oslo')],
      })
      const driver = driverOf(store, first, { version: 1, seq: 0 })
      await store.post('run', { kind: 'cancel' }, start)
      assert.deepEqual(await driver.commit({ status: 'waiting', outgoing: [item('b', 'oslo')] }), { refused: 'inbox' })
      const lost = { ...driver.plan({ outgoing: [item('c', 'oslo')] }), fence: 9 }
      await assert.rejects(store.commit(lost))
      assert.deepEqual(idsOf(await store.outgoing({ runId: 'run' })), ['a'])
    }),
  ],
  [
    'keeps the order of what one run sends to one destination, whatever becomes of it',
    withOutbox(async (store) => {
      const driver = await createDriver(store, 'run')
      const other = await createDriver(store, 'other')
      await driver.commit({ outgoing: [item('a1', 'a'), item('b1', 'b'), item('a2', 'a')] })
      await other.commit({ outgoing: [item('o1', 'a')] })
      const [a1] = await take(store)
      assert.deepEqual(idsOf(await take(store, { now: late + 500 })), ['a1', 'b1', 'o1'])
      await store.failOutgoing({ number: a1?.number ?? 0, attempts: 1 }, { problem: 'late', until: late })
      assert.deepEqual(idsOf(await take(store, { now: late + 600 })), [])
      await failed(store, 'a1', { problem: 'down', until: late + 5000 })
      assert.deepEqual(idsOf(await take(store, { now: late + 4999 })), ['b1', 'o1'])
      // `a2` has been due for long, and stands behind `a1`: whoever asked again at that time would ask without end.
      assert.equal(await store.nextOutgoing(['event']), late + 5000)
      assert.deepEqual(idsOf(await take(store, { now: late + 6000 })), ['a1', 'b1', 'o1'])
      await failed(store, 'a1', { problem: 'gone' })
      assert.deepEqual(idsOf(await take(store, { now: late + 6000 })), ['a2'])
    }),
  ],
  [
    'knows what was sent, what waits and what was set aside, and lets go of what it is told to',
    withOutbox(async (store) => {
      const driver = await createDriver(store, 'run')
      await driver.commit({ outgoing: ['a', 'b', 'c', 'd'].map((id) => item(id, id)) })
      assert.equal(await store.nextOutgoing(['event']), start + 1)
      assert.equal(await store.nextOutgoing(['memory']), undefined)
      await take(store)
      assert.equal(await store.nextOutgoing(['event']), late + 500)
      for (const id of ['a', 'a']) await store.markSent(await numberOf(store, id), late)
      await failed(store, 'a', { problem: 'too late' })
      await failed(store, 'b', { problem: 'gone' })
      await failed(store, 'c', { problem: 'down', until: late + 900 })
      const rows = await store.outgoing()
      assert.deepEqual(
        rows.map(({ id, body, state, attempts, due, problem }) => ({ id, body, state, attempts, due, problem })),
        [
          { id: 'a', body: null, state: 'sent', attempts: 1, due: undefined, problem: undefined },
          { id: 'b', body: { to: 'b' }, state: 'aside', attempts: 1, due: undefined, problem: 'gone' },
          { id: 'c', body: { to: 'c' }, state: 'pending', attempts: 1, due: late + 900, problem: 'down' },
          { id: 'd', body: { to: 'd' }, state: 'pending', attempts: 1, due: late + 500, problem: undefined },
        ],
      )
      assert.deepEqual(idsOf(await store.outgoing({ state: 'aside' })), ['b'])
      assert.deepEqual(idsOf(await store.outgoing({ runId: 'run', state: 'pending', limit: 1 })), ['c'])
      assert.deepEqual(idsOf(await store.outgoing({ runId: 'other' })), [])
      for (const id of ['b', 'c']) assert.equal(await store.retryOutgoing(await numberOf(store, id)), true)
      assert.equal(await store.retryOutgoing(await numberOf(store, 'a')), false)
      assert.deepEqual(
        (await take(store)).map(({ id, attempts }) => ({ id, attempts })),
        [
          { id: 'b', attempts: 1 },
          { id: 'c', attempts: 1 },
        ],
      )
      const dropped = await numberOf(store, 'd')
      assert.equal(await store.dropOutgoing(dropped), true)
      assert.equal(await store.dropOutgoing(dropped), false)
      await store.markSent(dropped, late)
      assert.deepEqual(idsOf(await store.outgoing()), ['a', 'b', 'c'])
    }),
  ],
  [
    'gives each row to exactly one of two publishers that ask at once',
    withOutbox(async (store) => {
      const driver = await createDriver(store, 'run')
      const ids = Array.from({ length: 12 }, (_, index) => `id-${index}`)
      await driver.commit({ outgoing: ids.map((id) => item(id, id)) })
      const found = await Promise.all([take(store, { limit: 8 }), take(store, { limit: 8 })])
      const again = await take(store)
      assert.deepEqual(idsOf([...found.flat(), ...again]).toSorted(), ids.toSorted())
    }),
  ],
  [
    'forgets with a run what was sent, and keeps the rest until it is sent',
    withOutbox(async (store) => {
      const driver = await createDriver(store, 'run')
      await driver.commit({ status: 'done', release: true, outgoing: ['a', 'b', 'c'].map((id) => item(id, id)) })
      await take(store)
      await store.markSent(await numberOf(store, 'a'), late)
      await failed(store, 'c', { problem: 'gone' })
      await store.release(driver.lease)
      await store.delete('run')
      assert.deepEqual(idsOf(await store.outgoing()), ['b', 'c'])
      for (const id of ['b', 'c']) await store.markSent(await numberOf(store, id), late)
      assert.deepEqual(await store.outgoing(), [])
    }),
  ],
  [
    'tells whoever watches all runs of what is to be sent',
    withOutbox(async (store) => {
      const driver = await createDriver(store, 'run')
      const told = new Promise<void>((resolve) => store.watchAll?.(resolve) ?? resolve())
      await driver.commit({ outgoing: [item('a', 'oslo')] })
      await told
    }),
  ],
]

const late = start + 100_000

function taken(attempts: number) {
  return { attempts, due: late + 500 }
}

function item(id: string, destination: string): OutgoingItem {
  return { id, kind: 'event', destination, body: { to: destination } }
}

function take(store: OutboxStore, changes: Partial<OutgoingQuery> = {}): Promise<readonly OutgoingRow[]> {
  return store.takeOutgoing({ kinds: ['event'], now: late, limit: 100, holdMs: 500, ...changes })
}

async function rowOf(store: OutboxStore, id: string): Promise<OutgoingRow> {
  return (await store.outgoing()).find((row) => row.id === id) ?? assert.fail(`expected a row ${id}`)
}

async function numberOf(store: OutboxStore, id: string): Promise<number> {
  return (await rowOf(store, id)).number
}

async function failed(
  store: OutboxStore,
  id: string,
  failure: { readonly problem: string; readonly until?: number },
): Promise<void> {
  await store.failOutgoing(await rowOf(store, id), failure)
}

function idsOf(rows: readonly OutgoingRow[]): readonly string[] {
  return rows.map(({ id }) => id)
}

/** Wraps a case for stores with an outbox; other stores pass without a test. */
function withOutbox(run: (store: Store & OutboxStore) => Promise<void>): StoreCase[1] {
  return async ({ store }) => {
    if (hasOutbox(store)) await run(store)
  }
}

function hasOutbox(store: Store): store is Store & OutboxStore {
  return store.takeOutgoing !== undefined
}
