import assert from 'node:assert/strict'
import type { Json } from '../../core/domain/text/json.ts'
import type { FirstCommit, Lease, Store } from '../../core/ports/store.ts'
import {
  call,
  checkpoint,
  createDriver,
  driverOf,
  everythingOf,
  newRun,
  ownerNamed,
  rejectsWith,
  says,
  slot,
  start,
  type StoreCase,
  suspendedCall,
  ttl,
} from './store-suite-fixtures.ts'

/** Cases of a run that is created together with its first commit, in one write. */
export const firstCommitCases: readonly StoreCase[] = [
  [
    'creates a run as its first commit leaves it, at version 1 and held at fence 1',
    async ({ store }) => {
      const forkedFrom = { runId: 'origin', version: 3 }
      const lease = await store.create(newRun('run', { forkedFrom }), ownerNamed('first'), ttl, waiting)
      assert.deepEqual(lease, { runId: 'run', owner: ownerNamed('first'), fence: 1 })
      const outcome = { status: 'waiting', doneReason: 'suspended' } as const
      const record = { id: 'run', agent: 'guide', createdAt: start, updatedAt: start + 1, version: 1, forkedFrom }
      const calls = [{ record: suspendedCall(2, 'suspension'), document: null, version: 1 }]
      assert.deepEqual(await everythingOf(store, 'run'), {
        run: {
          record: { ...record, ...outcome },
          input: { prompt: 'Weather in Oslo?' },
          checkpoint: { document: '{"n":1}', version: 1, seq: 3 },
          document: null,
          log: waiting.append.slice(0, 2),
          calls,
        },
        calls,
        checkpoints: [{ version: 1, seq: 3, names: ['AssistantTurnCommitted'], at: start + 1 }],
        inbox: [],
        decisions: [],
        due: ['run'],
      })
      assert.deepEqual(await store.due(start), [])
    },
  ],
  [
    'goes on from a first commit at version 1 and at the next number of its log',
    async ({ store }) => {
      const lease = await createWaiting(store)
      const late = driverOf(store, lease).commit({ entries: [says('late')] })
      await rejectsWith('version_conflict', 'run', late)
      const next = driverOf(store, lease, { version: 1, seq: 3 })
      assert.deepEqual(await next.commit({ entries: [says('next')] }), { version: 2 })
      assert.deepEqual((await store.read('run')).log, [...waiting.append.slice(0, 2), says('next')(4)])
    },
  ],
  [
    'answers decisions about a call that a first commit suspended',
    async ({ store }) => {
      await createWaiting(store)
      const receipts = await store.decide('run', [{ target: 'call-2', action: 'resume' }], start)
      assert.deepEqual(
        receipts.map(({ answer }) => answer),
        ['applied'],
      )
    },
  ],
  [
    'takes a first commit without a checkpoint, its state and the snapshots of its calls in their rows',
    async ({ store }) => {
      const calls = [{ record: call(2), document: '{"in":"row"}' }]
      const first = { ...running, append: [says('one')(1), slot(call)(2)], calls }
      await store.create(newRun('run'), ownerNamed('first'), ttl, first)
      assert.deepEqual(await store.read('run'), {
        record: { id: 'run', agent: 'guide', status: 'running', createdAt: start, updatedAt: start + 1, version: 1 },
        input: { prompt: 'Weather in Oslo?' },
        checkpoint: null,
        document: '{"n":1}',
        log: first.append,
        calls: [{ record: call(2), document: '{"in":"row"}', version: 1 }],
      })
    },
  ],
  [
    'takes a first commit that begins a run with a long log of another, and goes on behind it',
    async ({ store }) => {
      const messages = Array.from({ length: 1001 }, (_, index) => says(`message ${index}`)(index + 1))
      const append = [...messages, { kind: 'state' as const, seq: 1002, state: { kept: true } }]
      const lease = await store.create(newRun('run'), ownerNamed('first'), ttl, { ...running, append })
      const begun = await store.read('run')
      assert.deepEqual([begun.log, begun.checkpoint, begun.document, begun.calls], [append, null, '{"n":1}', []])
      assert.deepEqual(await store.checkpoints('run'), [])
      await store.release(lease)
      const { lease: taken, run } = await store.claim('run', ownerNamed('second'), ttl)
      assert.ok(taken)
      assert.deepEqual(run, begun)
      const next = driverOf(store, taken, { version: 1, seq: 1002 })
      assert.deepEqual(await next.commit({ entries: [says('own'), checkpoint('{"n":2}')] }), { version: 2 })
      assert.deepEqual((await store.read('run')).log, [...append, says('own')(1003)])
    },
  ],
  [
    'stores nothing of a run whose first commit is malformed',
    async ({ store }) => {
      for (const [index, change] of malformed.entries()) {
        const created = store.create(newRun('run'), ownerNamed('first'), ttl, { ...running, ...change })
        await assert.rejects(created, `malformed first commit ${index} was taken`)
        await rejectsWith('run_unknown', 'run', store.record('run'))
        assert.deepEqual(await store.list(), [])
        assert.deepEqual(await store.due(Number.MAX_SAFE_INTEGER), [])
      }
      const next = driverOf(store, await createWaiting(store), { version: 1, seq: 3 })
      assert.deepEqual(await next.commit({ entries: [says('next')] }), { version: 2 })
    },
  ],
  [
    'refuses an id that is taken, whatever the first commit, and leaves the run of that id alone',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      await driver.commit({ entries: [says('one')] })
      const before = await everythingOf(store, 'run')
      for (const change of [{}, ...malformed]) {
        const second = store.create(newRun('run'), ownerNamed('second'), ttl, { ...running, ...change })
        await rejectsWith('run_exists', 'run', second)
        assert.deepEqual(await everythingOf(store, 'run'), before)
      }
      assert.deepEqual(await driver.commit({ entries: [says('two')] }), { version: 2 })
    },
  ],
  [
    'is not changed through a first commit it was given',
    async ({ store }) => {
      const timers = [{ key: 'kept', due: start }]
      const append = [says('kept')(1)]
      const created = store.create(newRun('run'), ownerNamed('first'), ttl, { ...running, append, timers })
      append.push(says('slipped in')(2))
      timers.pop()
      await created
      assert.deepEqual((await store.read('run')).log, [says('kept')(1)])
      assert.deepEqual(await store.due(start), ['run'])
    },
  ],
]

