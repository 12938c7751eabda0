import assert from 'node:assert/strict'
import type { PostedItem } from '../../core/domain/inbox.ts'
import {
  call,
  checkpoint,
  consumeAll,
  createDriver,
  rejectsWith,
  runWith,
  says,
  slot,
  start,
  type StoreCase,
  suspendedCall,
  steering,
} from './store-suite-fixtures.ts'
import type { Store } from '../../core/ports/store.ts'
import { userMessage } from '../../core/domain/message.ts'

const changing: readonly PostedItem[] = [
  { kind: 'cancel' },
  { kind: 'cancel', reason: 'enough' },
  { kind: 'cancelCall', callId: 'call-1', reason: 'not this one' },
]
const ineffective: readonly PostedItem[] = [
  steering('Be brief.'),
  { kind: 'followUp', messages: [userMessage('', 1)] },
  { kind: 'extension', message: { role: 'extension', kind: 'note', data: { a: [0, '', null] }, timestamp: 1 } },
]

/** Cases of the items that others send to a run, and of their consumption by the driver. */
export const inboxCases: readonly StoreCase[] = [
  [
    'keeps posted items in order with rising ids, apart for each run',
    async ({ store }) => {
      await runWith(store, [call(1)])
      await createDriver(store, 'other')
      const items = [...changing.slice(1), ...ineffective, ...ineffective]
      for (const [index, item] of items.entries()) {
        const target = item.kind === 'cancelCall' ? item.callId : 'run'
        assert.deepEqual(await store.post('run', item, start + index), { target, answer: 'applied' })
        await store.post('other', steering(String(index)), start)
      }
      const rows = await store.inbox('run', { isOpen: true })
      assert.deepEqual(
        rows.map(({ item, at }) => ({ item, at })),
        items.map((item, index) => ({ item, at: start + index })),
      )
      const ids = rows.map(({ id }) => id)
      assert.deepEqual(
        ids,
        ids.toSorted((left, right) => left - right),
      )
      assert.equal(new Set(ids).size, ids.length)
      assert.deepEqual(await store.inbox('run', { isOpen: true, after: ids[2] ?? 0 }), rows.slice(3))
      assert.deepEqual(await store.inbox('run', { isOpen: true, after: ids.at(-1) ?? 0 }), [])
    },
  ],
  [
    'shows a row no more once a commit consumed it',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      for (const item of ineffective) await store.post('run', item, start)
      const [first, second, ...others] = await store.inbox('run', { isOpen: true })
      assert.ok(first && second)
      await driver.commit({ consumed: [{ id: second.id }] })
      assert.deepEqual(await store.inbox('run', { isOpen: true }), [first, ...others])
      await assert.rejects(driver.commit({ consumed: [{ id: second.id }] }))
      assert.equal((await store.record('run')).version, 1)
    },
  ],
  [
    'does not let a commit consume a row of another run',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      await createDriver(store, 'other')
      await store.post('other', { kind: 'cancel' }, start)
      const [row] = await store.inbox('other', { isOpen: true })
      assert.ok(row)
      await assert.rejects(driver.commit({ consumed: [{ id: row.id }] }))
      assert.deepEqual(await store.inbox('other', { isOpen: true }), [row])
    },
  ],
  ...changing.map((item): StoreCase => [
    `refuses to rest while a ${item.kind} is unseen (${JSON.stringify(item)}), and rests once it is consumed`,
    async ({ store }) => {
      const driver = await runWith(store, [call(1)])
      await store.post('run', item, start)
      const entries = [says('resting'), checkpoint('{}')]
      const before = (await store.read('run')).log
      for (const status of ['waiting', 'done'] as const) {
        assert.deepEqual(await driver.commit({ status, entries }), { refused: 'inbox' })
      }
      assert.equal((await store.record('run')).status, 'running')
      assert.deepEqual((await store.read('run')).log, before)
      assert.deepEqual(await driver.commit({ status: 'running' }), { version: 2 })
      const consumed = (await store.inbox('run', { isOpen: true })).map(({ id }) => ({ id }))
      assert.deepEqual(await driver.commit({ status: 'waiting', entries, consumed }), { version: 3 })
      assert.deepEqual(await driver.commit({ status: 'done' }), { version: 4 })
    },
  ]),
  [
    'rests while only what changes nothing is unseen: steering, follow-ups, answers of services',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      for (const item of ineffective) await store.post('run', item, start)
      assert.deepEqual(await driver.commit({ status: 'waiting' }), { version: 1 })
      assert.equal((await store.inbox('run', { isOpen: true })).length, ineffective.length)
    },
  ],
  [
    'refuses to rest while a decision is unseen',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      await driver.commit({ entries: [slot((seq) => suspendedCall(seq, 'suspension'))] })
      await store.decide('run', [{ target: 'call-1', action: 'resume' }], start)
      assert.deepEqual(await driver.commit({ status: 'waiting' }), { refused: 'inbox' })
      const consumed = (await store.inbox('run', { isOpen: true })).map(({ id }) => ({ id }))
      assert.deepEqual(await driver.commit({ status: 'waiting', consumed }), { version: 2 })
    },
  ],
  [
    'is not kept from resting by the inbox of another run',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      await createDriver(store, 'other')
      await store.post('other', { kind: 'cancel' }, start)
      assert.deepEqual(await driver.commit({ status: 'waiting' }), { version: 1 })
    },
  ],
  [
    'tells watchers of a run that something was posted or decided, until they stop',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      await driver.commit({ entries: [slot((seq) => suspendedCall(seq, 'suspension'))] })
      const told = createSignal()
      const stop = store.watch('run', told.send)
      await store.post('run', steering('hello'), start)
      await told.next()
      await store.decide('run', [{ target: 'call-1', action: 'resume' }], start)
      await told.next()

      let isTold = false
      const stopSecond = store.watch('run', () => {
        isTold = true
      })
      const posted = store.post('run', { kind: 'cancel' }, start)
      stopSecond()
      stopSecond()
      await posted
      await told.next()
      stop()
      assert.equal(isTold, false)
    },
  ],
  [
    'takes one cancel of a run at a time, and none once it is done',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      assert.equal(await postedAs(store, { kind: 'cancel', reason: 'enough' }), 'applied')
      const stored = await store.inbox('run', { isOpen: true })
      assert.equal(await postedAs(store, { kind: 'cancel' }), 'duplicate')
      assert.deepEqual(await store.inbox('run', { isOpen: true }), stored)
      await consumeAll(store, driver, { status: 'running' })
      assert.equal(await postedAs(store, { kind: 'cancel' }), 'applied')
      await consumeAll(store, driver, { status: 'waiting' })
      assert.equal(await postedAs(store, { kind: 'cancel' }), 'applied')
      await consumeAll(store, driver, { status: 'done' })
      assert.equal(await postedAs(store, { kind: 'cancel' }), 'stale')
      assert.deepEqual(await store.inbox('run', { isOpen: true }), [])
    },
  ],
  [
    'takes one cancel of a call at a time, and none of a call that has settled or is unknown',
    async ({ store }) => {
      const calls = [call(1), suspendedCall(2, 'suspension'), call(3, { status: 'failed' })]
      const driver = await runWith(store, calls)
      await runWith(store, [call(1, { callId: 'elsewhere' })], 'other')
      const cancel = (callId: string) => postedAs(store, { kind: 'cancelCall', callId })
      assert.equal(await postedAs(store, { kind: 'cancel' }), 'applied')
      assert.equal(await cancel('call-1'), 'applied')
      assert.equal(await cancel('call-2'), 'applied')
      const stored = await store.inbox('run', { isOpen: true })
      assert.equal(await postedAs(store, { kind: 'cancelCall', callId: 'call-1', reason: 'again' }), 'duplicate')
      assert.equal(await cancel('call-3'), 'stale')
      for (const callId of ['call-4', 'provider-1', 'elsewhere', '']) assert.equal(await cancel(callId), 'unknown')
      assert.deepEqual(await store.inbox('run', { isOpen: true }), stored)
      await consumeAll(store, driver, { calls: [{ record: call(1, { status: 'cancelled' }), document: null }] })
      assert.equal(await cancel('call-1'), 'stale')
      assert.equal(await cancel('call-2'), 'applied')
      await consumeAll(store, driver, { status: 'done' })
      assert.equal(await cancel('call-2'), 'stale')
      assert.equal(await cancel('call-4'), 'unknown')
      assert.deepEqual(await store.inbox('run', { isOpen: true }), [])
    },
  ],
  [
    'takes steering and follow-ups as often as they come, until the run is done',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      for (const item of [...ineffective, ...ineffective]) assert.equal(await postedAs(store, item), 'applied')
      const consumed = (await store.inbox('run', { isOpen: true })).map(({ id }) => ({ id }))
      assert.equal(consumed.length, 2 * ineffective.length)
      await driver.commit({ status: 'done', consumed })
      for (const item of ineffective) assert.equal(await postedAs(store, item), 'stale')
      assert.deepEqual(await store.inbox('run', { isOpen: true }), [])
    },
  ],
  [
    'refuses the end of a run, and no wait, while something said to it is unseen',
    async ({ store }) => {
      for (const [index, item] of ineffective.entries()) {
        const runId = `run-${index}`
        const driver = await createDriver(store, runId)
        await store.post(runId, item, start)
        const outcome = { reason: 'natural_end' as const }
        assert.deepEqual(await driver.commit({ status: 'done', outcome }), { refused: 'inbox' })
        assert.deepEqual(await driver.commit({ status: 'running', outcome }), { refused: 'inbox' })
        assert.deepEqual(await driver.commit({ status: 'waiting', outcome: { reason: 'suspended' } }), { version: 1 })
        const consumed = (await store.inbox(runId, { isOpen: true })).map(({ id }) => ({ id }))
        assert.deepEqual(await driver.commit({ status: 'done', outcome, consumed }), { version: 2 })
      }
    },
  ],
  [
    'takes extension messages as often as they come, and none once the run is done',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      const extension = (data: number): PostedItem => ({
        kind: 'extension',
        message: { role: 'extension', kind: 'note', data, timestamp: start },
      })
      for (const data of [1, 1, 2]) assert.equal(await postedAs(store, extension(data)), 'applied')
      const rows = await store.inbox('run', { isOpen: true })
      assert.deepEqual(
        rows.map(({ item }) => item),
        [1, 1, 2].map(extension),
      )
      await driver.commit({ status: 'done', consumed: rows.map(({ id }) => ({ id })) })
      assert.equal(await postedAs(store, extension(3)), 'stale')
      assert.deepEqual(await store.inbox('run', { isOpen: true }), [])
    },
  ],
  [
    'takes one of several cancels that come at once, and tells no watcher of the others',
    async ({ store }) => {
      await runWith(store, [call(1)])
      let told = 0
      const stop = store.watch('run', () => void told++)
      for (const item of changing.slice(1, 3)) {
        const receipts = await Promise.all([1, 2, 3].map(() => store.post('run', item, start)))
        assert.deepEqual(receipts.map(({ answer }) => answer).toSorted(), ['applied', 'duplicate', 'duplicate'])
      }
      stop()
      assert.equal((await store.inbox('run', { isOpen: true })).length, 2)
      assert.ok(told <= 2, `expected two notices at most, got ${told}`)
    },
  ],
  [
    'says of a cancel for a run it does not know that the run is unknown',
    async ({ store }) => {
      await rejectsWith('run_unknown', 'nowhere', store.post('nowhere', { kind: 'cancel' }, start))
      await rejectsWith('run_unknown', 'nowhere', store.post('nowhere', { kind: 'cancelCall', callId: 'c' }, start))
    },
  ],
]

async function postedAs(store: Store, item: PostedItem): Promise<string> {
  return (await store.post('run', item, start)).answer
}

/** Creates a signal that counts its sends, so that a send before `next` is not lost. */
function createSignal() {
  let count = 0
  let wake: () => void = () => undefined
  return {
    send: () => {
      count++
      wake()
    },
    next: async () => {
      if (count === 0) await new Promise<void>((resolve) => (wake = resolve))
      count = 0
    },
  }
}
