import assert from 'node:assert/strict'
import { answers, call, consumeAll, runWith, start, type StoreCase, suspendedCall } from './store-suite-fixtures.ts'

const approve = { target: 'call-1', action: 'resume' } as const
const deny = { target: 'call-1', action: 'cancel', reason: 'no' } as const

/** Cases of decisions that arrive before their call suspends. */
export const keptCases: readonly StoreCase[] = [
  [
    'keeps a decision for a call that has never suspended; once used, it is the answer to that suspension',
    async ({ store }) => {
      const driver = await runWith(store, [call(1)])
      assert.deepEqual(await answers(store, [approve]), ['kept'])
      assert.deepEqual(await answers(store, [approve]), ['duplicate'])
      const [row] = await store.inbox('run', { isOpen: true })
      assert.ok(row)
      await driver.commit({
        calls: [{ record: suspendedCall(1, 's1', { status: 'resuming' }), document: null }],
        consumed: [{ id: row.id, suspensionId: 's1' }],
      })
      const [stored] = await store.inbox('run', { kinds: ['decision'] })
      assert.ok(stored?.item.kind === 'decision' && row.item.kind === 'decision')
      assert.deepEqual(stored.item.decision, { ...row.item.decision, suspensionId: 's1' })
      assert.deepEqual(await answers(store, [approve]), ['duplicate'])
      assert.deepEqual(await answers(store, [{ ...deny, target: 's1' }]), ['stale'])
      assert.deepEqual(await store.inbox('run', { isOpen: true }), [])
    },
  ],
  [
    'keeps several decisions for one call, the last of them last',
    async ({ store }) => {
      await runWith(store, [call(1)])
      assert.deepEqual(await answers(store, [approve]), ['kept'])
      assert.deepEqual(await answers(store, [deny]), ['kept'])
      const kept = (await store.inbox('run', { isOpen: true })).map(
        ({ item }) => item.kind === 'decision' && item.decision.action,
      )
      assert.deepEqual(kept, ['resume', 'cancel'])
    },
  ],
  [
    'lets a kept decision that was taken in before answer one suspension, once',
    async ({ store }) => {
      const driver = await runWith(store, [call(1)])
      await store.decide('run', [approve], start)
      const [kept] = await store.inbox('run', { isOpen: true })
      assert.ok(kept)
      await driver.commit({ consumed: [{ id: kept.id }] })
      const calls = [{ record: suspendedCall(1, 's1'), document: null }]
      await driver.commit({ calls, consumed: [{ id: kept.id, suspensionId: 's1' }] })
      assert.deepEqual(await answers(store, [{ ...deny, target: 's1' }]), ['stale'])
      await assert.rejects(driver.commit({ consumed: [{ id: kept.id, suspensionId: 's2' }] }))
    },
  ],
  [
    'takes a decision kept before the first suspension for the answer to it, before its driver does',
    async ({ store }) => {
      const driver = await runWith(store, [call(1)])
      assert.deepEqual([await answers(store, [approve]), await answers(store, [deny])], [['kept'], ['kept']])
      const [first, last] = await store.inbox('run', { isOpen: true })
      assert.ok(first && last)
      await driver.commit({ calls: [{ record: suspendedCall(1, 's1'), document: null }], consumed: [{ id: first.id }] })
      assert.deepEqual(await answers(store, [deny]), ['duplicate'])
      assert.deepEqual(await answers(store, [{ ...deny, target: 's1' }]), ['duplicate'])
      assert.deepEqual(await answers(store, [approve]), ['stale'])
      assert.deepEqual(await store.inbox('run', { isOpen: true }), [last])
      assert.deepEqual(await driver.commit({ consumed: [{ id: last.id, suspensionId: 's1' }] }), { version: 3 })
      assert.deepEqual(await answers(store, [deny]), ['duplicate'])
      assert.deepEqual(await answers(store, [approve]), ['stale'])
    },
  ],
  [
    'takes a new decision for an interrupted suspension and for a second one, whatever was kept before',
    async ({ store }) => {
      const driver = await runWith(store, [call(1)])
      await store.decide('run', [approve], start)
      const interrupted = suspendedCall(1, 's1', { suspension: { id: 's1', reason: 'interrupted' } })
      await consumeAll(store, driver, { calls: [{ record: interrupted, document: null }] })
      assert.deepEqual(await answers(store, [approve]), ['applied'])
      await consumeAll(store, driver, { calls: [{ record: suspendedCall(1, 's2'), document: null }] })
      assert.deepEqual(await answers(store, [approve]), ['applied'])
    },
  ],
  [
    'does not let a kept decision answer a suspension that was answered meanwhile',
    async ({ store }) => {
      const driver = await runWith(store, [call(1)])
      await store.decide('run', [deny], start)
      const [kept] = await store.inbox('run', { isOpen: true })
      assert.ok(kept)
      const interrupted = suspendedCall(1, 's1', { suspension: { id: 's1', reason: 'interrupted' } })
      await driver.commit({ calls: [{ record: interrupted, document: null }] })
      assert.deepEqual(await answers(store, [approve]), ['applied'])
      const consumed = [{ id: kept.id, suspensionId: 's1' }]
      assert.deepEqual(await driver.commit({ consumed }), { refused: 'inbox' })
      assert.equal((await store.inbox('run', { isOpen: true })).length, 2)
      assert.deepEqual(await driver.commit({ consumed: [{ id: kept.id }] }), { version: 3 })
    },
  ],
]
