import assert from 'node:assert/strict'
import type { Lease, Store } from '../../core/ports/store.ts'
import type { ClaimedWork, WorkQuery } from '../../core/ports/work.ts'
import {
  createDriver,
  driverOf,
  livingOwner,
  newRun,
  ownerNamed,
  rejectsWith,
  runWith,
  says,
  start,
  type StoreCase,
  suspendedCall,
  ttl,
} from './store-suite-fixtures.ts'

/** Cases of the work that a store returns to workers. */
export const workCases: readonly StoreCase[] = [
  [
    'gives a worker a run that was stored and is driven by nobody, as a claim gives it',
    async ({ store }) => {
      const { lease } = await createDriver(store, 'run')
      assert.deepEqual(await next(store), [])
      await store.release(lease)
      const [found, ...others] = await next(store)
      assert.deepEqual(others, [])
      const fence = 2
      assert.deepEqual(found, {
        lease: { runId: 'run', owner: ownerNamed('worker'), fence },
        run: await store.read('run'),
        failures: 0,
        wasHeld: false,
      })
      assert.deepEqual(await next(store), [])
      assert.deepEqual(await driverOf(store, leaseOf(found)).commit({ entries: [says('on')] }), { version: 1 })
    },
  ],
  [
    'gives no run of another agent, none that is named as not wanted, and no more than are asked for',
    async ({ store }) => {
      for (const id of ['one', 'two', 'three']) await storeFree(store, id)
      await storeFree(store, 'other', 'clerk')
      assert.deepEqual(idsOf(await next(store, { limit: 0 })), [])
      assert.deepEqual(idsOf(await next(store, { agents: [] })), [])
      assert.deepEqual(idsOf(await next(store, { limit: 1, except: ['one', 'gone'] })), ['two'])
      assert.deepEqual(idsOf(await next(store)), ['one', 'three'])
      assert.deepEqual(idsOf(await next(store, { agents: ['clerk', 'nobody'] })), ['other'])
    },
  ],
  [
    'gives each of many runs to exactly one of two workers that ask at once',
    async ({ store }) => {
      const ids = Array.from({ length: 12 }, (_, index) => `run-${index}`)
      for (const id of ids) await storeFree(store, id)
      const asked = ['left', 'right'].map((id) => next(store, { owner: ownerNamed(id), limit: 8 }))
      const found = (await Promise.all(asked)).flat()
      assert.deepEqual(idsOf(found).toSorted(), ids.toSorted())
    },
  ],
  [
    'leaves a waiting run alone until something that its charts take in has come',
    async ({ store }) => {
      const driver = await runWith(store, [suspendedCall(1, 'sus-1')])
      await driver.commit({ status: 'waiting', release: true })
      await store.release(driver.lease)
      await store.post('run', { kind: 'followUp', messages: [] }, start)
      assert.deepEqual(await next(store), [])
      await store.decide('run', [{ target: 'call-1', action: 'resume' }], start)
      const [found] = await next(store)
      const worker = driverOf(store, leaseOf(found), { version: 2, seq: 1 })
      await worker.commit({ consumed: (await store.inbox('run', { isOpen: true })).map(({ id }) => ({ id })) })
      await worker.commit({ status: 'waiting', release: true })
      await store.release(leaseOf(found))
      assert.deepEqual(await next(store), [])
      await store.post('run', { kind: 'cancel' }, start)
      assert.deepEqual(idsOf(await next(store)), ['run'])
    },
  ],
  [
    'gives a waiting run whose timer is due, and says when the next one is',
    async ({ store }) => {
      assert.equal(await store.nextDue(), undefined)
      const driver = await createDriver(store, 'run')
      await driver.commit({
        timers: [
          { key: 'late', due: start + 9 },
          { key: 'soon', due: start + 5 },
        ],
      })
      await driver.commit({ status: 'waiting', release: true })
      await store.release(driver.lease)
      assert.equal(await store.nextDue(), start + 5)
      assert.equal(await store.nextDue(['guide', 'clerk']), start + 5)
      assert.equal(await store.nextDue(['clerk']), undefined)
      assert.deepEqual(await next(store, { now: start + 4 }), [])
      assert.deepEqual(idsOf(await next(store, { now: start + 5 })), ['run'])
      assert.equal(await store.nextDue(), undefined)
    },
  ],
  [
    'gives nothing of a run that is done',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      await driver.commit({ status: 'done', outcome: { reason: 'natural_end' }, release: true })
      await store.release(driver.lease)
      assert.deepEqual(await next(store, { now: start + 2 * ttl }), [])
      assert.equal(await store.nextDue(), undefined)
    },
  ],
  [
    'gives the run that waits longest first, whatever there is to do for it',
    async ({ store }) => {
      const waiting = await createDriver(store, 'timer')
      await waiting.commit({ status: 'waiting', timers: [{ key: 'k', due: start + 50 }], release: true })
      await store.release(waiting.lease)
      await storeFree(store, 'late', 'guide', start + 60)
      await storeFree(store, 'early', 'guide', start + 40)
      assert.deepEqual(idsOf(await next(store, { now: start + 70, limit: 2 })), ['early', 'timer'])
    },
  ],
  [
    'counts what a worker could be given, up to a limit, and takes none of it',
    async ({ store }) => {
      for (const id of ['one', 'two', 'three']) await storeFree(store, id)
      await storeFree(store, 'other', 'clerk')
      await store.create(newRun('later', { notBefore: start + 5 }), ownerNamed('first'), ttl)
      await createDriver(store, 'held')
      const count = (limit: number, now = start) => store.backlog({ agents: ['guide'], now, limit })
      assert.deepEqual([await count(2), await count(100), await count(100, start + 5)], [2, 3, 4])
      assert.deepEqual(idsOf(await next(store)), ['one', 'two', 'three'])
      assert.equal(await count(100), 0)
      const { commit, lease } = await runWith(store, [suspendedCall(1, 's')], 'answered and due')
      await commit({ timers: [{ key: 'expiry', due: start }], status: 'waiting' })
      await store.release(lease)
      await store.decide('answered and due', [{ target: 'call-1', action: 'resume' }], start)
      assert.equal(await count(100), 1)
    },
  ],
  [
    'takes over a run whose lease has expired or whose driver is dead, and counts it until the next commit',
    async ({ store, deadOwner, clock }) => {
      await store.create(newRun('left'), deadOwner('gone'), ttl)
      await createDriver(store, 'stuck')
      const dead = await next(store, { owner: deadOwner('dead') })
      assert.deepEqual(failuresIn(dead), { left: 1 })
      clock.set(start + ttl)
      const again = await next(store)
      assert.deepEqual(failuresIn(again), { left: 2, stuck: 1 })
      assert.deepEqual(
        again.map(({ wasHeld }) => wasHeld),
        [true, true],
      )
      const left = again.find(({ lease }) => lease.runId === 'left')
      const driver = driverOf(store, leaseOf(left))
      await driver.commit({ entries: [says('on')] })
      await store.release(driver.lease)
      assert.deepEqual(failuresIn(await next(store)), { left: 0 })
    },
  ],
  [
    'leaves a run to a living process of this host until it has found the expired lease unchanged for a time to live',
    async ({ store, clock }) => {
      const living = livingOwner('alive')
      if (living === undefined) return
      await store.create(newRun('run'), living, ttl)
      clock.set(start + ttl)
      assert.deepEqual(await next(store), [])
      assert.deepEqual(idsOf(await next(store, { ttlMs: 0 })), ['run'])
    },
  ],
  [
    'keeps a run that was postponed from every worker until its time, and the count of its failures until its next commit',
    async ({ store }) => {
      await storeFree(store, 'run')
      const [found] = await next(store)
      const postponement = { until: start + 10, failures: 3, problem: 'the tools could not be opened' }
      await store.release(leaseOf(found), postponement)
      await rejectsWith('fence_conflict', 'run', store.release(leaseOf(found), postponement))
      assert.deepEqual(await store.postponed(), [{ runId: 'run', agent: 'guide', ...postponement }])
      assert.deepEqual(await store.postponed({ isAside: true }), [])
      assert.deepEqual(await store.postponed({ agents: ['clerk'] }), [])
      assert.deepEqual(await next(store, { now: start + 9 }), [])
      assert.equal(await store.nextDue(), start + 10)
      assert.deepEqual(failuresIn(await next(store, { now: start + 10 })), { run: 3 })
      assert.deepEqual(await store.postponed(), [])
    },
  ],
  [
    'keeps a run that was set aside until it is to be tried again, with its failures forgotten',
    async ({ store }) => {
      await storeFree(store, 'run')
      const [found] = await next(store)
      await store.release(leaseOf(found), { failures: 5, problem: 'ends its process' })
      const aside = [{ runId: 'run', agent: 'guide', failures: 5, problem: 'ends its process' }]
      assert.deepEqual(await store.postponed({ isAside: true }), aside)
      assert.deepEqual(await next(store, { now: start + 1e12 }), [])
      assert.equal(await store.nextDue(), undefined)
      assert.equal(await store.retry('run'), true)
      assert.equal(await store.retry('run'), false)
      await rejectsWith('run_unknown', 'other', store.retry('other'))
      assert.deepEqual(failuresIn(await next(store)), { run: 0 })
    },
  ],
  [
    'lets whoever names a postponed run claim it, which ends that',
    async ({ store }) => {
      await storeFree(store, 'run')
      const [found] = await next(store)
      await store.release(leaseOf(found), { failures: 5, problem: 'ends its process' })
      const { lease } = await store.claim('run', ownerNamed('person'), ttl)
      const driver = driverOf(store, leaseOf({ lease }))
      await driver.commit({ entries: [says('on')] })
      await store.release(driver.lease)
      assert.deepEqual(await store.postponed(), [])
      assert.deepEqual(failuresIn(await next(store)), { run: 0 })
    },
  ],
  [
    'stores a run that is to begin later with a lease that is given back already',
    async ({ store }) => {
      const lease = await store.create(newRun('run', { notBefore: start + 10 }), ownerNamed('first'), ttl)
      await rejectsWith('fence_conflict', 'run', store.renew(lease, ttl))
      await store.release(lease)
      assert.deepEqual(await next(store, { now: start + 9 }), [])
      assert.equal(await store.nextDue(['guide']), start + 10)
      assert.deepEqual(await store.postponed(), [{ runId: 'run', agent: 'guide', until: start + 10, failures: 0 }])
      assert.deepEqual(failuresIn(await next(store, { now: start + 10 })), { run: 0 })
    },
  ],
  [
    'tells whoever watches the whole store that there may be something to do, and then no more',
    async ({ store }) => {
      await storeFree(store, 'run')
      let told = Promise.withResolvers<void>()
      const stop = store.watch(undefined, () => told.resolve())
      await store.post('run', { kind: 'cancel' }, start)
      await told.promise
      told = Promise.withResolvers()
      await storeFree(store, 'another')
      await told.promise
      told = Promise.withResolvers()
      await store.create(newRun('free at once', { notBefore: 0 }), ownerNamed('first'), ttl)
      await told.promise
      told = Promise.withResolvers()
      const [found] = await next(store)
      await store.release(leaseOf(found), { failures: 1, problem: 'none' })
      await store.retry(leaseOf(found).runId)
      await told.promise
      stop()
      stop()
      told = Promise.withResolvers()
      const wasTold = told.promise.then(() => assert.fail('told after it was stopped'))
      await store.post('run', { kind: 'followUp', messages: [] }, start)
      await Promise.race([wasTold, store.read('run')])
    },
  ],
  [
    'gives what is to be done after runs of it were deleted',
    async ({ store }) => {
      for (const id of ['one', 'two']) await storeFree(store, id)
      const [found] = await next(store, { limit: 1 })
      await store.release(leaseOf(found), { failures: 5, problem: 'ends its process' })
      await store.delete('one')
      assert.deepEqual(await store.postponed(), [])
      await storeFree(store, 'one')
      assert.deepEqual(failuresIn(await next(store)), { one: 0, two: 0 })
    },
  ],
]

/** Claims the next work for a worker of the agent `guide`. */
export function next(store: Store, changes: Partial<WorkQuery> = {}): Promise<readonly ClaimedWork[]> {
  const query = { agents: ['guide'], now: start, limit: 100, owner: ownerNamed('worker'), ttlMs: ttl }
  return store.claimNext({ ...query, ...changes })
}

export async function storeFree(store: Store, id: string, agent = 'guide', at = start): Promise<void> {
  await store.release(await store.create(newRun(id, { agent, at }), ownerNamed('first'), ttl))
}

function leaseOf(found: { readonly lease?: Lease | undefined } | undefined): Lease {
  return found?.lease ?? assert.fail('expected a lease')
}

export function idsOf(found: readonly ClaimedWork[]): readonly string[] {
  return found.map(({ lease }) => lease.runId)
}

function failuresIn(found: readonly ClaimedWork[]): Readonly<Record<string, number>> {
  return Object.fromEntries(found.map(({ lease, failures }) => [lease.runId, failures]))
}
