import assert from 'node:assert/strict'
import type { LogEntry } from '../../core/domain/log.ts'
import { StoreError } from '../../core/domain/store-error.ts'
import type { Store } from '../../core/ports/store.ts'
import {
  call,
  checkpoint,
  createDriver,
  message,
  rejectsWith,
  says,
  slot,
  start,
  type StoreCase,
  ttl,
} from './store-suite-fixtures.ts'

/** A mark that holds an event. */
function marks(turn: number): (seq: number) => LogEntry {
  return (seq) => ({ kind: 'mark', seq, at: start + turn, event: { type: 'turn.started', turn, trigger: 'user' } })
}

/** Nine entries in three commits. */
async function storeNine(store: Store, id = 'run'): Promise<void> {
  const driver = await createDriver(store, id)
  await driver.commit({ entries: [says('Hi'), marks(1), slot((seq) => call(seq)), checkpoint('one')] })
  await driver.commit({ entries: [(seq) => ({ kind: 'mark', seq, at: start })] })
  await driver.commit({ entries: [marks(2), marks(3), (seq) => ({ kind: 'state', seq, state: { n: 1 }, at: start })] })
  await driver.commit({ entries: [checkpoint('three')] })
}

const result = {
  role: 'toolResult',
  callId: 'call-2',
  toolCallId: 'call-2',
  toolName: 'search',
  isError: false,
} as const

/** Cases of reading entries by their numbers. */
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
    'gives entries behind any number, without a gap and in order',
    async ({ store }) => {
      await storeNine(store)
      const all = await store.entries('run', 0, 100)
      assert.deepEqual(all, [
        says('Hi')(1),
        marks(1)(2),
        { kind: 'call', seq: 3 },
        { kind: 'checkpoint', seq: 4 },
        { kind: 'mark', seq: 5, at: start },
        marks(2)(6),
        marks(3)(7),
        { kind: 'state', seq: 8, state: { n: 1 }, at: start },
        { kind: 'checkpoint', seq: 9 },
      ])
      for (let after = 0; after <= 9; after++) {
        assert.deepEqual(await store.entries('run', after, 100), all.slice(after))
        assert.deepEqual(await store.entries('run', after, 2), all.slice(after, after + 2))
      }
      assert.deepEqual(await store.entries('run', 99, 2), [])
      assert.deepEqual(await store.entries('run', 2 ** 40, 2), [])
    },
  ],
  [
    'keeps the time, the turn and the place of an entry, and leaves out those that it was not given',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      const entries: readonly LogEntry[] = [
        { kind: 'message', seq: 1, message: message('a'), at: start, turn: 1 },
        { kind: 'message', seq: 2, message: message('b') },
        { kind: 'message', seq: 3, message: message('c'), at: start + 1, turn: 2, place: 2 },
        { kind: 'state', seq: 4, state: {}, at: start },
        { kind: 'value', seq: 5, name: 'compaction', value: { tier: 1 }, at: start, turn: 7 },
        { kind: 'value', seq: 6, name: 'output', value: 1 },
      ]
      await driver.commit({ entries: entries.map((entry) => () => entry) })
      assert.deepEqual(await store.entries('run', 0, 10), entries)
      assert.deepEqual((await store.read('run')).log, entries)
    },
  ],
  [
    'leaves marks out of the log, of checkpoints and of every other reading',
    async ({ store }) => {
      await storeNine(store)
      const whole = await store.read('run')
      assert.deepEqual(
        whole.log.map(({ kind, seq }) => [kind, seq]),
        [
          ['message', 1],
          ['call', 3],
          ['state', 8],
        ],
      )
      assert.equal(whole.record.version, 4)
      const { log } = await store.checkpoint('run', 4)
      assert.deepEqual(
        log.map(({ kind }) => kind),
        ['message', 'call', 'state'],
      )
    },
  ],
  [
    'gives a published result with its call, and stores it in the entry that published it',
    async ({ store }) => {
      const content = [{ type: 'text' as const, text: 'found' }]
      const published = { ...result, status: 'success', content, timestamp: start } as const
      const driver = await createDriver(store, 'run')
      await driver.commit({ entries: [says('Hi'), slot((seq) => call(seq)), checkpoint('one')] })
      const settled = call(2, { status: 'succeeded', result: published })
      await driver.commit({ calls: [{ record: settled, document: null }] })
      assert.deepEqual((await store.calls('run'))[0]?.record, settled)
      const known = { ...settled, resultSeq: 4 }
      await driver.commit({
        entries: [
          (seq) => ({ kind: 'message', seq, message: published, at: start, turn: 1, place: 2 }),
          checkpoint('two'),
        ],
        calls: [{ record: known, document: null }],
      })
      assert.deepEqual((await store.calls('run'))[0]?.record, known)
      assert.deepEqual((await store.calls('run', ['call-2']))[0]?.record, known)
      const { log } = await store.read('run')
      assert.deepEqual(log[1], { kind: 'call', seq: 2, call: known })
      assert.deepEqual((await store.checkpoint('run', 3)).log[1], { kind: 'call', seq: 2, call: known })
    },
  ],
  [
    'keeps the entries of each run apart, and deletes them with it',
    async ({ store, clock }) => {
      await storeNine(store)
      await storeNine(store, 'other')
      clock.set(start + ttl)
      await store.delete('run')
      await rejectsWith('run_unknown', 'run', store.entries('run', 0, 10))
      await createDriver(store, 'run')
      assert.deepEqual(await store.entries('run', 0, 10), [])
      assert.equal((await store.entries('other', 0, 10)).length, 9)
    },
  ],
  [
    'keeps no entries of a commit that is refused',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      const plan = driver.plan({ entries: [marks(1)] })
      await assert.rejects(store.commit({ ...plan, expectedVersion: 7 }), StoreError)
      assert.deepEqual(await store.entries('run', 0, 10), [])
    },
  ],
]
