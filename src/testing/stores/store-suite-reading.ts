import assert from 'node:assert/strict'
import {
  call,
  checkpoint,
  createDriver,
  rejectsWith,
  runWith,
  says,
  slot,
  start,
  type StoreCase,
  suspendedCall,
  recordOf,
} from './store-suite-fixtures.ts'

/** Cases of reading a run, for drivers and for history. */
export const readingCases: readonly StoreCase[] = [
  [
    'gives the last checkpoint, and the document of a later commit without one until the next checkpoint',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      const states = async () => {
        const { checkpoint: last, document } = await store.read('run')
        return [last?.version, last?.document, document]
      }
      await driver.commit({ document: '"first"' })
      assert.deepEqual(await states(), [undefined, undefined, '"first"'])
      await driver.commit({ entries: [says('a'), checkpoint('"second"')] })
      assert.deepEqual(await states(), [2, '"second"', null])
      await driver.commit({ entries: [says('b')], document: '"third"' })
      assert.deepEqual(await states(), [2, '"second"', '"third"'])
      await driver.commit({ document: '"fourth"' })
      assert.deepEqual(await states(), [2, '"second"', '"fourth"'])
      await driver.commit({ entries: [checkpoint('"fifth"')], status: 'done' })
      assert.deepEqual(await states(), [5, '"fifth"', null])
    },
  ],
  [
    'keeps the text of documents as it is',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      const text = '{ "b" : 1,\n"a":2, "__proto__": 3 }'
      await driver.commit({ entries: [slot(call)], document: text, calls: [{ record: call(1), document: text }] })
      assert.equal((await store.read('run')).document, text)
      assert.equal((await store.calls('run'))[0]?.document, text)
      await driver.commit({ entries: [checkpoint(text)] })
      assert.equal((await store.checkpoint('run', 2)).checkpoint?.document, text)
    },
  ],
  [
    'updates call slots in place and lists the live ones for a driver',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      await driver.commit({ entries: [says('a'), slot(call), slot(call), checkpoint('{}')] })
      const settled = call(2, { status: 'succeeded' })
      const live = suspendedCall(3, 'suspension')
      await driver.commit({
        calls: [
          { record: settled, document: null },
          { record: live, document: '{"at":"rest"}' },
        ],
      })
      const run = await store.read('run')
      assert.deepEqual(run.log, [says('a')(1), slot(() => settled)(2), slot(() => live)(3)])
      assert.deepEqual(run.calls, [{ record: live, document: '{"at":"rest"}', version: 2 }])
      assert.deepEqual(await store.calls('run'), [
        { record: settled, document: null, version: 2 },
        { record: live, document: '{"at":"rest"}', version: 2 },
      ])
    },
  ],
  [
    'lists a settled call whose actor has a snapshot newer than the last checkpoint, until the next one',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      await driver.commit({ entries: [slot(call), checkpoint('{}')] })
      const settled = call(1, { status: 'succeeded' })
      await driver.commit({ calls: [{ record: settled, document: '"reviewing"' }] })
      assert.deepEqual((await store.read('run')).calls, [{ record: settled, document: '"reviewing"', version: 2 }])
      await driver.commit({ entries: [checkpoint('{}')] })
      assert.deepEqual((await store.read('run')).calls, [])
    },
  ],
  [
    'takes the snapshot of a call with the commit that adds its slot',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      await driver.commit({ entries: [slot(call)], calls: [{ record: call(1), document: '{"new":1}' }] })
      assert.deepEqual((await store.read('run')).calls, [{ record: call(1), document: '{"new":1}', version: 1 }])
    },
  ],
  [
    'leaves out the snapshot of a call that is older than the last checkpoint',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      await driver.commit({ entries: [slot(call)], calls: [{ record: call(1), document: '"old"' }] })
      await driver.commit({ entries: [checkpoint('{}')] })
      const row = { record: call(1), document: null, version: 1 }
      assert.deepEqual((await store.read('run')).calls, [row])
      assert.deepEqual(await store.calls('run'), [row])
      await driver.commit({ calls: [{ record: call(1), document: '"new"' }] })
      assert.deepEqual((await store.read('run')).calls, [{ record: call(1), document: '"new"', version: 3 }])
    },
  ],
  [
    'lists checkpoints with their versions, names and times, the oldest first',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      assert.deepEqual(await store.checkpoints('run'), [])
      await driver.commit({ entries: [says('a'), checkpoint('{}', start + 1)] })
      await driver.commit({ entries: [says('b')] })
      const names = ['ToolResultsCommitted', 'RunFinished'] as const
      const entry = (seq: number) => ({ kind: 'checkpoint', seq, names, document: '{}', at: start + 3 }) as const
      await driver.commit({ entries: [says('c'), entry] })
      assert.deepEqual(await store.checkpoints('run'), [
        { version: 1, seq: 2, names: ['AssistantTurnCommitted'], at: start + 1 },
        { version: 3, seq: 5, names, at: start + 3 },
      ])
    },
  ],
  [
    'reads a run as a checkpoint found it, its log up to there',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      await driver.commit({ entries: [says('a'), slot(call), checkpoint('"one"', start + 1)] })
      await driver.commit({ entries: [says('b'), slot(call)], document: '"between"' })
      await driver.commit({ entries: [says('c'), checkpoint('"three"', start + 3)] })
      const record = await recordOf(store, 'run')
      const first = await store.checkpoint('run', 1)
      assert.deepEqual(first, {
        record,
        input: { prompt: 'Weather in Oslo?' },
        checkpoint: { document: '"one"', version: 1, seq: 3 },
        document: null,
        log: [says('a')(1), slot(call)(2)],
        calls: [{ record: call(2), document: null, version: 1 }],
      })
      const last = await store.checkpoint('run', 3)
      assert.deepEqual(last.log, [says('a')(1), slot(call)(2), says('b')(4), slot(call)(5), says('c')(6)])
      assert.deepEqual(last.checkpoint, { document: '"three"', version: 3, seq: 7 })
    },
  ],
  [
    'gives a call that a later commit wrote as it is stored now, without that later snapshot',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      await driver.commit({ entries: [slot(call), slot(call), checkpoint('"one"')] })
      const settled = call(1, { status: 'failed' })
      const live = suspendedCall(2, 'suspension')
      await driver.commit({
        calls: [
          { record: settled, document: null },
          { record: live, document: '"later"' },
        ],
      })
      const first = await store.checkpoint('run', 1)
      assert.deepEqual(first.log, [slot(() => settled)(1), slot(() => live)(2)])
      assert.deepEqual(first.calls, [{ record: live, document: null, version: 2 }])
    },
  ],
  [
    'names the checkpoints there are when asked for another',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      await driver.commit({ entries: [checkpoint('{}')] })
      await driver.commit()
      await rejectsWith('run_unknown', '1', store.checkpoint('run', 2))
    },
  ],
  [
    'gives the calls that are wanted, or those that are suspended if none are named, and may leave out the others',
    async ({ store }) => {
      const settled = { status: 'succeeded' } as const
      const rows = [call(1, settled), call(2), suspendedCall(3, 's3'), call(4, settled), call(5, settled)]
      await runWith(store, rows)
      const given = async (wanted: readonly string[]) =>
        new Set((await store.calls('run', wanted)).map(({ record }) => record.seq))
      assert.ok((await given([])).has(3))
      assert.ok((await given(['s3'])).has(3))
      const [byId, byProvider] = [await given(['call-4']), await given([call(5).toolCallId])]
      assert.deepEqual([byId.has(4), byProvider.has(5)], [true, true])
      await rejectsWith('run_unknown', 'gone', store.calls('gone', []))
    },
  ],
]
