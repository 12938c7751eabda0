import assert from 'node:assert/strict'
import type { CallStatus } from '../../core/domain/call.ts'
import type { Commit, Store } from '../../core/ports/store.ts'
import {
  answers,
  call,
  everythingOf,
  runWith,
  start,
  type StoreCase,
  suspendedCall,
  steering,
} from './store-suite-fixtures.ts'

const approve = { target: 'call-1', action: 'resume' } as const
const deny = { target: 'call-1', action: 'cancel', reason: 'no' } as const
const refused = { refused: 'inbox' }
const terminal: readonly CallStatus[] = ['succeeded', 'failed', 'cancelled']

/** A function that puts a row for call 1 into the inbox of a run. */
interface Sent {
  readonly what: string
  readonly isSuspended?: boolean
  readonly send: (store: Store, runId: string) => Promise<unknown>
}

const sent: readonly Sent[] = [
  { what: 'a kept decision', send: (store, runId) => store.decide(runId, [approve], start) },
  { what: 'an answer', isSuspended: true, send: (store, runId) => store.decide(runId, [approve], start) },
  { what: 'a cancel', send: (store, runId) => store.post(runId, { kind: 'cancelCall', callId: 'call-1' }, start) },
]

const settling = (seq: number, status: CallStatus = 'succeeded'): Pick<Commit, 'calls'> => ({
  calls: [{ record: call(seq, { status }), document: null }],
})

/** Cases of rows that no commit may overtake: a call's answers and cancels must be read before its decision or end. */
export const overtakenCases: readonly StoreCase[] = [
  ...[false, true].map((isTakenIn): StoreCase => [
    `lets no kept decision answer while a later one for its call is unread, though it was ${isTakenIn ? '' : 'not '}taken in before`,
    async ({ store }) => {
      const driver = await runWith(store, [call(1), call(2)])
      assert.deepEqual(await answers(store, [approve]), ['kept'])
      const [first] = await store.inbox('run', { isOpen: true })
      assert.ok(first)
      if (isTakenIn) await driver.commit({ consumed: [{ id: first.id }] })
      assert.deepEqual(await answers(store, [{ target: 'call-2', action: 'cancel' }, deny]), ['kept', 'kept'])
      const [other, later] = (await store.inbox('run', { isOpen: true })).slice(-2)
      assert.ok(other && later)
      const before = await everythingOf(store, 'run')
      const asked = { calls: [{ record: suspendedCall(1, 's1', { status: 'resuming' }), document: null }] }
      const answered = { ...asked, consumed: [{ id: first.id, suspensionId: 's1' }] }
      assert.deepEqual(await driver.commit(answered), refused)
      assert.deepEqual(await driver.commit({ consumed: answered.consumed }), refused)
      assert.deepEqual(await everythingOf(store, 'run'), before)
      const rest = isTakenIn ? [] : [{ id: first.id }]
      const taken = await driver.commit({ ...asked, consumed: [...rest, { id: later.id, suspensionId: 's1' }] })
      assert.ok('version' in taken)
      assert.deepEqual(await store.inbox('run', { isOpen: true }), [other])
      assert.deepEqual(await answers(store, [approve]), ['stale'])
    },
  ]),
  [
    'lets no kept decision answer while a cancel of its call is unread',
    async ({ store }) => {
      const driver = await runWith(store, [call(1)])
      assert.deepEqual(await answers(store, [approve]), ['kept'])
      await store.post('run', { kind: 'cancelCall', callId: 'call-1' }, start)
      const [kept, cancel] = await store.inbox('run', { isOpen: true })
      assert.ok(kept && cancel)
      const consumed = [{ id: kept.id, suspensionId: 's1' }]
      assert.deepEqual(await driver.commit({ consumed }), refused)
      assert.deepEqual(await driver.commit({ consumed: [...consumed, { id: cancel.id }] }), { version: 2 })
    },
  ],
  ...sent.map(({ what, isSuspended = false, send }): StoreCase => [
    `lets no call settle while ${what} for it is unread, and settles others`,
    async ({ store }) => {
      const driver = await runWith(store, [isSuspended ? suspendedCall(1, 's1') : call(1), call(2)])
      await send(store, 'run')
      const [row] = await store.inbox('run', { isOpen: true })
      assert.ok(row)
      assert.deepEqual(await driver.commit(settling(2)), { version: 2 })
      const before = await everythingOf(store, 'run')
      for (const status of terminal) assert.deepEqual(await driver.commit(settling(1, status)), refused)
      assert.deepEqual(await everythingOf(store, 'run'), before)
      assert.deepEqual(await driver.commit({ calls: [{ record: call(1), document: '{}' }] }), { version: 3 })
      assert.deepEqual(await driver.commit({ ...settling(1), consumed: [{ id: row.id }] }), { version: 4 })
    },
  ]),
  [
    'settles calls of several runs in one tick, and refuses those alone for which a row is unread',
    async ({ store }) => {
      const names = Array.from({ length: 12 }, (_, index) => `run-${index}`)
      const drivers = await Promise.all(names.map((name) => runWith(store, [call(1), call(2)], name)))
      for (const [index, { send }] of sent.entries()) if (index !== 1) await send(store, `run-${index}`)
      await store.post('run-3', { kind: 'cancelCall', callId: 'call-2' }, start)
      const receipts = await Promise.all(drivers.map((driver) => driver.commit(settling(1))))
      const expected = names.map((_, index) => (index === 0 || index === 2 ? refused : { version: 2 }))
      assert.deepEqual(receipts, expected)
      const versions = await Promise.all(names.map(async (name) => (await store.record(name)).version))
      assert.deepEqual(
        versions,
        expected.map((receipt) => ('version' in receipt ? 2 : 1)),
      )
    },
  ],
  [
    'settles a call whatever else is unread: what was said, a cancel of the run, a row for another call',
    async ({ store }) => {
      const driver = await runWith(store, [call(1), call(2)])
      await store.post('run', steering('Be brief.'), start)
      await store.post('run', { kind: 'cancel' }, start)
      await store.post('run', { kind: 'cancelCall', callId: 'call-2' }, start)
      assert.deepEqual(await driver.commit(settling(1)), { version: 2 })
      assert.equal((await store.inbox('run', { isOpen: true })).length, 3)
    },
  ],
]
