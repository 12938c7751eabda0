import assert from 'node:assert/strict'
import {
  claimed,
  createDriver,
  newRun,
  ownerNamed,
  rejectsWith,
  start,
  type StoreCase,
  ttl,
} from './store-suite-fixtures.ts'

const answer = (text: string, turn = 1) => ({ turn, deltas: [{ type: 'text' as const, delta: text }] })

/** How long a reader's mark stands, in milliseconds. */
const markMs = 10_000

/** What other processes see of an answer under way. */
export const liveCases: readonly StoreCase[] = [
  [
    'holds an answer under way only while somebody reads, and gives the last one that was put',
    async ({ store, clock }) => {
      const { lease } = await createDriver(store, 'run')
      assert.equal(await store.putLive(lease, answer('unread')), false)
      assert.equal(await store.live('run'), undefined)
      assert.equal(await store.putLive(lease, answer('He')), true)
      assert.deepEqual(await store.live('run'), answer('He'))
      const whole = {
        turn: 2,
        deltas: [...answer('"\u0000é').deltas, { type: 'toolCall' as const, id: 'c', name: 'n', delta: '{' }],
      }
      assert.equal(await store.putLive(lease, whole), true)
      assert.deepEqual(await store.live('run'), whole)
      clock.set(start + markMs)
      assert.equal(await store.putLive(lease, answer('still read')), true)
      clock.set(start + 2 * markMs + 1)
      assert.equal(await store.putLive(lease, answer('too late')), false)
      assert.deepEqual(await store.live('run'), answer('still read'))
      assert.equal(await store.putLive(lease, answer('read again')), true)
    },
  ],
  [
    'holds nothing of an answer that has ended, whose driver has gone, or of a run that is done or deleted',
    async ({ store, clock }) => {
      const driver = await createDriver(store, 'run')
      await store.live('run')
      await store.putLive(driver.lease, answer('one'))
      await store.endLive(driver.lease)
      assert.equal(await store.live('run'), undefined)
      await store.putLive(driver.lease, answer('two'))
      clock.set(start + ttl)
      const next = await claimed(store, ownerNamed('second'))
      assert.equal(await store.live('run'), undefined)
      assert.equal(await store.putLive(driver.lease, answer('of the late driver')), true)
      assert.equal(await store.live('run'), undefined)
      await store.putLive(next, answer('three'))
      await store.putLive(driver.lease, answer('of the late driver'))
      await store.endLive(driver.lease)
      assert.deepEqual(await store.live('run'), answer('three'))
      await store.release(next)
      assert.equal(await store.live('run'), undefined)
      await store.delete('run')
      await rejectsWith('run_unknown', 'run', store.live('run'))
      await store.endLive(next)
      const again = await store.create(newRun('run'), ownerNamed('first'), ttl)
      assert.equal(await store.live('run'), undefined)
      assert.equal(await store.putLive(again, answer('anew')), true)
    },
  ],
  [
    'writes no answer under way into what a commit has written',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      await driver.commit()
      const before = await store.read('run')
      await store.live('run')
      await store.putLive(driver.lease, answer('on its way'))
      assert.deepEqual(await store.read('run'), before)
      assert.deepEqual(await driver.commit({ status: 'done', outcome: { reason: 'natural_end' } }), { version: 2 })
      assert.equal(await store.live('run'), undefined)
    },
  ],
]
