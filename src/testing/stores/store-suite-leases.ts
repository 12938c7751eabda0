import assert from 'node:assert/strict'
import { type FoundLease, StoreError } from '../../core/domain/store-error.ts'
import type { Store } from '../../core/ports/store.ts'
import {
  call,
  checkpoint,
  claimed,
  createDriver,
  driverOf,
  livingOwner,
  newRun,
  ownerNamed,
  rejectsWith,
  says,
  slot,
  start,
  type StoreCase,
  ttl,
} from './store-suite-fixtures.ts'

/** Cases of leases: their owners, their expiry and their takeover. */
export const leaseCases: readonly StoreCase[] = [
  [
    'gives a released lease to the next owner at a higher fence',
    async ({ store }) => {
      const { lease } = await createDriver(store, 'run')
      await store.release(lease)
      const next = await claimed(store, ownerNamed('second'))
      assert.deepEqual(next, { runId: 'run', owner: ownerNamed('second'), fence: 2 })
    },
  ],
  [
    'gives a lease back with the commit that asks for it, and says so where it did',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      await store.post('run', { kind: 'cancel' }, start)
      assert.deepEqual(await driver.commit({ status: 'waiting', release: true }), { refused: 'inbox' })
      assert.deepEqual(await driver.commit({ entries: [says('still mine')] }), { version: 1 })
      const consumed = (await store.inbox('run', { isOpen: true })).map(({ id }) => ({ id }))
      const receipt = await driver.commit({ status: 'waiting', consumed, release: true })
      assert.ok('version' in receipt)
      if (receipt.released !== true) await store.release(driver.lease)
      await rejectsWith('fence_conflict', 'run', driver.commit({ entries: [says('no longer mine')] }))
      const next = await claimed(store, ownerNamed('second'))
      assert.deepEqual(next, { runId: 'run', owner: ownerNamed('second'), fence: 2 })
      assert.deepEqual(await driverOf(store, next, { version: 2, seq: 1 }).commit(), { version: 3 })
    },
  ],
  [
    'gives whoever claims a run all that its driver needs',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      await driver.commit({ entries: [says('one'), slot(call), checkpoint('{"n":1}')] })
      await driver.commit({ entries: [says('two')], release: true })
      await store.release(driver.lease)
      const { run, lease } = await store.claim('run', ownerNamed('second'), ttl)
      assert.deepEqual(run, await store.read('run'))
      assert.deepEqual(lease, { runId: 'run', owner: ownerNamed('second'), fence: 2 })
      const next = driverOf(store, lease, { version: 2, seq: 4 })
      assert.deepEqual(await next.commit({ entries: [says('three')] }), { version: 3 })
    },
  ],
  [
    'gives no lease of a run that is done, whoever holds it',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      await driver.commit({ status: 'done', outcome: { reason: 'natural_end' } })
      const held = await store.claim('run', ownerNamed('second'), ttl)
      assert.deepEqual(held, { run: await store.read('run') })
      await store.renew(driver.lease, ttl)
      await store.release(driver.lease)
      assert.deepEqual(await store.claim('run', ownerNamed('second'), ttl), held)
      await rejectsWith('fence_conflict', 'run', store.renew(driver.lease, ttl))
    },
  ],
  [
    'refuses a claim while the lease lives and names who holds it',
    async ({ store, clock }) => {
      await createDriver(store, 'run')
      clock.set(start + ttl - 1)
      const claim = store.claim('run', ownerNamed('second'), ttl)
      await assert.rejects(claim, (error: unknown) => {
        assert.ok(error instanceof StoreError)
        assert.equal(error.code, 'run_is_driven')
        for (const part of ['run', 'host-elsewhere', '4711', new Date(start + ttl).toISOString()]) {
          assert.ok(error.message.includes(part), `expected "${part}" in: ${error.message}`)
        }
        return true
      })
    },
  ],
  [
    'tells whether somebody alive drives a run, and takes nothing',
    async ({ store, deadOwner, clock }) => {
      const { lease } = await createDriver(store, 'run')
      clock.set(start + ttl - 1)
      assert.equal((await store.record('run')).isDriven, true)
      clock.set(start + ttl)
      assert.equal((await store.record('run')).isDriven, false)
      await store.renew(lease, ttl)
      await store.release(lease)
      assert.equal((await store.record('run')).isDriven, false)
      await store.create(newRun('left'), deadOwner('gone'), ttl)
      assert.equal((await store.record('left')).isDriven, false)
      await rejectsWith('run_unknown', 'other', store.record('other'))
    },
  ],
  [
    'gives an expired lease to the next owner',
    async ({ store, clock }) => {
      await createDriver(store, 'run')
      clock.set(start + ttl)
      assert.equal((await claimed(store, ownerNamed('second'))).fence, 2)
      await rejectsWith('run_is_driven', 'run', store.claim('run', ownerNamed('third'), ttl))
    },
  ],
  [
    'takes the lease of a dead process of this host at once',
    async ({ store, deadOwner }) => {
      await store.create(newRun('run'), deadOwner('gone'), ttl)
      assert.equal((await claimed(store, ownerNamed('second'))).fence, 2)
    },
  ],
  [
    'leaves the lease of a process of the same id on another host alone',
    async ({ store, deadOwner }) => {
      await store.create(newRun('run'), { ...deadOwner('gone'), host: 'host-elsewhere' }, ttl)
      await rejectsWith('run_is_driven', 'run', store.claim('run', ownerNamed('second'), ttl))
    },
  ],
  [
    'leaves a lease that a living process of this host renews to it, by whatever clock it has expired',
    async ({ store, clock }) => {
      const living = livingOwner('alive')
      if (living === undefined) return
      const lease = await store.create(newRun('run'), living, ttl)
      const anHourAhead = start + 3_600_000
      clock.set(anHourAhead)
      const first = await expiredLease(store)
      assert.deepEqual(first, { runId: 'run', fence: 1, expires: start + ttl })
      assert.equal((await store.record('run')).isDriven, true)
      await rejectsWith('run_is_driven', 'run', store.delete('run'))
      clock.set(start + ttl / 3)
      await store.renew(lease, ttl)
      clock.set(anHourAhead + ttl)
      const second = await expiredLease(store, first)
      assert.deepEqual(second, { runId: 'run', fence: 1, expires: start + ttl / 3 + ttl })
      await rejectsWith('run_is_driven', 'run', store.delete('run', [first]))
      assert.deepEqual(await driverOf(store, lease).commit({ entries: [says('still mine')] }), { version: 1 })
    },
  ],
  [
    'takes an expired lease of a living process of this host that nobody renews between two looks',
    async ({ store, clock }) => {
      const living = livingOwner('stuck')
      if (living === undefined) return
      const lease = await store.create(newRun('run'), living, ttl)
      clock.set(start + ttl)
      const found = await expiredLease(store)
      clock.set(start + 2 * ttl)
      const { lease: next } = await store.claim('run', ownerNamed('second'), ttl, found)
      assert.deepEqual(next, { runId: 'run', owner: ownerNamed('second'), fence: 2 })
      await rejectsWith('fence_conflict', 'run', driverOf(store, lease).commit({ entries: [says('late')] }))
    },
  ],
  [
    'deletes a run whose expired lease a living process of this host does not renew between two looks',
    async ({ store, clock }) => {
      const living = livingOwner('stuck')
      if (living === undefined) return
      const lease = await store.create(newRun('run'), living, ttl)
      clock.set(start + ttl)
      const found = await expiredLease(store)
      await rejectsWith('run_is_driven', 'run', store.delete('run'))
      assert.deepEqual(await store.delete('run', [found ?? assert.fail()]), { runs: ['run'], readers: [] })
      await rejectsWith('run_unknown', 'run', driverOf(store, lease).commit({ entries: [says('late')] }))
    },
  ],
  [
    'keeps an unexpired lease from whoever has seen it',
    async ({ store, clock }) => {
      await createDriver(store, 'run')
      const found = { runId: 'run', fence: 1, expires: start + ttl }
      clock.set(start + ttl - 1)
      const claim = store.claim('run', ownerNamed('second'), ttl, found)
      await rejectsWith('run_is_driven', 'run', claim)
      await rejectsWith('run_is_driven', 'run', store.delete('run', [found]))
    },
  ],
  [
    'gives a free run to exactly one of two that claim it at once',
    async ({ store }) => {
      const { lease } = await createDriver(store, 'run')
      await store.release(lease)
      const claims = ['second', 'third'].map((id) => store.claim('run', ownerNamed(id), ttl))
      const outcomes = (await Promise.allSettled(claims)).map(({ status }) => status)
      assert.deepEqual(outcomes.toSorted(), ['fulfilled', 'rejected'])
    },
  ],
  [
    'renews a lease from the time of renewal, also an expired one that nobody took',
    async ({ store, clock }) => {
      const { lease } = await createDriver(store, 'run')
      clock.set(start + ttl)
      await store.renew(lease, ttl)
      clock.set(start + 2 * ttl - 1)
      await rejectsWith('run_is_driven', 'run', store.claim('run', ownerNamed('b'), ttl))
      clock.set(start + 2 * ttl)
      assert.equal((await claimed(store, ownerNamed('b'))).fence, 2)
    },
  ],
  [
    'refuses to renew a lease that was lost or given back',
    async ({ store, clock }) => {
      const { lease } = await createDriver(store, 'run')
      clock.set(start + ttl)
      const next = await claimed(store, ownerNamed('second'))
      await rejectsWith('fence_conflict', 'run', store.renew(lease, ttl))
      await store.release(next)
      await rejectsWith('fence_conflict', 'run', store.renew(next, ttl))
    },
  ],
  [
    'releases nothing when the lease was lost',
    async ({ store, clock }) => {
      const { lease } = await createDriver(store, 'run')
      clock.set(start + ttl)
      const next = await claimed(store, ownerNamed('second'))
      await store.release(lease)
      await rejectsWith('run_is_driven', 'run', store.claim('run', ownerNamed('third'), ttl))
      await store.renew(next, ttl)
    },
  ],
  [
    'tells two leases of one owner apart by their fence',
    async ({ store, clock }) => {
      const { lease } = await createDriver(store, 'run')
      clock.set(start + ttl)
      const next = await claimed(store, lease.owner)
      await rejectsWith('fence_conflict', 'run', store.renew(lease, ttl))
      const late = { until: start + ttl, failures: 1, problem: 'of the driver before' }
      await rejectsWith('fence_conflict', 'run', store.release(lease, late))
      await store.release(lease)
      await store.renew(next, ttl)
    },
  ],
  [
    'lets no lease of a deleted run commit into a run created anew under its id',
    async ({ store, clock }) => {
      const stalled = await createDriver(store, 'run')
      clock.set(start + ttl)
      await store.delete('run')
      const owner = ownerNamed('second')
      const fresh = driverOf(store, await store.create(newRun('run', { at: start + ttl }), owner, ttl))
      assert.equal(fresh.lease.fence, stalled.lease.fence)
      await rejectsWith('fence_conflict', 'run', stalled.commit({ entries: [says('of the deleted run')] }))
      await fresh.commit({ entries: [says('anew'), checkpoint('{"n":1}')] })
      await rejectsWith('fence_conflict', 'run', driverOf(store, stalled.lease, { version: 1, seq: 2 }).commit())
      await rejectsWith('fence_conflict', 'run', store.renew(stalled.lease, ttl))
      await store.release(stalled.lease)
      assert.deepEqual(await fresh.commit({ entries: [says('goes on')] }), { version: 2 })
      assert.deepEqual((await store.read('run')).log, [says('anew')(1), says('goes on')(3)])
    },
  ],
  [
    'lets the owner at the last fence commit and nobody before it',
    async ({ store, clock }) => {
      const first = await createDriver(store, 'run')
      await first.commit({ entries: [says('one'), checkpoint('{"n":1}')] })
      clock.set(start + ttl)
      const lease = await claimed(store, ownerNamed('second'))
      await rejectsWith('fence_conflict', 'run', first.commit({ entries: [says('lost')] }))
      const second = driverOf(store, lease, { version: 1, seq: 2 })
      assert.deepEqual(await second.commit({ entries: [says('two')] }), { version: 2 })
      await store.release(lease)
      await rejectsWith('fence_conflict', 'run', second.commit({ entries: [says('after release')] }))
      assert.deepEqual((await store.read('run')).log, [says('one')(1), says('two')(3)])
    },
  ],
]

/** Returns the expired lease that a refused claim reports. */
async function expiredLease(store: Store, found?: FoundLease): Promise<FoundLease | undefined> {
  const claim = store.claim('run', ownerNamed('second'), ttl, found)
  const error: unknown = await claim.then(
    () => undefined,
    (cause: unknown) => cause,
  )
  assert.ok(error instanceof StoreError && error.code === 'run_is_driven', `expected a refusal, got ${String(error)}`)
  return error.expired
}
