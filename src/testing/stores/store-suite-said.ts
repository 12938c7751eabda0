import assert from 'node:assert/strict'
import type { PostedItem } from '../../core/domain/inbox.ts'
import { userMessage } from '../../core/domain/message.ts'
import type { FirstCommit, QueuedStart, Store } from '../../core/ports/store.ts'
import {
  checkpoint,
  createDriver,
  driverOf,
  everythingOf,
  newRun,
  ownerNamed,
  rejectsWith,
  says,
  start,
  type StoreCase,
  ttl,
} from './store-suite-fixtures.ts'

const steer: PostedItem = { kind: 'steer', messages: [userMessage('Be brief.', start)] }
const followUp: PostedItem = { kind: 'followUp', messages: [userMessage('Then sweep.', start)] }
const more: PostedItem = { kind: 'followUp', messages: [userMessage('Then mop.', 1)] }
const others: readonly PostedItem[] = [
  { kind: 'cancel' },
  { kind: 'extension', message: { role: 'extension', kind: 'note', data: null, timestamp: 1 } },
]

/** Cases of steering, follow-ups and results of background work: their rows stay readable after consumption, and a rejection empties them. */
export const saidCases: readonly StoreCase[] = [
  [
    'gives all steering and follow-ups of a run, taken in or not, oldest first, and nothing else',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      await createDriver(store, 'other')
      await store.post('other', steer, start)
      for (const item of [steer, ...others, followUp, more]) await store.post('run', item, start + 1)
      const rows = (await store.inbox('run', { isOpen: true })).filter(({ item }) =>
        ['steer', 'followUp'].includes(item.kind),
      )
      assert.deepEqual(
        rows.map(({ item }) => item),
        [steer, followUp, more],
      )
      assert.deepEqual(await store.inbox('run', { kinds: ['steer', 'followUp'] }), rows)
      await driver.commit({ consumed: rows.slice(0, 2).map(({ id }) => ({ id })) })
      assert.deepEqual(await store.inbox('run', { kinds: ['steer', 'followUp'] }), rows)
      await rejectsWith('run_unknown', 'nobody', store.inbox('nobody', { kinds: ['steer', 'followUp'] }))
    },
  ],
  [
    'keeps nothing of the messages of a row that a commit empties, whenever the row was taken in',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      for (const item of [steer, followUp, more]) await store.post('run', item, start)
      const [first, second, third] = await store.inbox('run', { kinds: ['steer', 'followUp'] })
      assert.ok(first && second && third)
      await driver.commit({ consumed: [{ id: first.id }] })
      await driver.commit({ consumed: [{ id: third.id }], emptied: [first.id, third.id] })
      assert.deepEqual(await store.inbox('run', { kinds: ['steer', 'followUp'] }), [
        { ...first, item: { kind: 'steer', messages: [] } },
        second,
        { ...third, item: { kind: 'followUp', messages: [] } },
      ])
      assert.deepEqual(await store.inbox('run', { isOpen: true }), [second])
    },
  ],
  [
    'takes one result for each child, taken in or not, and none once the run is done',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      const result = (childRunId: string): PostedItem => ({ kind: 'background', childRunId, messages: [] })
      const children = ['child', 'child', 'other', 'child']
      const answers = []
      for (const child of children) answers.push((await store.post('run', result(child), start)).answer)
      assert.deepEqual(answers, ['applied', 'duplicate', 'applied', 'duplicate'])
      const rows = await store.inbox('run', { isOpen: true, kinds: ['background'] })
      assert.deepEqual(
        rows.map(({ item }) => item),
        ['child', 'other'].map(result),
      )
      const outcome = { reason: 'natural_end' as const }
      assert.deepEqual(await driver.commit({ status: 'done', outcome }), { refused: 'inbox' })
      await driver.commit({ consumed: rows.map(({ id }) => ({ id })) })
      assert.equal((await store.post('run', result('child'), start)).answer, 'duplicate')
      await driver.commit({ status: 'done', outcome })
      assert.equal((await store.post('run', result('other'), start)).answer, 'duplicate')
      assert.equal((await store.post('run', result('third'), start)).answer, 'stale')
    },
  ],
  [
    'refuses a commit that empties a row in which nobody says anything to the run, and writes nothing of it',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      await createDriver(store, 'other')
      await store.post('other', steer, start)
      for (const item of [steer, ...others]) await store.post('run', item, start)
      const [own, ...unfit] = await store.inbox('run', { isOpen: true })
      const [foreign] = await store.inbox('other', { isOpen: true })
      assert.ok(own && foreign)
      const before = [
        await everythingOf(store, 'run'),
        await store.inbox('run', { kinds: ['steer', 'followUp'] }),
        await store.inbox('other', { kinds: ['steer', 'followUp'] }),
      ]
      for (const id of [...unfit.map((row) => row.id), foreign.id, foreign.id + 99]) {
        await assert.rejects(driver.commit({ entries: [says('lost')], emptied: [own.id, id] }), RangeError)
        assert.deepEqual(
          [
            await everythingOf(store, 'run'),
            await store.inbox('run', { kinds: ['steer', 'followUp'] }),
            await store.inbox('other', { kinds: ['steer', 'followUp'] }),
          ],
          before,
        )
      }
    },
  ],
  [
    'creates a run together with rows of its inbox and the first commit, which names them',
    async ({ store }) => {
      await createDriver(store, 'other')
      await store.post('other', steer, start)
      const lease = await store.create(newRun('run'), ownerNamed('first'), ttl, queued)
      const rows = await store.inbox('run', { kinds: ['steer', 'followUp'] })
      assert.deepEqual(
        rows.map(({ item, at }) => ({ item, at })),
        queued.posted,
      )
      assert.deepEqual(await store.inbox('run', { isOpen: true }), [])
      const ids = rows.map(({ id }) => id)
      const { record, checkpoint: stored } = await store.read('run')
      assert.deepEqual([record.version, stored?.document], [1, JSON.stringify({ ids })])
      const driver = driverOf(store, lease, { version: 1, seq: 2 })
      assert.deepEqual(await driver.commit({ status: 'done', outcome: { reason: 'natural_end' }, emptied: ids }), {
        version: 2,
      })
    },
  ],
  [
    'stores nothing of a run, and no row, where its first commit cannot be made of the rows',
    async ({ store }) => {
      const broken = new Error('No commit.')
      for (const change of unsound(broken)) {
        await assert.rejects(store.create(newRun('run'), ownerNamed('first'), ttl, { ...queued, ...change }))
        await rejectsWith('run_unknown', 'run', store.record('run'))
        await emptyAfter(store)
      }
      const driver = await createDriver(store, 'run')
      const again = store.create(newRun('run'), ownerNamed('second'), ttl, queued)
      await rejectsWith('run_exists', 'run', again)
      assert.deepEqual(await store.inbox('run', { kinds: ['steer', 'followUp'] }), [])
      assert.deepEqual(await driver.commit({ entries: [says('next')] }), { version: 1 })
    },
  ],
]

