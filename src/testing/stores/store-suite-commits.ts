import assert from 'node:assert/strict'
import type { Json } from '../../core/domain/text/json.ts'
import type { Commit } from '../../core/ports/store.ts'
import {
  call,
  checkpoint,
  createDriver,
  everythingOf,
  message,
  newRun,
  ownerNamed,
  rejectsWith,
  says,
  slot,
  start,
  type StoreCase,
  suspendedCall,
  ttl,
  recordOf,
} from './store-suite-fixtures.ts'

/** Cases of one durable write: its effects, and its rejections. */
export const commitCases: readonly StoreCase[] = [
  [
    'writes everything a commit carries and answers the next version',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      const state: Json = { count: 0, text: '', nothing: null, list: [false, 'æ', '\u0000\ud83c\udfc3'] }
      const entries = [
        says('hello'),
        slot(call),
        (seq: number) => ({ kind: 'state', seq, state }) as const,
        (seq: number) => ({ kind: 'value', seq, name: 'output', value: state }) as const,
        (seq: number) => ({ kind: 'message', seq, message: message('late'), place: 2 }) as const,
        checkpoint('{"n":1}', start + 5),
      ]
      const plan = driver.plan({ entries, at: start + 5, timers: [{ key: 'a', due: start }] })
      assert.deepEqual(await driver.commit({ entries, at: start + 5, timers: [{ key: 'a', due: start }] }), {
        version: 1,
      })
      const run = await store.read('run')
      assert.deepEqual(run.log, plan.append.slice(0, -1))
      assert.deepEqual(run.calls, [{ record: call(2), document: null, version: 1 }])
      assert.deepEqual(run.checkpoint, { document: '{"n":1}', version: 1, seq: 6 })
      assert.equal(run.document, null)
      assert.deepEqual(run.record, { ...(await recordOf(store, 'run')), version: 1, updatedAt: start + 5 })
      assert.deepEqual(await store.due(start), ['run'])
    },
  ],
  [
    'keeps status and outcome in the record, and none while the run is driven',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      const entries = [checkpoint('{}', start + 7)]
      await driver.commit({ entries, status: 'waiting', outcome: { reason: 'suspended' }, at: start + 7 })
      const base = { id: 'run', agent: 'guide', createdAt: start }
      assert.deepEqual(await recordOf(store, 'run'), {
        ...base,
        status: 'waiting',
        doneReason: 'suspended',
        updatedAt: start + 7,
        version: 1,
      })
      await driver.commit({ entries: [checkpoint('{}', start + 8)], status: 'running', at: start + 8 })
      assert.deepEqual(await recordOf(store, 'run'), {
        ...base,
        status: 'running',
        updatedAt: start + 8,
        version: 2,
      })
      const error = { code: 'api_error', message: 'The provider said "no".' }
      const outcome = { reason: 'error', code: 'max_turns', error } as const
      await driver.commit({ entries: [checkpoint('{}', start + 9)], status: 'done', outcome, at: start + 9 })
      const done = { ...base, doneReason: 'error', code: 'max_turns', error, updatedAt: start + 9, version: 3 }
      assert.deepEqual(await recordOf(store, 'run'), { ...done, status: 'done' })
      await driver.commit({
        entries: [checkpoint('{}', start + 10)],
        status: 'done',
        outcome: { reason: 'natural_end' },
      })
      assert.deepEqual(await recordOf(store, 'run'), {
        ...base,
        status: 'done',
        doneReason: 'natural_end',
        updatedAt: start + 10,
        version: 4,
      })
    },
  ],
  [
    'counts versions over commits with and without a checkpoint, and over commits that append nothing',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      const changes = [
        { entries: [says('a')] },
        { entries: [checkpoint('{}')] },
        {},
        {},
        { entries: [checkpoint('{}')] },
      ]
      for (const [index, change] of changes.entries()) {
        assert.deepEqual(await driver.commit(change), { version: index + 1 })
        assert.equal((await store.record('run')).version, index + 1)
      }
    },
  ],
  [
    'refuses a commit of another version and writes nothing of it',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      await driver.commit({ entries: [says('one'), checkpoint('{"n":1}')] })
      const before = await everythingOf(store, 'run')
      for (const expectedVersion of [0, 2]) {
        const entries = [says('lost'), checkpoint('{"n":2}')]
        const commit = driver.plan({ entries, timers: [{ key: 'a', due: 1 }], status: 'done' })
        await rejectsWith('version_conflict', 'run', store.commit({ ...commit, expectedVersion }))
      }
      assert.deepEqual(await everythingOf(store, 'run'), before)
    },
  ],
  [
    'looks at the fence before the version, and at the version before the inbox',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      await store.post('run', { kind: 'cancel' }, start)
      const wrong = { ...driver.plan({ status: 'waiting' }), expectedVersion: 5 }
      await rejectsWith('fence_conflict', 'run', store.commit({ ...wrong, fence: 7 }))
      await rejectsWith('version_conflict', 'run', store.commit(wrong))
      assert.deepEqual(await store.commit({ ...wrong, expectedVersion: 0 }), { refused: 'inbox' })
    },
  ],
  [
    'writes nothing of a malformed commit',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      await driver.commit({ entries: [says('one'), slot(call), checkpoint('{"n":1}')], timers: [{ key: 'a', due: 1 }] })
      await store.post('run', { kind: 'steer', messages: [] }, start)
      const before = await everythingOf(store, 'run')
      const sound = driver.plan({ entries: [says('lost')], timers: [], status: 'waiting' })
      const poisoned: Json = JSON.parse('{"__proto__":{"admin":true}}')
      const malformed: readonly Partial<Commit>[] = [
        { calls: [{ record: call(1), document: null }] },
        {
          calls: [
            { record: call(2), document: '{}' },
            { record: call(9), document: null },
          ],
        },
        { consumed: [{ id: 999_999 }] },
        { append: sound.append.map((entry) => ({ ...entry, seq: 6 })) },
        { append: sound.append.map((entry) => ({ ...entry, seq: 3 })) },
        { append: [...sound.append, checkpoint('{}')(5), checkpoint('{}')(6)], document: null },
        { append: [...sound.append, checkpoint('{}')(5), checkpoint('{}')(6)] },
        { append: [...sound.append, checkpoint('{}')(5)] },
        { document: null },
        { append: [...sound.append, { kind: 'state', seq: 5, state: poisoned }] },
      ]
      for (const [index, change] of malformed.entries()) {
        await assert.rejects(store.commit({ ...sound, ...change }), `malformed commit ${index} was taken`)
        assert.deepEqual(await everythingOf(store, 'run'), before)
      }
      assert.deepEqual(await driver.commit({ entries: [says('two')] }), { version: 2 })
    },
  ],
  [
    'writes the sound ones of several commits made in one tick, each whole, and fails the others alone',
    async ({ store }) => {
      const drivers = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((id) => createDriver(store, id)))
      await store.post('d', { kind: 'cancel' }, start)
      const commits = drivers.map((driver) => driver.plan({ entries: [says(driver.lease.runId), slot(call)] }))
      const [a, b, c, d, e] = commits
      assert.ok(a && b && c && d && e)
      const outcomes = await Promise.allSettled([
        store.commit(a),
        store.commit({ ...b, fence: 9 }),
        store.commit({
          ...c,
          calls: [
            { record: call(2), document: '{}' },
            { record: call(7), document: null },
          ],
        }),
        store.commit({ ...d, status: 'done' }),
        store.commit({ ...e, calls: [{ record: call(2), document: '{"in":"row"}' }] }),
      ])
      const written = { status: 'fulfilled', value: { version: 1 } }
      assert.deepEqual(outcomes[0], written)
      assert.equal(outcomes[1]?.status, 'rejected')
      assert.equal(outcomes[2]?.status, 'rejected')
      assert.deepEqual(outcomes[3], { status: 'fulfilled', value: { refused: 'inbox' } })
      assert.deepEqual(outcomes[4], written)
      const versions = await Promise.all(drivers.map(async ({ lease }) => (await store.record(lease.runId)).version))
      assert.deepEqual(versions, [1, 0, 0, 0, 1])
      const sizes = await Promise.all(drivers.map(async ({ lease }) => (await store.read(lease.runId)).log.length))
      assert.deepEqual(sizes, [2, 0, 0, 0, 2])
      assert.deepEqual(await store.calls('e'), [{ record: call(2), document: '{"in":"row"}', version: 1 }])
    },
  ],
  [
    'takes the first of two commits of one version made in one tick',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      const first = store.commit(driver.plan({ entries: [says('first')] }))
      const second = store.commit(driver.plan({ entries: [says('second')] }))
      await rejectsWith('version_conflict', 'run', second)
      assert.deepEqual(await first, { version: 1 })
      assert.deepEqual((await store.read('run')).log, [says('first')(1)])
    },
  ],
  [
    'lets a read that follows a commit in the same tick see it',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      const commit = driver.commit({ entries: [says('seen')] })
      const run = store.read('run')
      assert.deepEqual((await run).log, [says('seen')(1)])
      assert.deepEqual(await commit, { version: 1 })
    },
  ],
  [
    'is not changed through what it was given nor through what it gave',
    async ({ store }) => {
      const input = { list: ['kept'] }
      const lease = await store.create(newRun('run', { input }), ownerNamed('first'), ttl)
      input.list.push('slipped in')
      const record = { ...suspendedCall(1, 'suspension') }
      const append = [{ kind: 'call' as const, seq: 1, call: record }]
      const base = {
        runId: 'run',
        owner: lease.owner.id,
        fence: lease.fence,
        expectedVersion: 0,
        at: start,
        status: 'running' as const,
      }
      const written = store.commit({ ...base, append, calls: [], document: '{}', consumed: [] })
      record.toolName = 'slipped in'
      append.pop()
      await written
      const decision = { target: 'call-1', action: 'resume' as const, result: { list: ['kept'] } }
      await store.decide('run', [decision], start)
      decision.result.list.push('slipped in')

      const before = structuredClone(await everythingOf(store, 'run'))
      assert.deepEqual((await store.read('run')).log, [slot((seq) => suspendedCall(seq, 'suspension'))(1)])
      assert.deepEqual((await store.read('run')).input, { list: ['kept'] })
      vandalise(await everythingOf(store, 'run'))
      assert.deepEqual(await everythingOf(store, 'run'), before)
    },
  ],
  [
    "keeps the steps of a call's row between checkpoints, and lets go of them with it",
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      await driver.commit({ entries: [slot(call), checkpoint('{}')] })
      const done = [{ name: 'charge', result: { receipt: [7] } }, { name: 'nothing' }]
      const running = call(1, { status: 'running', steps: { revision: 0, done } })
      await driver.commit({ calls: [{ record: running, document: '{"n":1}' }] })
      assert.deepEqual((await store.read('run')).calls, [{ record: running, document: '{"n":1}', version: 2 }])
      await driver.commit({ calls: [{ record: call(1, { status: 'running' }), document: null }] })
      assert.deepEqual((await store.calls('run'))[0]?.record, call(1, { status: 'running' }))
    },
  ],
  [
    'keeps messages and documents of 5 MB',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      const text = 'Ærø 🏃 "quoted"\n'.repeat(300_000)
      const document = JSON.stringify({ text })
      await driver.commit({ entries: [says(text), checkpoint(document)] })
      const run = await store.read('run')
      assert.ok(document.length > 5_000_000)
      assert.ok(run.checkpoint?.document === document)
      assert.deepEqual(run.log, [says(text)(1)])
    },
  ],
  [
    'puts another input in the place of the one a run was created with, whole or not at all',
    async ({ store }) => {
      const driver = await createDriver(store, 'run', { input: { prompt: 'a secret', labels: {} } })
      await store.post('run', { kind: 'cancel' }, start)
      assert.deepEqual(await driver.commit({ status: 'waiting', input: { labels: {} } }), { refused: 'inbox' })
      assert.deepEqual((await store.read('run')).input, { prompt: 'a secret', labels: {} })
      await driver.commit({ entries: [says('one'), checkpoint('{}')], input: { labels: {} } })
      assert.deepEqual((await store.read('run')).input, { labels: {} })
      assert.deepEqual((await store.checkpoint('run', 1)).input, { labels: {} })
      await driver.commit({ entries: [says('two')] })
      assert.deepEqual((await store.read('run')).input, { labels: {} })
    },
  ],
]

/** Overwrites every field that it can reach; it skips frozen fields. */
function vandalise(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  for (const key of Object.keys(value)) {
    vandalise(Reflect.get(value, key))
    Reflect.set(value, key, 'vandalised')
  }
}
