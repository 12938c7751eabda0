import assert from 'node:assert/strict'
import { endLiveAnswer, putLiveAnswer, readLiveAnswer } from '../../core/driving/store-live-answer.ts'
import { claimed, createDriver, newRun, ownerNamed, start, type StoreCase, ttl } from './store-suite-fixtures.ts'

const answer = (text: string, turn = 1) => ({ turn, deltas: [{ type: 'text' as const, delta: text }] })

/** The lifetime of a reader's mark, in milliseconds. */
const markMs = 10_000

/** Cases of the current answer as other processes read it. */
export const liveCases: readonly StoreCase[] = [
  [
    'holds an answer under way only while somebody reads, and gives the last one that was put',
    async ({ store, clock }) => {
      const { lease } = await createDriver(store, 'run')
      assert.equal(await putLiveAnswer(store, lease, answer('unread')), false)
      assert.equal(await readLiveAnswer(store, 'run'), undefined)
      assert.equal(await putLiveAnswer(store, lease, answer('He')), true)
      assert.deepEqual(await readLiveAnswer(store, 'run'), answer('He'))
      const whole = {
        turn: 2,
        deltas: [...answer('"\u0000é').deltas, { type: 'toolCall' as const, id: 'c', name: 'n', delta: '{' }],
      }
      assert.equal(await putLiveAnswer(store, lease, whole), true)
      assert.deepEqual(await readLiveAnswer(store, 'run'), whole)
      clock.set(start + markMs)
      assert.equal(await putLiveAnswer(store, lease, answer('still read')), true)
      clock.set(start + 2 * markMs + 1)
      assert.equal(await putLiveAnswer(store, lease, answer('too late')), false)
      assert.deepEqual(await readLiveAnswer(store, 'run'), answer('still read'))
      assert.equal(await putLiveAnswer(store, lease, answer('read again')), true)
    },
  ],
  [
    'holds nothing of an answer that has ended, whose driver has gone, or of a run that is done or deleted',
    async ({ store, clock }) => {
      const driver = await createDriver(store, 'run')
      await readLiveAnswer(store, 'run')
      await putLiveAnswer(store, driver.lease, answer('one'))
      await endLiveAnswer(store, driver.lease)
      assert.equal(await readLiveAnswer(store, 'run'), undefined)
      await putLiveAnswer(store, driver.lease, answer('two'))
      clock.set(start + ttl)
      const next = await claimed(store, ownerNamed('second'))
      assert.equal(await readLiveAnswer(store, 'run'), undefined)
      assert.equal(await putLiveAnswer(store, driver.lease, answer('of the late driver')), true)
      assert.equal(await readLiveAnswer(store, 'run'), undefined)
      await putLiveAnswer(store, next, answer('three'))
      await putLiveAnswer(store, driver.lease, answer('of the late driver'))
      await endLiveAnswer(store, driver.lease)
      assert.deepEqual(await readLiveAnswer(store, 'run'), answer('three'))
      await store.release(next)
      assert.equal(await readLiveAnswer(store, 'run'), undefined)
      await store.delete('run')
      assert.equal(await readLiveAnswer(store, 'run'), undefined)
      await endLiveAnswer(store, next)
      const again = await store.create(newRun('run'), ownerNamed('first'), ttl)
      assert.equal(await readLiveAnswer(store, 'run'), undefined)
      assert.equal(await putLiveAnswer(store, again, answer('anew')), true)
    },
  ],
  [
    'writes no answer under way into what a commit has written',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      await driver.commit()
      const before = await store.read('run')
      await readLiveAnswer(store, 'run')
      await putLiveAnswer(store, driver.lease, answer('on its way'))
      assert.deepEqual(await store.read('run'), before)
      assert.deepEqual(await driver.commit({ status: 'done', outcome: { reason: 'natural_end' } }), { version: 2 })
      assert.equal(await readLiveAnswer(store, 'run'), undefined)
    },
  ],
]