/** Checks that a new run with the same id has no rows of the old one. */
async function emptyAfter(store: Store): Promise<void> {
  const lease = await store.create(newRun('run'), ownerNamed('first'), ttl)
  assert.deepEqual(await store.inbox('run', { kinds: ['steer', 'followUp'] }), [])
  await store.release(lease)
  await store.delete('run')
}

const queued: QueuedStart = {
  posted: [
    { item: steer, at: start + 3 },
    { item: followUp, at: start + 5 },
  ],
  commit: (ids) => firstOf(ids, JSON.stringify({ ids })),
}

function firstOf(ids: readonly number[], document: string): FirstCommit {
  return {
    at: start + 9,
    status: 'waiting',
    outcome: { reason: 'suspended' },
    append: [says('one')(1), checkpoint(document, start + 9)(2)],
    calls: [],
    document: null,
    consumed: ids.map((id) => ({ id })),
  }
}

/** Returns changes that make a valid start invalid. */
function unsound(broken: Error): readonly Partial<QueuedStart>[] {
  return [
    {
      commit: () => {
        throw broken
      },
    },
    { commit: (ids) => ({ ...firstOf(ids, '{}'), append: [says('a gap')(2)], document: '{}' }) },
    { commit: (ids) => firstOf([...ids, (ids.at(-1) ?? 0) + 1], '{}') },
    { posted: [{ item: { kind: 'serviceAnswer', body: JSON.parse('{"__proto__":{"polluted":true}}') }, at: start }] },
  ]
}