/** A valid first commit without a checkpoint. */
const running: FirstCommit = {
  at: start + 1,
  status: 'running',
  append: [says('one')(1)],
  calls: [],
  document: '{"n":1}',
  consumed: [],
}

/** A valid first commit of a run that waits for a decision. */
const waiting: FirstCommit = {
  ...running,
  status: 'waiting',
  outcome: { reason: 'suspended' },
  append: [says('one')(1), slot((seq) => suspendedCall(seq, 'suspension'))(2), checkpoint('{"n":1}', start + 1)(3)],
  document: null,
  timers: [{ key: 'expiry', due: start + 9 }],
}

function createWaiting(store: Store): Promise<Lease> {
  return store.create(newRun('run'), ownerNamed('first'), ttl, waiting)
}

const poisoned: Json = JSON.parse('{"__proto__":{"polluted":true}}')

/** Changes that make a valid first commit malformed. */
const malformed: readonly Partial<FirstCommit>[] = [
  { append: [says('a gap')(2)] },
  { append: [checkpoint('{}')(1), checkpoint('{}')(2)], document: null },
  { append: [checkpoint('{}')(1)] },
  { document: null },
  { append: [says('one')(1), { kind: 'state', seq: 2, state: poisoned }] },
  { timers: [{ key: 'a', due: 1 }], calls: [{ record: call(2), document: null }] },
  { consumed: [{ id: 1 }] },
]
